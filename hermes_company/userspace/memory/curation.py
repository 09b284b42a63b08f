"""What a person may do with notes by hand: look through them, lay blame, hold one back, let it go, forget a ticket's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hermes_company.userspace.files import Finding, Unreadable
from hermes_company.userspace.memory.approval import blame
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook

__all__ = ["blame", "list_notes", "purge", "quarantine", "release"]


def list_notes(
    book: NoteBook, *, agent: str | None = None, kind: Kind | None = None, status: Status | None = None
) -> tuple[list[Note], list[Finding]]:
    """Every note that fits, newest first, and the files that were passed over."""
    files, findings = book.files()
    notes: list[Note] = []
    for file in files:
        if (agent and file.agent != agent) or (kind and file.kind is not kind):
            continue
        try:
            note = book.read(file)
        except FileNotFoundError:
            continue
        except Unreadable as problem:
            findings.append(Finding(file.path, problem.reason))
            continue
        if status is None or note.status is status:
            notes.append(note)
    notes.sort(key=lambda note: note.id)
    notes.sort(key=lambda note: note.created, reverse=True)
    return notes, findings


def quarantine(book: NoteBook, note_id: str) -> list[Note]:
    """Hold back every note of that id until it is released; the notes as they were, empty where there is none."""
    return _set(book, note_id, Status.QUARANTINED)


def release(book: NoteBook, note_id: str) -> list[Note]:
    """A person has read the note and approves it, whatever its status was; the notes as they were, if any."""
    return _set(book, note_id, Status.APPROVED)


def purge(book: NoteBook, ticket: str) -> list[Path]:
    """Delete what a ticket taught and nobody else did; on notes that other tickets share, only its name is taken off.

    Returns:
        The deleted files. Git still has them; a secret that got in must be rotated as well.
    """
    deleted: list[Path] = []
    for note in list_notes(book)[0]:
        if ticket not in (note.ticket, *note.seen_in):
            continue
        others = tuple(t for t in note.seen_in if t != ticket)
        if others and note.kind is not Kind.EXPERIENCE:
            accepted = tuple(t for t in note.accepted_in if t != ticket)
            status = {} if accepted or note.status is not Status.APPROVED else {"status": Status.PENDING.value}
            book.change(note, {"task": others[0], "seen_in": others, "accepted_in": accepted, **status})
        else:
            note.path.unlink(missing_ok=True)
            deleted.append(note.path)
    return deleted


def _set(book: NoteBook, note_id: str, status: Status) -> list[Note]:
    notes: Sequence[Note] = book.named(note_id)
    for note in notes:
        book.change(note, {"status": status.value})
    return list(notes)
