"""What an index keeps of a note: enough to find it, judge it and explain the judgement."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from hermes_company.userspace.files import Finding
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.relevance.ranking import Corpus, Document
from hermes_company.userspace.relevance.tokens import tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A note as the index knows it."""

    id: str
    kind: Kind
    agent: str
    path: Path
    title: str
    status: Status
    ticket: str
    project: str | None
    created: str
    expires: str | None
    untrusted: bool
    helpful: int
    harmful: int
    document: Document

    def expired(self, today: date) -> bool:
        """Whether it was only true until before `today`."""
        return self.status is Status.EXPIRED or bool(self.expires and self.expires < today.isoformat())


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What an index says to a query."""

    # The notes that the words fit best, best first.
    entries: list[Entry]
    # All notes together, as far as the words go.
    corpus: Corpus
    # Ids that an approved note replaces.
    superseded: frozenset[str]


class NoteIndex(Protocol):
    """Finds notes by their words. Disposable: the files are the truth, and every question first takes in what changed."""

    def look(self, words: tuple[str, ...], *, agent: str | None, limit: int) -> Found:
        """The notes that these words fit best; with an agent, only approved ones that it may be shown."""

    def findings(self) -> list[Finding]:
        """Files that were passed over."""


def searchable(note: Note) -> tuple[list[str], list[str]]:
    """The tokens of a note's title and text. Headings that every summary has say nothing and are left out."""
    if note.kind is not Kind.EXPERIENCE:
        return tokens(note.title), tokens(note.body)
    from hermes_company.userspace.memory.summary import parse_summary  # only notes that changed are taken apart

    blocks = parse_summary(note.body).blocks
    parts = [text for b in blocks for text in (*(() if b.section else (b.heading,)), *b.items)]
    return tokens(note.title), tokens("\n".join(parts))
