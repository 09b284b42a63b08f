"""Lessons and patterns: what a summary teaches, one note each, the same thing only once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from hermes_company.userspace.memory.guards import suspicious
from hermes_company.userspace.memory.note import Kind, Note, Status, one_line
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.relevance.ranking import SAME, jaccard
from hermes_company.userspace.relevance.tokens import tokens

SIMILAR = 0.35
MAX_CHARS = 600
# The ids of tickets that distil another one begin so; what they hand in is no experience of its own.
DISTILLING = "DISTILL-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Origin:
    """Where something was learned. Goes into every note."""

    ticket: str
    attempt: int
    agent: str
    project: str | None
    title: str
    engine: str
    packs: tuple[str, ...]
    # ISO date.
    created: str
    outcome: str = "pending"
    expires: str | None = None
    untrusted: bool = False

    def fields(self) -> dict[str, object]:
        """The front matter that every kind of note shares."""
        return {
            "task": self.ticket,
            "attempt": self.attempt,
            "agent": self.agent,
            "project": self.project,
            "title": self.title,
            "created": self.created,
            "engine": self.engine,
            "packs": self.packs,
            "trust": "untrusted" if self.untrusted else None,
            "outcome": self.outcome,
            "expires": self.expires,
        }


def note_id(kind: Kind, text: str) -> str:
    """The id of a lesson or pattern: the same words, whatever their case, spacing and punctuation, give the same one."""
    key = "".join(c for c in one_line(text).casefold() if c.isalnum())
    return f"{kind.value[0].upper()}-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


class Lessons:
    """Files candidates: a new note, or one more ticket on the note that says the same."""

    def __init__(self, book: NoteBook) -> None:
        self._book = book

    def add(self, kind: Kind, text: str, origin: Origin) -> str:
        """Take note of `text` (already redacted) and return the id of the note that stands for it."""
        text = one_line(text)[:MAX_CHARS]
        known = self._book.get(origin.agent, kind, note_id(kind, text))
        similar: list[str] = []
        if known is None:
            known, similar = self._nearest(kind, text, origin.agent)
        if known is not None:
            if origin.ticket not in known.seen_in:
                self._book.change(known, {"seen_in": (*known.seen_in, origin.ticket)})
            return known.id
        return self._create(kind, text, origin, similar)

    def known(self, kind: Kind, text: str, agent: str) -> Note | None:
        """The agent's note that says the same, if there is one."""
        return self._book.get(agent, kind, note_id(kind, text)) or self._nearest(kind, text, agent)[0]

    def _create(self, kind: Kind, text: str, origin: Origin, similar: list[str]) -> str:
        new = note_id(kind, text)
        rules = suspicious(f"{origin.title}\n{text}")
        fields = {
            "id": new,
            **origin.fields(),
            "status": Status.QUARANTINED.value if rules else Status.PENDING.value,
            "quarantine": rules,
            "seen_in": (origin.ticket,),
            "similar": similar,
            "helpful": 0,
            "harmful": 0,
        }
        self._book.create(origin.agent, kind, new, fields=fields, body=text)
        return new

    def _nearest(self, kind: Kind, text: str, agent: str) -> tuple[Note | None, list[str]]:
        """The note that says the same in other words, if any, and up to five that are merely similar."""
        words = set(tokens(text))
        rated = [(jaccard(words, set(tokens(note.body))), note) for note in self._book.of(agent, kind)]
        rated = sorted(((share, note) for share, note in rated if share >= SIMILAR), key=lambda pair: (-pair[0], pair[1].id))
        if rated and rated[0][0] >= SAME:
            return rated[0][1], []
        return None, [note.id for _, note in rated[:5]]


def failure(origin: Origin, outcome: str, expires: str) -> Origin:
    """The origin of a lesson about an attempt that failed: true for a while, not for ever."""
    return replace(origin, outcome=outcome, expires=expires)


def failure_id(ticket: str, outcome: str) -> str:
    """The id of the one lesson that a ticket's attempts of this outcome leave."""
    return f"L-{hashlib.sha256(f'{ticket} {outcome}'.encode()).hexdigest()[:8]}"
