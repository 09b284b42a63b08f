"""What agents do in the end-to-end tests: one description, carried out by a model's tool calls or by the shell engine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.scripted_model import Run, Say, Step, Turn, Write

# Waits until the test opens the gate.
GATE = '[ -p "$HC_OUTBOX/gate" ] || mkfifo "$HC_OUTBOX/gate"; read -r _ < "$HC_OUTBOX/gate"'


@dataclass(frozen=True)
class Chore:
    """One ticket's work.

    Args:
        ticket: its id.
        commands: what is run, in order; they see the run's HC_ variables.
        summary: what is handed in after them.
        then: what the model says at the end.
    """

    ticket: str
    commands: tuple[str, ...] = ()
    summary: str = "## Steps\n\n- Did it.\n"
    then: str = "Handed in."

    def script(self) -> list[Step]:
        """For the model, which hands in where and with what the prompt says."""
        return [*map(Run, self.commands), self._summary, _done, Say(self.then)]

    def install(self, programs: Path) -> None:
        """For the shell engine: a program of the ticket's name, so that nothing of it stands in the ticket."""
        programs.mkdir(exist_ok=True)
        (programs / f"{self.ticket}.summary").write_text(self.summary, encoding="utf-8")
        hand_in = f'cp "{programs}/{self.ticket}.summary" "$HC_OUTBOX/summary.md"'
        program = programs / self.ticket
        program.write_text("\n".join(["#!/bin/sh", "set -eu", *self.commands, hand_in, ""]), encoding="utf-8")
        program.chmod(0o755)

    def asked(self, text: str) -> str:
        """The ticket's text, with the block that the shell engine runs."""
        return f"{text}\n\n```sh\n{self.ticket}\n```\n"

    def _summary(self, turn: Turn) -> Write:
        return Write(told(turn, r"`(/\S+/summary\.md)`"), self.summary)


def plan(chores: Iterable[Chore]) -> dict[str, list[Step]]:
    """The model's plan: the DONE that a prompt asks for tells the ticket; chores of one ticket follow each other."""
    scripts: dict[str, list[Step]] = {}
    for chore in chores:
        scripts.setdefault(f"/{chore.ticket}/DONE", []).extend(chore.script())
    return scripts


def told(turn: Turn, pattern: str) -> str:
    """The first group of the pattern in what the model was told last."""
    found = re.search(pattern, turn.prompts[-1], re.MULTILINE)
    if found is None:
        raise LookupError(f"no {pattern!r} in {turn.prompts[-1]!r}")
    return found[1]


def _done(turn: Turn) -> Write:
    return Write(told(turn, r"`(/\S+/DONE)`"), told(turn, r"^ +(hc-[0-9a-f]+)$") + "\n")
