"""The floors below which recall must not fall, on the benchmark's own set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.memory.dataset import BenchQuery, lengthened, read_notes, read_queries, read_unrelated, write_notes
from benchmarks.memory.measure import Method, gated, naive, retriever_over, score, ungated

GLOSSARY = Path(__file__).parents[2] / "company" / "glossary.tsv"
SAME_LANGUAGE = ("zh-lexical", "zh-paraphrase", "en-lexical", "en-paraphrase")


@dataclass(frozen=True, slots=True)
class Bench:
    """The set laid out as notes."""

    queries: list[BenchQuery]
    best_five: Method
    shipped: Method

    def of(self, *kinds: str) -> list[BenchQuery]:
        """The queries of these classes."""
        return [query for query in self.queries if query.kind in kinds]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """All notes, indexed once."""
    root = tmp_path_factory.mktemp("bench")
    write_notes(root / "memory", read_notes())
    retriever = retriever_over(root, GLOSSARY)
    return Bench(read_queries(), ungated(retriever), gated(retriever))


def test_the_set_is_as_large_as_promised() -> None:
    """At least 100 notes, 60 queries and 14 unrelated tickets, and every answer exists."""
    notes = {note.id for note in read_notes()}
    assert len(notes) >= 100
    assert len(read_queries()) >= 60
    assert len(read_unrelated()) >= 14
    assert all(query.relevant <= notes for query in read_queries())


def test_recall_over_all_classes(bench: Bench) -> None:
    """Nine of ten relevant notes are among the best five."""
    assert score(bench.best_five, bench.queries).recall >= 0.90


def test_recall_within_one_language(bench: Bench) -> None:
    """Paraphrases included."""
    assert score(bench.best_five, bench.of(*SAME_LANGUAGE)).recall >= 0.85


@pytest.mark.parametrize("kind", ["zh-en", "en-zh"])
def test_recall_across_languages(bench: Bench, kind: str) -> None:
    """A Chinese ticket finds an English note and the other way round, by the shipped glossary."""
    assert score(bench.best_five, bench.of(kind)).recall >= 0.80


def test_identifiers_are_always_found(bench: Bench) -> None:
    """`EXDEV`, `out_request_no` and their like leave no doubt."""
    assert score(bench.best_five, bench.of("identifier")).recall == 1.0


def test_what_reaches_the_prompt_is_relevant(bench: Bench) -> None:
    """Behind the gate three of four shown notes are relevant, and most relevant ones are still shown."""
    shown = score(bench.shipped, bench.queries)
    assert shown.precision >= 0.75
    assert shown.recall >= 0.78


def test_long_tickets_do_not_blind_the_gate(bench: Bench) -> None:
    """Background, goals and acceptance criteria neither hide what a ticket is about nor bring in whatever shares them."""
    shown = score(lambda query: bench.shipped(lengthened(query)), bench.queries)
    assert shown.precision >= 0.65
    assert shown.recall >= 0.60


def test_unrelated_tickets_are_left_alone(bench: Bench) -> None:
    """At most two of sixteen get anything at all."""
    assert score(bench.shipped, read_unrelated()).spoke <= 2


def test_the_first_designs_rule_is_far_behind(bench: Bench) -> None:
    """The keyword rule that this replaces: the set can tell a bad method from a good one."""
    assert score(naive(read_notes()), bench.queries).recall < 0.25
