"""Recall: the few approved notes that have to do with a ticket, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.ports.memory import Recalled
from hermes_company.userspace.files import Finding
from hermes_company.userspace.memory.entry import Entry, Found, NoteIndex
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.relevance.glossary import read_glossary
from hermes_company.userspace.relevance.ranking import SAME, Query, Rater, Rating, build_query, jaccard, relevant
from hermes_company.userspace.relevance.tokens import tokens
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.domain.agent import Agent
    from hermes_company.domain.ticket import Ticket
    from hermes_company.ports.clock import Clock

MAX_EXPERIENCES = 2
MAX_LESSONS = 3
MAX_PROMPT_TOKENS = 1_200
_CANDIDATES = 60
_HALF_LIFE_DAYS = 180
_OVERHEAD_TOKENS = 30


class Verdict(StrEnum):
    """Why a note is shown to an agent, or is not."""

    SHOWN = "shown"
    NOT_APPROVED = "not-approved"
    OTHER_AGENT = "other-agent"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    IRRELEVANT = "irrelevant"
    REPEATED = "repeated"
    NO_ROOM = "no-room"
    # Somebody wrote a key or password into it; a person has to take it out.
    SECRET = "secret"
    # The file changed or went away after it was found.
    UNREADABLE = "unreadable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """One note that was found for a ticket, and what became of it."""

    entry: Entry
    rating: Rating
    # The rating's score with age, usefulness and scope: the order in which notes are considered.
    rank: float
    verdict: Verdict
    recalled: Recalled | None = None


class FtsRetriever:
    """`Retriever` over the notes of a company.

    Args:
        book: the notes.
        glossary: `company/glossary.tsv`, read anew at every recall.
        cache: where the index may lie; deleting it loses nothing.
        clock: today's date, for expiry and age.
        lang: the language of the few words added to a note.
        index: another index than SQLite's.
    """

    def __init__(
        self, book: NoteBook, *, glossary: Path, cache: Path, clock: Clock, lang: Lang, index: NoteIndex | None = None
    ) -> None:
        self._book = book
        self._glossary = glossary
        self._cache = cache
        self._clock = clock
        self._lang: Lang = lang
        self._made = index

    def recall(self, ticket: Ticket, agent: Agent, *, project: str | None) -> Sequence[Recalled]:
        """See `Retriever.recall`. Nothing for a ticket or an agent with `memory: off`."""
        if not (ticket.memory and agent.memory):
            return ()
        judged = self._judge(self._query(ticket), agent.name, project, ticket=ticket.id, everything=False)
        return tuple(j.recalled for j in judged if j.recalled)

    def explain(self, ticket: Ticket, agent: Agent, *, project: str | None) -> list[Judged]:
        """Every note that has a word in common with the ticket, best first, and why it is shown or not."""
        return self._judge(self._query(ticket), agent.name, project, ticket=ticket.id, everything=True)

    def search(self, text: str, *, limit: int = 10) -> list[Judged]:
        """Notes of any agent and status that fit `text` best, for people; nothing is held back."""
        query = build_query(text, "", read_glossary(self._glossary))
        found = self._index().look(query.words(), agent=None, limit=max(limit, _CANDIDATES))
        rater = Rater(query, found.corpus)
        rated = [(entry, rater.rate(entry.document)) for entry in found.entries]
        rated.sort(key=lambda pair: -pair[1].score)
        return [Judged(entry=e, rating=r, rank=r.score, verdict=self._standing(e, "", found)) for e, r in rated[:limit]]

    def findings(self) -> list[Finding]:
        """Files among the notes that were passed over, and why."""
        return self._index().findings()

    def _index(self) -> NoteIndex:
        if self._made is None:
            # A company without a question to its memory pays for neither.
            from hermes_company.userspace.memory.fts_index import FtsIndex, has_fts5
            from hermes_company.userspace.memory.plain_index import PlainIndex

            self._made = (
                FtsIndex(self._book, self._cache / "memory.db", self._clock.boottime) if has_fts5() else PlainIndex(self._book)
            )
        return self._made

    def _query(self, ticket: Ticket) -> Query:
        # A dropped file without a heading is titled by its id, which says nothing.
        title = ticket.title if ticket.title != ticket.id else ""
        return build_query(title, ticket.body, read_glossary(self._glossary))

    def _judge(self, query: Query, agent: str, project: str | None, *, ticket: str, everything: bool) -> list[Judged]:
        index = self._index()
        found = index.look(query.words(), agent=agent, limit=_CANDIDATES)
        entries = found.entries
        if everything:
            known = {entry.path for entry in entries}
            others = index.look(query.words(), agent=None, limit=_CANDIDATES).entries
            entries = [*entries, *(entry for entry in others if entry.path not in known)]
        rater = Rater(query, found.corpus)
        rated = [(entry, rater.rate(entry.document)) for entry in entries if entry.ticket != ticket]
        judged = [self._first_look(entry, rating, agent, project, found) for entry, rating in rated]
        top = max((j.rating.score for j in judged if j.verdict is Verdict.SHOWN), default=0.0)
        gated = [_gate(j, top) for j in sorted(judged, key=lambda j: (-j.rank, j.entry.id))]
        return self._within_budget(gated, frozenset(query.words()))

    def _first_look(self, entry: Entry, rating: Rating, agent: str, project: str | None, found: Found) -> Judged:
        rank = rating.score * _freshness(entry, self._today()) * _usefulness(entry) * _closeness(entry, agent, project)
        return Judged(entry=entry, rating=rating, rank=rank, verdict=self._standing(entry, agent, found))

    def _standing(self, entry: Entry, agent: str, found: Found) -> Verdict:
        """Whether the note may be shown at all to that agent; "" asks for no agent in particular."""
        if entry.status not in (Status.APPROVED, Status.EXPIRED):
            return Verdict.NOT_APPROVED
        if entry.expired(self._today()):
            return Verdict.EXPIRED
        if agent and entry.agent != agent and (entry.kind is Kind.EXPERIENCE or entry.untrusted):
            return Verdict.OTHER_AGENT
        if entry.id in found.superseded:
            return Verdict.SUPERSEDED
        return Verdict.SHOWN

    def _today(self) -> date:
        return self._clock.now().date()

    def _within_budget(self, judged: list[Judged], words: frozenset[str]) -> list[Judged]:
        """The notes that fit, read now: the file has the last word on whether it may be shown."""
        settled: list[Judged] = []
        shown: list[tuple[Note, str]] = []
        spent = 0
        for j in judged:
            if j.verdict is not Verdict.SHOWN:
                settled.append(j)
                continue
            note = self._book.get(j.entry.agent, j.entry.kind, j.entry.path.stem)
            text = self._text(note, words, [n for n, _ in shown]) if note else ""
            verdict = _room(note, text, shown, spent)
            if note and verdict is Verdict.SHOWN and _has_secret(note):
                verdict = Verdict.SECRET
            if note and verdict is Verdict.SHOWN:
                shown.append((note, text))
                spent += _cost(text)
                settled.append(replace(j, recalled=_recalled(note, text, j, standing(note).in_lang(self._lang))))
            else:
                settled.append(replace(j, verdict=verdict))
        return settled

    def _text(self, note: Note, words: frozenset[str], shown: list[Note]) -> str:
        notes = [say("(true on {date}; check whether it still is)", date=note.created)] if note.expires else []
        for other in shown:
            if other.id in note.conflicts_with or note.id in other.conflicts_with:
                notes.append(say("(contradicts {id} of {date}: verify)", id=other.id, date=other.created))
        marks = " ".join(text.in_lang(self._lang) for text in notes)
        from hermes_company.userspace.memory.excerpt import excerpt  # only what is shown is taken apart

        return f"{marks} {excerpt(note, words)}".strip()[:400]


def _gate(judged: Judged, top: float) -> Judged:
    if judged.verdict is Verdict.SHOWN and not relevant(judged.rating, top):
        return replace(judged, verdict=Verdict.IRRELEVANT)
    return judged


def _room(note: Note | None, text: str, shown: list[tuple[Note, str]], spent: int) -> Verdict:
    if note is None or note.status is not Status.APPROVED or not text:
        return Verdict.UNREADABLE
    words = set(tokens(text))
    for _, other in shown:
        if text in other or jaccard(words, set(tokens(other))) >= SAME:
            return Verdict.REPEATED
    experiences = sum(1 for n, _ in shown if n.kind is Kind.EXPERIENCE)
    full = experiences >= MAX_EXPERIENCES if note.kind is Kind.EXPERIENCE else len(shown) - experiences >= MAX_LESSONS
    if full or spent + _cost(text) > MAX_PROMPT_TOKENS:
        return Verdict.NO_ROOM
    return Verdict.SHOWN


_STANDINGS: Mapping[str, Text] = {
    "accepted": say("accepted"),
    "blocked": say("from a blocked attempt"),
    "timed_out": say("from an attempt that ran out of time"),
    "died": say("from an attempt that ended without a result"),
    "no_deliverable": say("from an attempt that handed nothing in"),
}


def standing(note: Note) -> Text:
    """How far what the note says was judged: by the ticket it comes from, else by the person who released or wrote it."""
    return _STANDINGS.get(note.outcome, say("approved"))


def _cost(text: str) -> int:
    """What an item takes of the budget."""
    from hermes_company.userspace.memory.excerpt import prompt_tokens

    return prompt_tokens(text) + _OVERHEAD_TOKENS


def _has_secret(note: Note) -> bool:
    """Whether a secret stands anywhere in it: the prompt names the whole note's path."""
    from hermes_company.domain.redaction import redact  # only what is shown is looked at

    return redact(f"{note.title}\n{note.body}").count > 0


def _recalled(note: Note, text: str, judged: Judged, standing: str) -> Recalled:
    return Recalled(
        id=note.id,
        kind=note.kind.value,
        path=str(note.path),
        source=note.ticket or note.id,
        date=note.created,
        standing=standing,
        text=text,
        score=round(judged.rank, 3),
        terms=judged.rating.terms,
    )


def _freshness(entry: Entry, today: date) -> float:
    """Between 0.85 and 1: age only decides between notes that fit equally well."""
    try:
        age = max(0, (today - date.fromisoformat(entry.created)).days)
    except ValueError:
        return 0.85
    return float(0.85 + 0.15 * 0.5 ** (age / _HALF_LIFE_DAYS))


def _usefulness(entry: Entry) -> float:
    """1 for a note that nobody judged yet; up to 1.3 for one that helped, down to 0.5 for one that was blamed."""
    return min(1.3, max(0.5, 2 * (entry.helpful + 1) / (entry.helpful + entry.harmful + 2)))


def _closeness(entry: Entry, agent: str, project: str | None) -> float:
    """Own notes before those of the same project before all others, where they fit about equally."""
    if entry.agent == agent:
        return 1.0
    return 0.95 if project and entry.project == project else 0.9
