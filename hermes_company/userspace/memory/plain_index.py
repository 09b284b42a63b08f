"""The index without a database, for Pythons whose SQLite lacks FTS5: notes kept in memory, found by the same rating."""

from __future__ import annotations

from collections import Counter

from hermes_company.userspace.files import Finding, Unreadable
from hermes_company.userspace.memory.entry import Entry, Found, searchable
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.relevance.ranking import Corpus, document


class PlainIndex:
    """See `NoteIndex`. Reads changed files only, but all of them once a process: fine for some thousand notes."""

    def __init__(self, book: NoteBook) -> None:
        self._book = book
        self._entries: dict[str, tuple[tuple[int, int], Entry | Finding]] = {}
        self._supersedes: dict[str, tuple[str, ...]] = {}
        self._passed: list[Finding] = []

    def look(self, words: tuple[str, ...], *, agent: str | None, limit: int) -> Found:
        """See `NoteIndex.look`."""
        self._refresh()
        entries = [entry for _, entry in self._entries.values() if isinstance(entry, Entry)]
        wanted = set(words)
        frequency = Counter(word for entry in entries for word in entry.document.counts.keys() & wanted)
        length = sum(entry.document.length for entry in entries) / len(entries) if entries else 1.0
        corpus = Corpus(len(entries), length, frequency)
        fits = [(sum(map(corpus.rarity, e.document.counts.keys() & wanted)), e) for e in entries if _showable(e, agent)]
        best = sorted((pair for pair in fits if pair[0] > 0), key=lambda pair: -pair[0])[:limit]
        superseded = frozenset(old for ids in self._supersedes.values() for old in ids)
        return Found(entries=[entry for _, entry in best], corpus=corpus, superseded=superseded)

    def findings(self) -> list[Finding]:
        """See `NoteIndex.findings`."""
        self._refresh()
        return [*self._passed, *(entry for _, entry in self._entries.values() if isinstance(entry, Finding))]

    def _refresh(self) -> None:
        files, self._passed = self._book.files()
        for path in self._entries.keys() - {file.path for file in files}:
            self._forget(path)
        for file in files:
            stamp = (file.mtime_ns, file.size)
            if file.path in self._entries and self._entries[file.path][0] == stamp:
                continue
            self._forget(file.path)
            try:
                note = self._book.read(file)
            except FileNotFoundError:
                continue
            except Unreadable as problem:
                self._entries[file.path] = (stamp, Finding(file.path, problem.reason))
                continue
            self._entries[file.path] = (stamp, _entry(note))
            if note.supersedes and note.status is Status.APPROVED:
                self._supersedes[file.path] = note.supersedes

    def _forget(self, path: str) -> None:
        self._entries.pop(path, None)
        self._supersedes.pop(path, None)


def _showable(entry: Entry, agent: str | None) -> bool:
    if agent is None:
        return True
    return entry.status is Status.APPROVED and (entry.agent == agent or entry.kind is not Kind.EXPERIENCE)


def _entry(note: Note) -> Entry:
    return Entry(
        id=note.id,
        kind=note.kind,
        agent=note.agent,
        path=note.path,
        title=note.title,
        status=note.status,
        ticket=note.ticket,
        project=note.project,
        created=note.created,
        expires=note.expires,
        untrusted=note.untrusted,
        helpful=note.helpful,
        harmful=note.harmful,
        document=document(*searchable(note)),
    )
