"""The event log: what happened, once, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One line of `logs/events.jsonl`."""

    seq: int
    # ISO 8601, UTC.
    at: str
    # Dotted: `ticket.moved`, `attempt.started`, …
    kind: str
    ticket: str | None = None
    agent: str | None = None
    attempt: int | None = None
    data: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """An event that is still to be written."""

    kind: str
    ticket: str | None = None
    agent: str | None = None
    attempt: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


class Events(Protocol):
    """Append and read events. Exactly one process appends at a time (the holder of the company's lock) or under it."""

    def append(
        self,
        kind: str,
        *,
        ticket: str | None = None,
        agent: str | None = None,
        attempt: int | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Event:
        """Write one event durably and return it with its `seq`."""

    def append_all(self, drafts: Sequence[Draft]) -> None:
        """Write several events durably, in this order, at the cost of one."""

    def after(self, seq: int) -> Iterator[Event]:
        """Every event with a greater `seq`, oldest first. A torn last line is not an event yet."""
