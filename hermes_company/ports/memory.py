"""Recall and learning, as the rest of the house sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hermes_company.domain.agent import Agent
    from hermes_company.domain.ticket import Ticket
    from hermes_company.ports.events import Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """One remembered item that is relevant to a ticket."""

    # Stable id of the note, e.g. `TASK-001` or `L-1a2b3c4d`.
    id: str
    kind: str  # experience | lesson | pattern
    # Absolute path of the whole note.
    path: str
    # Ticket it was learned in, and when (ISO date).
    source: str
    date: str
    # Why it may be told, in the company's language: its ticket was accepted, …
    standing: str = ""
    text: str
    score: float
    terms: tuple[str, ...]


class Retriever(Protocol):
    """What is worth knowing for a ticket."""

    def recall(self, ticket: Ticket, agent: Agent, *, project: str | None) -> Sequence[Recalled]:
        """Relevant items, best first, already within the budget; empty when nothing passes the gate."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillEntry:
    """One company skill that fits a ticket: shown in the prompt by name, use and path."""

    name: str
    description: str
    path: str


class SkillFinder(Protocol):
    """Company skills that fit a ticket."""

    def skills_for(self, ticket: Ticket, agent: Agent) -> Sequence[SkillEntry]:
        """Best first, at most five; skills the ticket or the agent names come first."""


class Program(Protocol):
    """A userspace program: reads the folders and the event log, writes files. A failure of it never holds a ticket up."""

    name: str

    def handle(self, event: Event) -> None:
        """Take note of one event. Must be idempotent: after a crash the same event comes again."""
