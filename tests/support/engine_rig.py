"""An engine at work in a real tmux window, without a kernel: what the engine tests drive."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from hermes_company.domain.agent import Agent
from hermes_company.domain.environment import choose
from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.ports.engine import Engine, Job, Launch
from hermes_company.ports.workers import WorkerOrder
from tests.support.tmux import GRACE, TmuxCompany, until

T = TypeVar("T")


def make_job(root: Path, engine: str, **changes: Any) -> Job:
    """A job with the folders that it needs; `changes` replace fields of `Job`, `agent` those of its agent."""
    ticket, attempt = changes.get("ticket", "TASK-1"), changes.get("attempt", 1)
    run_dir, outbox, workdir = root / "runs" / ticket / str(attempt), root / "outbox" / "ann" / ticket, root / "work"
    for folder in (run_dir, outbox, workdir):
        folder.mkdir(parents=True, exist_ok=True)
    fields = {
        "ticket": ticket,
        "attempt": attempt,
        "token": f"hc-{uuid.uuid4().hex}",
        "session_id": str(uuid.uuid4()),
        "root": root,
        "run_dir": run_dir,
        "outbox": outbox,
        "workdir": workdir,
        "prompt": f"Carry out {ticket}.",
        "prompt_file": run_dir / "prompt.md",
        "body": "",
        "settings": EngineSettings(),
        "environ": {},
        **changes,
        "agent": Agent(name="ann", engine=engine, **changes.get("agent", {})),
    }
    return Job(**fields)


@dataclass
class EngineRig:
    """One engine on a private tmux server, with the environment of a person who uses it."""

    company: TmuxCompany
    engine: Engine
    environ: Mapping[str, str]
    lang: str = "en"
    _orders: dict[Path, WorkerOrder] = field(default_factory=dict)
    _panes: dict[Path, str] = field(default_factory=dict)

    def job(self, **changes: Any) -> Job:
        """A job in the company's folders."""
        return make_job(self.company.root, self.engine.name, **{"environ": self.environ, **changes})

    def begin(self, job: Job, *, resume: bool = False) -> None:
        """Start it as the kernel does."""
        refusal = self.engine.prepare(job)
        assert refusal is None, refusal
        self.spawn(job, self.engine.resume(job) if resume else self.engine.start(job))

    def spawn(self, job: Job, launch: Launch) -> None:
        """Start what an engine described."""
        job.prompt_file.write_text(job.prompt, encoding="utf-8")
        environ = choose(job.environ, (*launch.pass_env, *job.agent.env), {**self._fixed(job), **launch.env})
        window = f"agent_ann_{len(self.company.tokens)}"
        order = self.company.order(
            ticket=job.ticket,
            attempt=job.attempt,
            window=window,
            token=job.token,
            run_dir=job.run_dir,
            workdir=job.workdir,
            launch=launch,
            environ=environ,
            stop_grace_seconds=GRACE,
        )
        self.company.tokens.append(job.token)
        self._orders[job.run_dir] = order
        self._panes[job.run_dir] = self.company.workers.spawn(order)

    def end(self, job: Job) -> None:
        """End its whole process tree."""
        self.company.end(self._orders[job.run_dir])

    def ended(self, job: Job) -> WorkerState:
        """Wait until its process has ended by itself."""
        return self.company.phase(self._orders[job.run_dir], WorkerPhase.EXITED)

    def done(self, job: Job) -> str:
        """Wait for DONE and return what it says."""
        done = job.outbox / "DONE"
        # A shell makes the file before it writes into it.
        return self.wait_for(job, lambda: done.exists() and done.read_text().strip(), "DONE")

    def signals(self, job: Job) -> list[Signal]:
        """What the engine has reported so far, in our vocabulary."""
        file = job.run_dir / "signals.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        read = [self.engine.read_signal(json.loads(line)) for line in lines]
        return [signal for signal in read if signal is not None]

    def signal(self, job: Job, kind: SignalKind, count: int = 1) -> Signal:
        """Wait for the `count`-th report of that kind."""

        def there() -> Signal | None:
            of_kind = [signal for signal in self.signals(job) if signal.kind is kind]
            return of_kind[count - 1] if len(of_kind) >= count else None

        return self.wait_for(job, there, kind)

    def screen(self, job: Job) -> str:
        """What the window shows."""
        return self.company.workers.tail(job.run_dir, self._panes[job.run_dir], 50)

    def picture(self, job: Job) -> str:
        """What the window shows, with the attributes of the characters."""
        return self.company.workers.picture(job.run_dir, self._panes[job.run_dir])

    def wait_for(self, job: Job, condition: Callable[[], T | bool | None], what: str) -> T:
        """Wait until the condition holds, and return what it gave; a failure shows the window."""
        try:
            return cast(T, until(condition, seconds=40, what=what))
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.screen(job)}") from None

    def _fixed(self, job: Job) -> dict[str, str]:
        return {
            "HC_ROOT": str(job.root),
            "HC_TICKET": job.ticket,
            "HC_AGENT": job.agent.name,
            "HC_ATTEMPT": str(job.attempt),
            "HC_RUN_DIR": str(job.run_dir),
            "HC_RUN_TOKEN": job.token,
            "HC_OUTBOX": str(job.outbox),
            "HC_WORKDIR": str(job.workdir),
            "HC_LANG": self.lang,
            "HC_FEEDBACK": job.feedback or "",
            "HC_DOORBELL": str(job.root / "doorbell"),
        }


def search_path(*first: Path) -> str:
    """PATH with some folders in front."""
    return os.pathsep.join([*map(str, first), os.environ["PATH"]])
