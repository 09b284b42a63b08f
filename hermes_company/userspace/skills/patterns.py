"""Which patterns have been seen often enough: the same thing, said in accepted tickets of whichever agents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hermes_company.userspace.files import Unreadable
from hermes_company.userspace.memory.guards import suspicious
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook, NoteFile
from hermes_company.userspace.relevance.ranking import SAME, jaccard
from hermes_company.userspace.relevance.tokens import tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """One accepted ticket that taught a pattern."""

    ticket: str
    agent: str
    # ISO date on which it was handed in.
    date: str
    title: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A pattern in all its wordings, the most seen first, and who saw it when."""

    notes: tuple[Note, ...]
    sightings: tuple[Sighting, ...]

    @property
    def drafted(self) -> str:
        """The skill that was drafted from one of these notes; empty where none was."""
        return next((note.drafted for note in self.notes if note.drafted), "")


@dataclass(frozen=True, slots=True)
class _Read:
    file: NoteFile
    note: Note
    words: frozenset[str]
    clean: bool


class Patterns:
    """The patterns of all agents. A file is read again only when it changed."""

    def __init__(self, book: NoteBook) -> None:
        self._book = book
        self._read: dict[str, _Read] = {}

    def taught_by(self, ticket: str) -> set[str]:
        """The ids of the patterns that came out of a ticket."""
        notes = (note for note in self._book.named(ticket) if note.kind is Kind.EXPERIENCE)
        return {lesson for note in notes for lesson in note.lessons if lesson.startswith("P-")}

    def evidence(self, ids: set[str], *, least: int, today: str) -> Iterator[Evidence]:
        """What is known of these patterns, and of all others that at least `least` tickets taught word for word.

        Only what a person has accepted counts: nothing quarantined, expired or untrusted, no words that give orders.
        """
        known = [read for read in self._fresh() if _counts(read, today)]
        tickets: defaultdict[str, set[str]] = defaultdict(set)
        for read in known:
            tickets[read.note.id].update(read.note.accepted_in)
        often = {note_id for note_id, taught in tickets.items() if len(taught) >= least}
        told: set[str] = set()
        for leader in sorted(known, key=lambda read: (read.note.created, read.note.id)):
            if leader.note.id in (ids | often) - told:
                members = [read.note for read in known if _same(leader, read)]
                told |= {note.id for note in members}
                yield self._gather(members)

    def _fresh(self) -> list[_Read]:
        files, _ = self._book.files()
        now: dict[str, _Read] = {}
        for file in files:
            if file.kind is not Kind.PATTERN:
                continue
            known = self._read.get(file.path)
            if known is None or known.file != file:
                try:
                    note = self._book.read(file)
                except (FileNotFoundError, Unreadable):
                    continue
                clean = not suspicious(f"{note.title}\n{note.body}")
                known = _Read(file, note, frozenset(tokens(note.body)), clean)
            now[file.path] = known
        self._read = now
        return list(now.values())

    def _gather(self, members: Sequence[Note]) -> Evidence:
        seen = [(note, tuple(self._sightings(note))) for note in members]
        seen.sort(key=lambda pair: (-len(pair[1]), pair[0].created, pair[0].id, pair[0].agent))
        by_ticket = {sighting.ticket: sighting for _, sightings in reversed(seen) for sighting in sightings}
        sightings = sorted(by_ticket.values(), key=lambda sighting: (sighting.date, sighting.ticket))
        return Evidence(notes=tuple(note for note, _ in seen), sightings=tuple(sightings))

    def _sightings(self, note: Note) -> Iterator[Sighting]:
        for ticket in note.accepted_in:
            source = self._book.get(note.agent, Kind.EXPERIENCE, ticket)
            # Accepted work may still hold what nobody has read: its summary was quarantined, or comes from outside.
            if source and source.status is not Status.QUARANTINED and not source.untrusted:
                yield Sighting(ticket=ticket, agent=note.agent, date=source.created, title=source.title)


def _counts(read: _Read, today: str) -> bool:
    note = read.note
    current = note.expires is None or note.expires >= today
    return note.status is Status.APPROVED and not note.untrusted and current and read.clean


def _same(one: _Read, other: _Read) -> bool:
    return one.note.id == other.note.id or jaccard(set(one.words), set(other.words)) >= SAME
