"""Recall, precision and silence of retrieval methods on the set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.memory.dataset import BenchNote, BenchQuery
from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.memory.retriever import FtsRetriever

# A method: the ids that it would show for a ticket, best first.
Method = Callable[[BenchQuery], Sequence[str]]
AGENT = Agent(name="bench", engine="shell")


class _Today:
    """`Clock`: the set's notes are a month old."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime(2026, 5, 1, tzinfo=UTC)

    def boottime(self) -> float:
        """See `Clock.boottime`."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Scores:
    """How a method did on some queries."""

    recall: float
    precision: float
    shown: float
    # Queries for which anything was shown at all.
    spoke: int
    queries: int


def retriever_over(root: Path, glossary: Path) -> FtsRetriever:
    """The product's own retriever over `root`/memory."""
    book = NoteBook(root / "memory", parse_yaml=load_yaml, write=write_atomic)
    return FtsRetriever(book, glossary=glossary, cache=root / "cache", clock=_Today(), lang="zh")


def ungated(retriever: FtsRetriever) -> Method:
    """The best five by score, relevant or not."""

    def method(query: BenchQuery) -> list[str]:
        judged = retriever.explain(_ticket(query), AGENT, project=None)
        return [j.entry.id for j in sorted(judged, key=lambda j: -j.rating.score)][:5]

    return method


def gated(retriever: FtsRetriever) -> Method:
    """What a ticket's prompt really gets."""

    def method(query: BenchQuery) -> list[str]:
        return [item.id for item in retriever.recall(_ticket(query), AGENT, project=None)]

    return method


def _ticket(query: BenchQuery) -> Ticket:
    return Ticket(id="TASK-900", title=query.title, body=query.text)


def naive(notes: list[BenchNote]) -> Method:
    """The first design's rule: a note fits when any blank-separated word of the title occurs in it; the first five count."""
    texts = [(n.id, f"{n.title}\n{' '.join(n.pitfalls)}\n{n.pattern}") for n in notes]

    def method(query: BenchQuery) -> list[str]:
        words = f"{query.title} {query.text}".split()
        return [note for note, text in texts if any(word in text for word in words)][:5]

    return method


def score(method: Method, queries: Iterable[BenchQuery]) -> Scores:
    """Recall@5 (share of the relevant notes that were shown), precision, and how much was shown."""
    recalls: list[float] = []
    hits = shown = spoke = 0
    for query in queries:
        ids = list(method(query))[:5]
        found = len(query.relevant & set(ids))
        recalls.append(found / len(query.relevant) if query.relevant else 0.0)
        hits += found
        shown += len(ids)
        spoke += bool(ids)
    count = len(recalls)
    return Scores(sum(recalls) / count, hits / shown if shown else 1.0, shown / count, spoke, count)
