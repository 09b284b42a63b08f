"""What needs a person's yes: questions of agents in the middle of their work, and the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A person's word."""

    given: bool
    words: str = ""
    by: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What the guard has asked for an agent. Secrets are taken out of it."""

    ticket: str
    number: int
    # The attempt that asked it last.
    attempt: int
    rule: str
    # The command as the guard has understood it, and the folder that it would run in (None: not known).
    what: str
    folder: str | None
    # The whole call that it stands in.
    call: str
    at: datetime
    # Until then the call waits.
    until: datetime
    # Names the command for an approval that is given for good.
    anywhere: str
    answer: Answer | None = None
    # Whether the call went on with the answer.
    taken: bool = False

    @property
    def id(self) -> str:
        return f"{self.ticket}/{self.number}"


@dataclass(frozen=True, slots=True)
class Notice:
    """An answer that the loop has not told and delivered yet."""

    path: Path
    # Of the event that tells of it.
    kind: str
    ticket: str
    # Of the question; None where the answer is about the ticket itself.
    number: int | None
    data: Mapping[str, Any]


class Questions(Protocol):
    """Questions and answers on disk."""

    def of(self, ticket: str) -> Sequence[Question]:
        """Every question about that ticket, oldest first."""

    def notices(self) -> Sequence[Notice]:
        """What the loop has not told and delivered yet, oldest first. Cheap while there is nothing."""

    def drop(self, notice: Notice) -> None:
        """It is told and delivered."""
