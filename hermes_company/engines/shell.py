"""The shell engine: runs a ticket's fenced `sh` blocks in order. For deterministic chores; needs no model."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal
from hermes_company.engines import hooks, sandbox
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job, Launch, Readiness
from hermes_company.wording import say

NAME = "shell"
# The word behind the fence → the program that runs the block.
_SHELLS = {"sh": "sh", "shell": "sh", "bash": "bash"}
_FENCES = ("```", "~~~")


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a ticket."""

    # The first word behind the fence, in small letters.
    word: str
    text: str
    # 1-based line of its fence in the ticket's body.
    line: int
    closed: bool

    @property
    def shell(self) -> str | None:
        """The program that runs it; None for what is only shown."""
        return _SHELLS.get(self.word)


class Shell:
    """See `Engine`."""

    name = NAME
    runner = "shell_runner.md"
    resumes = False

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`."""
        return Readiness(program=Path(sys.executable))

    def preflight(self, job: Job) -> Refusal | None:
        """See `Engine.preflight`."""
        return sandbox.unknown_to(NAME, job)

    prepare = preflight

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """See `Engine.consents`."""
        return ()

    def grant(self, consents: Iterable[Consent]) -> None:
        """See `Engine.grant`."""

    def start(self, job: Job) -> Launch:
        """See `Engine.start`.

        Raises:
            Refusal: `shell-no-block`, `shell-block-open`, `shell-missing`.
        """
        blocks = _to_run(job)
        scripts = {f"block-{number:03}.{block.shell}": block.text for number, block in enumerate(blocks, start=1)}
        worker = Path(__file__).with_name("shell_worker.py")
        return Launch(
            argv=(sys.executable, "-I", "-S", str(worker)),
            prompt_as_argument=False,
            env=hooks.env(),
            files={**hooks.files(), **scripts},
        )

    # The blocks run again; what the reviewer wrote is in HC_FEEDBACK.
    resume = start

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """See `Engine.read_signal`."""
        return hooks.read_signal(line)


def fenced_blocks(body: str) -> list[Block]:
    """Every fenced block of a Markdown text, in order, those inside of lists too. What is quoted (`> `) is none."""
    blocks: list[Block] = []
    fence, word, start, indent = "", "", 0, 0
    text: list[str] = []
    for number, line in enumerate(body.replace("\r\n", "\n").split("\n"), start=1):
        mark = _fence(line)
        if not fence and mark:
            fence, start, text = mark, number, []
            word = (line.strip()[len(mark) :].split() or [""])[0].casefold()
            indent = len(line) - len(line.lstrip())
        elif fence and mark.startswith(fence) and line.strip() == mark:
            blocks.append(Block(word, "\n".join([*text, ""]), start, closed=True))
            fence = ""
        else:
            text.append(line[indent:] if not line[:indent].strip() else line.lstrip())
    return [*blocks, Block(word, "\n".join([*text, ""]), start, closed=False)] if fence else blocks


def _fence(line: str) -> str:
    """The row of back-ticks or tildes that a line opens or closes a block with; empty for other lines."""
    stripped = line.strip()
    if not stripped.startswith(_FENCES):
        return ""
    mark = stripped[: len(stripped) - len(stripped.lstrip(stripped[0]))]
    code_in_a_line = mark[0] == "`" and "`" in stripped[len(mark) :]
    return "" if code_in_a_line else mark


def _to_run(job: Job) -> list[Block]:
    blocks = fenced_blocks(job.body)
    if blocks and not blocks[-1].closed:
        raise Refusal(
            "shell-block-open",
            fact=say("The block in line {line} of ticket {ticket} has no end.", line=blocks[-1].line, ticket=job.ticket),
            cause=say("What was meant to run can't be told from what was not."),
            remedy=say("Close the block with ``` on a line of its own."),
        )
    wanted = [block for block in blocks if block.shell]
    if not wanted:
        raise Refusal(
            "shell-no-block",
            fact=say("Ticket {ticket} has no fenced `sh` or `bash` block.", ticket=job.ticket),
            cause=say("The shell engine runs nothing else."),
            remedy=say("Put the commands between ```sh and ```, or give the ticket to an agent with another engine."),
        )
    from shutil import which

    for block in wanted:
        if which(block.shell or "", path=job.environ.get("PATH", "")) is None:
            raise Refusal(
                "shell-missing",
                fact=say(
                    "The program `{shell}` for the block in line {line} was not found.", shell=block.shell, line=block.line
                ),
                cause=say("The block can't be run."),
                remedy=say("Install it, or write the block for `sh`."),
            )
    return wanted
