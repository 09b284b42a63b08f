"""Which notes an attempt's agent was told, as the attempt's own record says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_company.domain.names import is_ticket_id
from hermes_company.userspace.files import Unreadable, read_text

if TYPE_CHECKING:
    from hermes_company.ports.runs import Runs

_MOST_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class ToldNote:
    """A note that stood in a prompt, and the ticket that it comes from."""

    id: str
    source: str


class ToldNotes:
    """What prompts carried, from `injected.json` beside the records of attempts.

    Args:
        runs: the records.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def __call__(self, ticket: str, attempt: int) -> tuple[ToldNote, ...] | None:
        """All that was told in the attempt's conversation, which may have begun with an earlier one; None: no record of it."""
        found: dict[str, ToldNote] = {}
        recorded = False
        earlier = {run.number: run.resumes for run in self._runs.history(ticket)}
        number: int | None = attempt
        # A record can't name a later attempt; one that somebody made up must not lead round in a circle.
        while number is not None:
            memories = self._read(ticket, number)
            recorded |= memories is not None
            found |= {note.id: note for note in _notes(memories or [])}
            before = earlier.get(number)
            number = before if before is not None and before < number else None
        return tuple(found.values()) if recorded else None

    def _read(self, ticket: str, number: int) -> list[Any] | None:
        try:
            raw = json.loads(read_text(self._runs.folder(ticket, number) / "injected.json", _MOST_BYTES))
        except (FileNotFoundError, Unreadable, ValueError):
            return None
        memories = raw.get("memories") if isinstance(raw, Mapping) else None
        return memories if isinstance(memories, list) else None


def _notes(memories: list[Any]) -> Iterator[ToldNote]:
    for item in memories:
        if isinstance(item, Mapping) and is_ticket_id(str(item.get("id"))):
            yield ToldNote(str(item["id"]), str(item.get("source") or ""))
