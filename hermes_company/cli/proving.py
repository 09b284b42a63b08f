"""`hc doctor --engine X --live`: the engine does one real turn, started as for a ticket, on a tmux server of its own.

What it reports is held against what was asked: that its hooks fire, that the prompt arrived as it is, that the conversation
has the id by which it can be resumed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.agent import Agent
from hermes_company.domain.environment import choose
from hermes_company.domain.redaction import redact
from hermes_company.domain.run import WorkerPhase
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.engines.registry import get_engine
from hermes_company.engines.screens import SCREENS
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.doctor import Finding, Severity, bad, well
from hermes_company.ports.screens import Look, Shown
from hermes_company.ports.workers import EndProgress, WorkerOrder
from hermes_company.terminal.session import NotThere
from hermes_company.terminal.workers import TmuxWorkers
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.ports.engine import Engine, Job

_TICKET = "DOCTOR"
# Codex chooses the conversation's id itself and tells it.
_PINNED_BY_US = ("claude-code",)
_TAIL_LINES = 12
_LOOK_SECONDS = 0.2
_SCREEN_SECONDS = 3.0
_GRACE_SECONDS = 5.0
_LONGEST_END_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long what is waited for, in seconds."""

    # The first report of a hook.
    report: float = 45.0
    # After it, the end of the turn: a model may be slow, and an engine tries again by itself.
    turn: float = 180.0


def prove(company: Company, name: str, patience: Patience | None = None) -> list[Finding]:
    """What a real turn of that engine shows. Asks the person's model once, as their login or key pays for it.

    Raises:
        Refusal: `engine-unknown`, `engine-not-provable`.
    """
    engine = company.engines.get(name) or get_engine(name)
    if name not in SCREENS:
        raise Refusal(
            "engine-not-provable",
            fact=say("{engine} has no conversation that could be proved by a turn.", engine=name),
            cause=say("A live check asks a model once and looks at what the engine reports of it."),
            remedy=say("These can be proved: {known}.", known=", ".join(sorted(SCREENS))),
        )
    try:
        with _place(company, engine) as (job, workers):
            return _Trial(company, engine, job, workers, patience or Patience()).run()
    except Refusal as problem:
        return [bad(problem)]


@contextmanager
def _place(company: Company, engine: Engine) -> Iterator[tuple[Job, TmuxWorkers]]:
    """A folder that the engine asks nothing about, and a tmux server; both are gone afterwards.

    Raises:
        Refusal: what would keep the engine from starting there.
    """
    with tempfile.TemporaryDirectory(prefix="hc-doctor-") as scratch, _workdir(company, engine) as workdir:
        job = _job(company, engine, Path(scratch), workdir)
        settings = replace(company.settings.tmux, socket=f"hc-doctor-{os.getpid()}", session="doctor")
        workers = TmuxWorkers(
            settings,
            company=f"doctor-{os.getpid()}",
            config=job.root / "tmux.conf",
            log=job.root / "doctor.log",
            doorbell=job.root / "doorbell",
            clock=company.clock,
            environ=company.environ,
            lang=company.settings.lang,
        )
        (job.root / "doctor.log").touch()
        workers.prepare()
        try:
            yield job, workers
        finally:
            _end(workers, job)


@contextmanager
def _workdir(company: Company, engine: Engine) -> Iterator[Path]:
    """A new folder below one that an agent of that engine works in: what is trusted there is trusted here.

    Raises:
        Refusal: the first thing that it would ask, wherever it is started.
    """
    refused: Refusal | None = None
    for base in (*_trusted(company, engine), Path(tempfile.gettempdir())):
        with tempfile.TemporaryDirectory(prefix=".hc-doctor-", dir=base, ignore_cleanup_errors=True) as folder:
            refusal = engine.preflight(_job(company, engine, Path(folder), Path(folder)))
            if refusal is None:
                yield Path(folder)
                return
            refused = refused or refusal
    if refused:
        raise refused


def _trusted(company: Company, engine: Engine) -> Iterator[Path]:
    """The outbox of an agent that works with it: `hc agent prepare` asks for that one, before there is anything in it."""
    agent = _agent(company, engine)
    if agent.name in company.agents.all():
        outbox = company.layout.outbox_root / agent.name
        outbox.mkdir(exist_ok=True)
        yield outbox


def _agent(company: Company, engine: Engine) -> Agent:
    """Somebody who works with that engine, with their model and words; nobody in particular where nobody does."""
    agents = [agent for agent in company.agents.all().values() if isinstance(agent, Agent) and agent.engine == engine.name]
    return agents[0] if agents else Agent(name="doctor", engine=engine.name)


def _job(company: Company, engine: Engine, scratch: Path, workdir: Path) -> Job:
    words = say("This is a check of the installation. Answer with the single word OK; use no tools and change nothing.")
    run_dir = Layout(scratch).run(_TICKET, 1)
    return replace(
        company.job_for(_agent(company, engine), workdir),
        ticket=_TICKET,
        attempt=1,
        token=f"hc-{secrets.token_hex(8)}",
        session_id=str(uuid.uuid4()),
        root=scratch,
        run_dir=run_dir,
        outbox=scratch,
        prompt=words.in_lang(company.settings.lang),
        prompt_file=run_dir / "prompt.md",
    )


def _end(workers: TmuxWorkers, job: Job) -> None:
    deadline = time.monotonic() + _LONGEST_END_SECONDS
    while workers.end(job.run_dir, job.token) is not EndProgress.ENDED and time.monotonic() < deadline:
        time.sleep(_LOOK_SECONDS)
    with suppress(NotThere, Refusal):
        workers.tmux.ask(("kill-server",))
    workers.tmux.socket_path.unlink(missing_ok=True)


class _Trial:
    """One turn, from its start to what there is to say of it."""

    def __init__(self, company: Company, engine: Engine, job: Job, workers: TmuxWorkers, patience: Patience) -> None:
        self._company = company
        self._engine = engine
        self._job = job
        self._workers = workers
        self._patience = patience
        self._runs = RunFiles(Layout(job.root))
        self._pane = ""
        self._looked = 0.0
        self._reported: float | None = None
        self._look = Look(shown=Shown.UNKNOWN)

    def run(self) -> list[Finding]:
        """Start it, wait until its turn is over or will never be, and judge what it reported."""
        began = time.monotonic()
        self._start()
        while not self._over(time.monotonic() - began):
            time.sleep(_LOOK_SECONDS)
        return list(self._judge(time.monotonic() - began))

    def _start(self) -> None:
        job = self._job
        job.run_dir.mkdir(mode=0o700, parents=True)
        job.prompt_file.write_text(job.prompt, encoding="utf-8")
        # As if it had been asked for its deliverables twice: this turn hands nothing in.
        (job.run_dir / "nudges").write_bytes(b"..")
        refusal = self._engine.prepare(job)
        if refusal:
            raise refusal
        launch = self._engine.start(job)
        fixed = {
            "HC_ROOT": str(job.root),
            "HC_TICKET": job.ticket,
            "HC_AGENT": job.agent.name,
            "HC_ATTEMPT": str(job.attempt),
            "HC_RUN_DIR": str(job.run_dir),
            "HC_RUN_TOKEN": job.token,
            "HC_OUTBOX": str(job.outbox),
            "HC_WORKDIR": str(job.workdir),
            "HC_LANG": self._company.settings.lang,
        }
        order = WorkerOrder(
            run_dir=job.run_dir,
            window="agent_doctor",
            token=job.token,
            workdir=job.workdir,
            launch=launch,
            environ=choose(job.environ, (*launch.pass_env, *job.agent.env), {**fixed, **launch.env}),
            stop_grace_seconds=_GRACE_SECONDS,
        )
        self._pane = self._workers.spawn(order)

    def _signals(self) -> Sequence[Signal]:
        return self._runs.signals(self._job.ticket, self._job.attempt, self._engine)

    def _over(self, seconds: float) -> bool:
        signals = self._signals()
        if any(signal.ends_work or signal.kind is SignalKind.TURN_FAILED for signal in signals):
            return True
        if self._workers.state(self._job.run_dir).phase in (WorkerPhase.EXITED, WorkerPhase.VANISHED):
            return True
        submitted = any(signal.kind is SignalKind.PROMPT_SUBMITTED for signal in signals)
        if not submitted and seconds - self._looked >= _SCREEN_SECONDS:
            self._looked = seconds
            self._look = SCREENS[self._engine.name].look(self._workers.picture(self._job.run_dir, self._pane))
        if not submitted and self._look.shown is Shown.DIALOG:
            return True
        if signals and self._reported is None:
            self._reported = seconds
        last = self._patience.report if self._reported is None else self._reported + self._patience.turn
        return seconds >= last

    def _judge(self, seconds: float) -> Iterator[Finding]:
        signals = self._signals()
        prompt = next((signal for signal in signals if signal.kind is SignalKind.PROMPT_SUBMITTED), None)
        failed = next((signal for signal in signals if signal.kind is SignalKind.TURN_FAILED), None)
        ended = any(signal.kind is SignalKind.TURN_ENDED for signal in signals)
        if prompt is None:
            yield self._not_submitted(signals)
        elif failed:
            fact = say("{engine}: its turn failed ({error}).", engine=self._engine.name, error=failed.error or "?")
            yield self._bad(
                "live-turn-failed", fact, say("Look at its login, its limits and its model.{tail}", tail=self._tail())
            )
        elif not ended:
            fact = say("{engine}: no end of its turn was reported within {seconds:.0f} s.", **self._after(seconds))
            yield self._bad("live-no-end", fact, say("Look at its login, its limits and its model.{tail}", tail=self._tail()))
        else:
            yield from self._proved(prompt, signals, seconds)

    def _proved(self, prompt: Signal, signals: Sequence[Signal], seconds: float) -> Iterator[Finding]:
        wanted = hashlib.sha256(self._job.prompt.encode()).hexdigest()
        sessions = {signal.session_id for signal in signals if signal.session_id}
        pinned = self._job.session_id in sessions or self._engine.name not in _PINNED_BY_US
        if prompt.prompt_sha256 != wanted:
            fact = say("{engine}: the prompt did not arrive as it was given.", engine=self._engine.name)
            yield self._bad("live-prompt-altered", fact, say("Install a version that takes its prompt as it is."))
        if len(sessions) != 1 or not pinned:
            fact = say("{engine}: the conversation has not the one id that it can be resumed by.", engine=self._engine.name)
            yield self._bad(
                "live-session-not-pinned", fact, say("Feedback would begin new conversations; install another version.")
            )
        if prompt.transcript is None or not Path(prompt.transcript).is_file():
            fact = say("{engine}: its transcript is not where it says.", engine=self._engine.name)
            remedy = say("Tickets are finished all the same; their tokens are not counted.")
            yield Finding(code="live-no-transcript", severity=Severity.WARN, seen=fact, remedy=remedy)
        if prompt.prompt_sha256 == wanted and len(sessions) == 1 and pinned:
            proof = say(
                "{engine} did one turn in {seconds:.1f} s: its hooks report, its prompt arrives, its conversation is pinned.",
                **self._after(seconds),
            )
            yield well("live", proof)

    def _not_submitted(self, signals: Sequence[Signal]) -> Finding:
        if self._look.shown is Shown.DIALOG:
            fact = say("{engine} asks {asks}, and waits.", engine=self._engine.name, asks=self._look.asks or "")
            return self._bad(
                "live-asks", fact, say("Start it yourself in {folder} and answer.", folder=self._job.workdir.parent)
            )
        worker = self._workers.state(self._job.run_dir)
        if worker.phase in (WorkerPhase.EXITED, WorkerPhase.VANISHED):
            fact = say("{engine} ended at once, with status {code}.", engine=self._engine.name, code=worker.exit_code)
            return self._bad("live-ended", fact, say("Start it yourself, to see why.{tail}", tail=self._tail()))
        if signals:
            fact = say("{engine} started, but did not report its prompt.", engine=self._engine.name)
            return self._bad("live-not-submitted", fact, say("Start it yourself, to see why.{tail}", tail=self._tail()))
        fact = say("{engine}: no hook has fired.", engine=self._engine.name)
        remedy = say(
            "Tickets are finished all the same, but their progress is not seen. Let its settings allow hooks.{tail}",
            tail=self._tail(),
        )
        return self._bad("live-hooks-silent", fact, remedy)

    def _after(self, seconds: float) -> dict[str, object]:
        return {"engine": self._engine.name, "seconds": seconds}

    def _bad(self, code: str, fact: Text, remedy: Text) -> Finding:
        return Finding(code=code, severity=Severity.BAD, seen=fact, remedy=remedy)

    def _tail(self) -> str:
        """What its window showed last."""
        lines = self._workers.tail(self._job.run_dir, self._pane, 60).splitlines()
        shown = [line.rstrip() for line in lines if line.strip(" ─")][-_TAIL_LINES:]
        return "".join(f"\n    {line}" for line in redact("\n".join(shown)).text.splitlines())
