"""Any other command line tool, from an agent's profile.json alone: OpenCode, Gemini CLI, aider, a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from hermes_company.domain.custom import CustomCommand, fill
from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal
from hermes_company.engines import hooks, sandbox
from hermes_company.engines.programs import home
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job, Launch, Readiness
from hermes_company.wording import say

NAME = "custom"
# Linux passes at most 128 KiB in one word of a command line.
_LONGEST_PROMPT_WORD = 100_000


class Custom:
    """See `Engine`. The program runs below `custom_worker.py`, which reports for it and looks at how it ended."""

    name = NAME
    runner = "custom_runner.md"
    resumes = True

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`. Each agent has a program of its own; `preflight` looks for it."""
        return Readiness(program=Path(sys.executable))

    def preflight(self, job: Job) -> Refusal | None:
        """See `Engine.preflight`."""
        try:
            _program(job, _custom(job))
        except Refusal as problem:
            return problem
        return sandbox.unknown_to(NAME, job)

    prepare = preflight

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """See `Engine.consents`. What the program asks, its own flags have to answer."""
        return ()

    def grant(self, consents: Iterable[Consent]) -> None:
        """See `Engine.grant`."""

    def start(self, job: Job) -> Launch:
        """See `Engine.start`.

        Raises:
            Refusal: `custom-no-command`, `custom-program-missing`.
        """
        custom = _custom(job)
        return _launch(job, custom, custom.command)

    def resume(self, job: Job) -> Launch:
        """See `Engine.resume`.

        Raises:
            Refusal: as `start`; `custom-no-resume`: its profile does not say how.
        """
        custom = _custom(job)
        if not custom.resume:
            raise Refusal(
                "custom-no-resume",
                fact=say("The profile of {agent} has no `custom.resume`.", agent=job.agent.name),
                cause=say("Its program can't go on in a conversation; the prompt says only what is new."),
                remedy=say("Move the ticket to todo: it begins anew there. Or add `custom.resume`."),
            )
        return _launch(job, custom, custom.resume)

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """See `Engine.read_signal`."""
        return hooks.read_signal(line)


def _custom(job: Job) -> CustomCommand:
    if job.agent.custom is None:
        raise Refusal(
            "custom-no-command",
            fact=say("The profile of {agent} has no `custom.command`.", agent=job.agent.name),
            cause=say("There is no program to start."),
            remedy=say("Say it in agents/{agent}/profile.json; docs/how-to/use-any-cli.md shows how.", agent=job.agent.name),
        )
    return job.agent.custom


def _launch(job: Job, custom: CustomCommand, words: tuple[str, ...]) -> Launch:
    command = {"argv": [_program(job, custom, words[0]), *_filled(job, words[1:])], "done": custom.done.value}
    return Launch(
        argv=(sys.executable, "-I", "-S", str(Path(__file__).with_name("custom_worker.py"))),
        prompt_as_argument=False,
        env={**custom.env, **hooks.env()},
        files={**hooks.files(), "command.json": json.dumps(command, ensure_ascii=False)},
    )


def _filled(job: Job, words: Iterable[str]) -> list[str]:
    prompt = job.prompt
    if len(prompt.encode()) > _LONGEST_PROMPT_WORD:
        prompt = f"Read the whole file {job.prompt_file} now and carry out what it says."
    values = {
        "prompt": prompt,
        "prompt_file": str(job.prompt_file),
        "session_id": job.session_id,
        "outbox": str(job.outbox),
        "workdir": str(job.workdir),
        "model": job.agent.model or "",
    }
    return [fill(word, values) for word in words]


def _program(job: Job, custom: CustomCommand, word: str = "") -> str:
    """The absolute path of the program that a command begins with. A relative path is meant from the company's root.

    Raises:
        Refusal: `custom-program-missing`.
    """
    from shutil import which  # not above: with its archive formats it costs more than all of the engines

    word = word or custom.command[0]
    environ = {**job.environ, **custom.env}
    path = home(environ) / word[2:] if word.startswith("~/") else job.root / word
    found = which(str(path) if "/" in word else word, path=environ.get("PATH", ""))
    if found is None:
        raise Refusal(
            "custom-program-missing",
            fact=say("The program `{program}` of agent {agent} was not found.", program=word, agent=job.agent.name),
            cause=say("The agent can't work."),
            remedy=say("Install it, or correct `custom.command` in agents/{agent}/profile.json.", agent=job.agent.name),
        )
    return str(Path(found).absolute())
