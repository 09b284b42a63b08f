"""The records of attempts and what agents leave in their outbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from hermes_company.domain.breaker import EngineNote
from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import Signal
from hermes_company.ports.engine import Engine, Narrator


@dataclass(frozen=True, kw_only=True, slots=True)
class TicketNote:
    """What the kernel remembers of a ticket beyond its attempts: `.hc/runs/<ticket>/ticket.json`."""

    # Attempts up to this number no longer count as retries (a person sent the ticket back to work).
    forgiven: int = 0
    # Conversations of attempts up to this number are not resumed (a person wants it done from the beginning).
    anew: int = 0
    # Not before this moment (retry pause, engine limit).
    retry_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Damaged:
    """An attempt whose record cannot be read."""

    ticket: str
    number: int
    problem: str


class Runs(Protocol):
    """`.hc/runs` and `.hc/open`."""

    def open(self, attempt: Attempt) -> None:
        """Record the intent of a new attempt.

        Raises:
            FileExistsError: an attempt of that number is recorded.
        """

    def save(self, attempt: Attempt) -> None:
        """Replace the attempt's record."""

    def close(self, attempt: Attempt) -> None:
        """Replace the record by its final form and take it off the list of open ones."""

    def forget(self, attempt: Attempt) -> None:
        """Undo `open`: the claim never happened. The number is free again."""

    def opened(self) -> Sequence[Attempt | Damaged]:
        """Every attempt on the list of open ones. After a crash a closed one may still be listed: close it again."""

    def history(self, ticket: str) -> Sequence[Attempt]:
        """The ticket's readable attempts, oldest first."""

    def next_number(self, ticket: str) -> int:
        """One more than the highest number used."""

    def note(self, ticket: str) -> TicketNote:
        """What is remembered of the ticket."""

    def remember(self, ticket: str, note: TicketNote) -> None:
        """Replace what is remembered of the ticket."""

    def engine(self, name: str) -> EngineNote:
        """What is remembered of an engine's failures."""

    def remember_engine(self, name: str, note: EngineNote) -> None:
        """Replace what is remembered of the engine."""

    def folder(self, ticket: str, number: int) -> Path:
        """The attempt's folder, mode 0700."""

    def stamp(self, ticket: str, number: int) -> int:
        """Changes when a file comes into the attempt's folder or goes (a request to stop, the exit record); nanoseconds."""

    def write(self, ticket: str, number: int, name: str, text: str) -> Path:
        """Put a file beside the record (0600)."""

    def signals(self, ticket: str, number: int, engine: Engine) -> Sequence[Signal]:
        """What the engine reported so far, oldest first. A torn last line is not a signal yet."""

    def told(self, ticket: str, number: int, path: str, engine: Narrator) -> Sequence[Signal]:
        """What the transcript at `path` says besides, oldest first; of a conversation that goes on, also what was before."""

    def stop_asked(self, ticket: str, number: int) -> str | None:
        """The reason of a person's request to stop this attempt, if there is one."""

    def feedback(self, ticket: str, number: int) -> str | None:
        """A reviewer's words on this attempt, if there are any."""

    def blamed(self, ticket: str, number: int) -> Sequence[str]:
        """The ids of notes that misled this attempt's agent, as the reviewer says who sent it back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Markers:
    """What lies in an outbox, looked at without following links."""

    # DONE is there and is not another attempt's.
    done: bool = False
    # BLOCKED is there: its text (capped), never empty.
    blocked: str | None = None
    # summary.md has content.
    summary: bool = False
    # Names of these three that lie there and are no regular files: they count for nothing.
    odd: tuple[str, ...] = ()


class Outbox(Protocol):
    """`outbox/<agent>/<ticket>`."""

    def folder(self, agent: str, ticket: str) -> Path:
        """Its absolute path."""

    def begin(self, agent: str, ticket: str, number: int, *, resuming: bool) -> Path:
        """Put what earlier attempts left aside (`.attempts/<n>/`) and return the ready folder. Nothing is deleted.

        A resumed conversation keeps its files; only its DONE, BLOCKED and summary.md are put aside.
        """

    def stamp(self, agent: str, ticket: str) -> int:
        """Changes when a file comes into the folder or goes (DONE, BLOCKED); nanoseconds."""

    def last_change(self, folder: Path) -> int:
        """The newest time stamp of the files in a folder (outbox or workdir) and a bounded way below it; nanoseconds."""

    def last_summary(self, agent: str, ticket: str) -> Path | None:
        """The newest summary.md that `begin` put aside."""

    def not_found(self, patterns: Sequence[str], folders: Sequence[Path]) -> tuple[str, ...]:
        """The patterns (`domain/expecting.py`) that match nothing in any of these folders. Looks a bounded way."""

    def has_bare_summary(self, agent: str, ticket: str) -> bool:
        """Whether summary.md has headings and no word below them."""

    def markers(self, agent: str, ticket: str, token: str) -> Markers:
        """What the agent has left so far."""
