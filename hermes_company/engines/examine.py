"""Examining the engines that the company's agents work with, as far as that can be done without a model."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.settings import EngineSettings
from hermes_company.engines import claude_code, codex, hooks
from hermes_company.engines.registry import get_engine
from hermes_company.errors import Refusal
from hermes_company.ports.agents import AgentBook
from hermes_company.ports.doctor import Finding, Severity, bad, gather, well
from hermes_company.ports.engine import Engine, Job
from hermes_company.wording import Text, say

_ANSWER_SECONDS = 20
# Engines whose program says its version when it is asked like this, and does nothing else.
_TELLS_VERSION = {claude_code.NAME: "--version", codex.NAME: "--version"}
# One report that is turned into a signal by Python, one by the shell alone.
_TRIED_EVENTS = ("SessionStart", "PostToolUse")


class EngineExaminer:
    """`Examiner` of the engines in use.

    Args:
        engines: every engine that there is.
        agents: who works with them.
        settings_of: what company.yaml says of an engine.
        jobs: what an agent's next jobs would be, one a folder that it is to work in.
        environ: the orchestrator's environment.
    """

    def __init__(
        self,
        engines: Mapping[str, Engine],
        agents: AgentBook,
        *,
        settings_of: Callable[[str], EngineSettings],
        jobs: Callable[[Agent], Iterable[Job]],
        environ: Mapping[str, str],
    ) -> None:
        self._engines = engines
        self._agents = agents
        self._settings_of = settings_of
        self._jobs = jobs
        self._environ = environ

    def examine(self) -> Sequence[Finding]:
        """See `Examiner.examine`."""
        agents = [agent for agent in self._agents.all().values() if isinstance(agent, Agent)]
        used = list(dict.fromkeys(agent.engine for agent in agents))
        checks = [partial(self._check_engine, name, [a for a in agents if a.engine == name]) for name in used]
        return gather(*checks, *([self._check_hooks] if used else []))

    def _check_engine(self, name: str, agents: list[Agent]) -> Iterator[Finding]:
        try:
            engine = self._engines.get(name) or get_engine(name)
        except Refusal as problem:
            yield bad(problem)
            return
        ready = engine.check(self._settings_of(name), self._environ)
        if ready.refusal or ready.program is None:
            yield from [bad(ready.refusal)] if ready.refusal else []
            return
        yield self._version(name, ready.program)
        for agent in agents:
            yield from self._check_agent(engine, agent)

    def _version(self, engine: str, program: Path) -> Finding:
        option = _TELLS_VERSION.get(engine)
        if option is None:
            return well("engine", say("{engine}: {program}", engine=engine, program=program))
        status, said = self._ask(program, option)
        if status == 0:
            return well("engine", say("{engine}: {version}, {program}", engine=engine, version=said, program=program))
        return Finding(
            code="engine-does-not-start",
            severity=Severity.BAD,
            seen=say("{engine}: its program {program} does not start: {problem}", engine=engine, program=program, problem=said),
            remedy=say("Install it again, or name a working one in company.yaml as `engines.{engine}.command`.", engine=engine),
        )

    def _ask(self, program: Path, option: str) -> tuple[int, str]:
        """Exit status and first line of what it says. It gets a home of its own, so that it leaves nothing in the person's."""
        with tempfile.TemporaryDirectory(prefix="hc-doctor-") as home:
            env = {"PATH": self._environ.get("PATH", ""), "HOME": home}
            try:
                done = subprocess.run(
                    [program, option], cwd="/", env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_SECONDS
                )
            except (OSError, subprocess.TimeoutExpired) as problem:
                return 1, str(problem)
        said = done.stdout if done.returncode == 0 else done.stderr or done.stdout
        lines = said.decode("utf-8", "replace").strip().splitlines()
        return done.returncode, lines[0] if lines else str(done.returncode)

    def _check_agent(self, engine: Engine, agent: Agent) -> Iterator[Finding]:
        """Everything that its engine would stop at: each question once, in whichever of its folders."""
        problems = {str(p.fact): p for job in self._jobs(agent) if (p := engine.preflight(job))}
        for problem in problems.values():
            yield Finding(
                code=problem.code,
                severity=Severity.BAD,
                seen=say("{agent} can't start: {fact} {cause}", agent=agent.name, fact=problem.fact, cause=problem.cause),
                remedy=problem.remedy,
            )

    def _check_hooks(self) -> Iterator[Finding]:
        """Tried out outside of the company: what an engine calls to report must leave lines that can be read."""
        with tempfile.TemporaryDirectory(prefix="hc-doctor-") as folder:
            for name, text in hooks.files().items():
                Path(folder, name).write_text(text, encoding="utf-8")
            problem = next((p for event in _TRIED_EVENTS if (p := self._try_hook(event, Path(folder)))), None)
        if problem is None:
            yield well("hooks", say("What engines call to report works."))
            return
        yield Finding(
            code="hooks-broken",
            severity=Severity.WARN,
            seen=say("What engines call to report does not work: {problem}", problem=problem),
            remedy=say(
                "Tickets are finished all the same; their progress is not seen. Put `sh` and `date` on PATH, and install hc "
                "where the user who runs it may execute {python}.",
                python=hooks.env()["HC_PYTHON"],
            ),
        )

    def _try_hook(self, event: str, folder: Path) -> str | Text | None:
        """What is wrong with the report of that event; None when it arrives."""
        env = {"PATH": self._environ.get("PATH", ""), "HC_RUN_DIR": str(folder), "HC_OUTBOX": str(folder), **hooks.env()}
        words = ["/bin/sh", "-c", hooks.command(event)]
        try:
            done = subprocess.run(words, input=b"{}", cwd="/", env=env, capture_output=True, timeout=hooks.TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as problem:
            return str(problem)
        if done.returncode != 0:
            return done.stderr.decode("utf-8", "replace").strip()[-300:] or str(done.returncode)
        report = json.loads((folder / "signals.jsonl").read_text(encoding="utf-8").splitlines()[-1])
        signal = hooks.read_signal(report)
        arrived = signal is not None and signal.kind is hooks.KINDS[event]
        return None if arrived else say("{event} left no line that can be read", event=event)
