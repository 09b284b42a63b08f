"""What a person does to memory and skills by hand: checked before anything is changed, and recorded in their history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hermes_company.cli.door import Door
from hermes_company.domain.names import is_ticket_id
from hermes_company.errors import Refusal
from hermes_company.userspace.memory.git import GitFailed
from hermes_company.userspace.memory.note import Note
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


def require_notes(company: Company, ids: Iterable[str]) -> None:
    """Make sure that there is a note of each id.

    Raises:
        Refusal: `note-unknown`.
    """
    for note_id in ids:
        if not is_ticket_id(note_id) or not company.notes.named(note_id):
            raise Refusal(
                "note-unknown",
                fact=say("There is no note {id}.", id=note_id),
                cause=say("Nothing was changed: it may be misspelt."),
                remedy=say("`hc memory list` shows the ids; `hc memory explain TICKET` those that a ticket has to do with."),
            )


def record(door: Door, subject: str) -> None:
    """Put what was changed into the history, where there is one."""
    try:
        door.company.history.record(subject)
    except GitFailed as problem:
        door.warn(say("It is done, but not in the history yet: {problem}", problem=str(problem)))


def note_rows(notes: Sequence[Note]) -> list[tuple[str, ...]]:
    """One row a note: its status, id, kind, whose it is, its day and title."""
    return [(note.status.value, note.id, note.kind.value, note.agent, note.created, note.title) for note in notes]


def note_json(note: Note) -> dict[str, object]:
    """One note for `--json`."""
    return {
        "id": note.id,
        "kind": note.kind.value,
        "agent": note.agent,
        "ticket": note.ticket,
        "title": note.title,
        "status": note.status.value,
        "outcome": note.outcome,
        "created": note.created,
        "expires": note.expires,
        "seen_in": list(note.seen_in),
        "helpful": note.helpful,
        "harmful": note.harmful,
        "path": str(note.path),
    }
