"""What a person's decision on a ticket means for the notes that came out of it. Every step may be taken twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook

ACCEPTED = "accepted"
REJECTED = "rejected"
PENDING = "pending"
# Outcomes that a person's decision replaces; `timed_out` and its like say what happened and stay.
_DECIDED = (ACCEPTED, REJECTED, PENDING)


def accept(book: NoteBook, ticket: str, failures: Sequence[str]) -> None:
    """The ticket is done: its notes may be shown from now on, and the notes it used have helped.

    Quarantined and thin notes keep their status: nobody has read them when accepting the work.
    """
    for experience in _experiences(book, ticket):
        book.change(experience, {"outcome": ACCEPTED, **_promoted(experience)})
        for note in _learned(book, experience):
            _accept_lesson(book, note, ticket)
        for used in _used(book, experience):
            _count(book, used, ticket, "helpful")
    for note in _named(book, failures):
        _accept_lesson(book, note, ticket)


def reject(book: NoteBook, ticket: str, failures: Sequence[str], *, blamed: Iterable[str]) -> None:
    """The ticket goes back to work: its notes stay unseen, marked as rejected; the ids that the reviewer blames have harmed."""
    _withdraw(book, ticket, failures, REJECTED)
    blame(book, blamed, ticket)


def accept_notes(book: NoteBook, notes: Iterable[Note], ticket: str) -> None:
    """These lessons or patterns were taught by a ticket that is accepted now."""
    for note in notes:
        _accept_lesson(book, note, ticket)


def withdraw_notes(book: NoteBook, notes: Iterable[Note], ticket: str, outcome: str) -> None:
    """… and by one that is not accepted any more: pending again, unless another accepted ticket taught it."""
    for note in notes:
        _withdraw_lesson(book, note, ticket, outcome)


def blame(book: NoteBook, ids: Iterable[str], ticket: str) -> list[Note]:
    """These notes misled the agent in that ticket; counted once a ticket. The notes as they were, none for unknown ids."""
    notes = list(_named(book, ids))
    for note in notes:
        _count(book, note, ticket, "harmful")
    return notes


def reopen(book: NoteBook, ticket: str, failures: Sequence[str]) -> None:
    """The ticket left `done`: what it taught is pending again, unless another accepted ticket taught it too."""
    _withdraw(book, ticket, failures, PENDING)


def _withdraw(book: NoteBook, ticket: str, failures: Sequence[str], outcome: str) -> None:
    for experience in _experiences(book, ticket):
        book.change(experience, {"outcome": outcome, **_demoted(experience)})
        for note in _learned(book, experience):
            _withdraw_lesson(book, note, ticket, outcome)
        for used in _used(book, experience):
            _uncount(book, used, ticket)
    for note in _named(book, failures):
        _withdraw_lesson(book, note, ticket, outcome)


def _experiences(book: NoteBook, ticket: str) -> Iterator[Note]:
    return (note for note in book.named(ticket) if note.kind is Kind.EXPERIENCE)


def _learned(book: NoteBook, experience: Note) -> Iterator[Note]:
    for note_id in experience.lessons:
        kind = Kind.PATTERN if note_id.startswith("P-") else Kind.LESSON
        note = book.get(experience.agent, kind, note_id)
        if note:
            yield note


def _named(book: NoteBook, ids: Iterable[str]) -> Iterator[Note]:
    return (note for note_id in ids for note in book.named(note_id))


def _used(book: NoteBook, experience: Note) -> Iterator[Note]:
    return (note for note in _named(book, experience.used) if note.ticket != experience.ticket)


def _accept_lesson(book: NoteBook, note: Note, ticket: str) -> None:
    accepted = note.accepted_in if ticket in note.accepted_in else (*note.accepted_in, ticket)
    outcome = ACCEPTED if note.outcome in _DECIDED else note.outcome
    book.change(note, {"accepted_in": accepted, "outcome": outcome, **_promoted(note)})


def _withdraw_lesson(book: NoteBook, note: Note, ticket: str, outcome: str) -> None:
    accepted = tuple(t for t in note.accepted_in if t != ticket)
    if accepted:
        book.change(note, {"accepted_in": accepted})
    else:
        told = outcome if note.outcome in _DECIDED else note.outcome
        book.change(note, {"accepted_in": (), "outcome": told, **_demoted(note)})


def _promoted(note: Note) -> dict[str, object]:
    return {"status": Status.APPROVED.value} if note.status is Status.PENDING else {}


def _demoted(note: Note) -> dict[str, object]:
    return {"status": Status.PENDING.value} if note.status is Status.APPROVED else {}


def _count(book: NoteBook, note: Note, ticket: str, what: str) -> None:
    tickets: tuple[str, ...] = note.helpful_in if what == "helpful" else note.harmful_in
    if ticket not in tickets:
        count = note.helpful if what == "helpful" else note.harmful
        book.change(note, {what: count + 1, f"{what}_in": (*tickets, ticket)})


def _uncount(book: NoteBook, note: Note, ticket: str) -> None:
    if ticket in note.helpful_in:
        tickets = tuple(t for t in note.helpful_in if t != ticket)
        book.change(note, {"helpful": max(0, note.helpful - 1), "helpful_in": tickets})
