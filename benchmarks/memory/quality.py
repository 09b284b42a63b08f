"""Prints the quality table: `python -m benchmarks.memory.quality`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.memory.dataset import BenchNote, BenchQuery, lengthened, read_notes, read_queries, read_unrelated, write_notes
from benchmarks.memory.measure import Method, gated, naive, retriever_over, score, ungated

GLOSSARY = Path(__file__).parents[2] / "company" / "glossary.tsv"


def main() -> None:
    """Measure every method on every class of queries of both sets."""
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(folder), read_notes(), read_queries(), read_unrelated())
    with tempfile.TemporaryDirectory() as folder:
        print("\nThe second set, its notes among those of the first:\n")
        _measure(Path(folder), [*read_notes(), *read_notes("second_")], read_queries("second_"), read_unrelated())


def _measure(root: Path, notes: list[BenchNote], queries: list[BenchQuery], unrelated: list[BenchQuery]) -> None:
    write_notes(root / "memory", notes)
    shipped = gated(retriever_over(root, GLOSSARY))
    methods: dict[str, Method] = {
        "any keyword (first design)": naive(notes),
        "ours, no glossary, no gate": ungated(retriever_over(root, root / "none.tsv")),
        "ours, no gate": ungated(retriever_over(root, GLOSSARY)),
        "ours, as shipped": shipped,
        "ours, as shipped, long tickets": lambda query: shipped(lengthened(query)),
    }
    classes = list(dict.fromkeys(query.kind for query in queries))
    print(f"{len(notes)} notes, {len(queries)} queries, {len(unrelated)} unrelated tickets\n")
    print("| method | all | " + " | ".join(classes) + " | precision | shown a ticket | unrelated that get anything |")
    print("|---|---|" + "---|" * len(classes) + "---|---|---|")
    for name, method in methods.items():
        whole = score(method, queries)
        cells = [score(method, [q for q in queries if q.kind == kind]).recall for kind in classes]
        row = " | ".join(f"{value:.2f}" for value in (whole.recall, *cells, whole.precision, whole.shown))
        print(f"| {name} | {row} | {score(method, unrelated).spoke}/{len(unrelated)} |")
    for query in [*queries, *unrelated] if "-v" in sys.argv else []:
        got = list(shipped(query))
        if frozenset(got) != query.relevant:
            print(query.id, query.kind, query.title, "| wants", sorted(query.relevant), "| gets", got)


if __name__ == "__main__":
    main()
