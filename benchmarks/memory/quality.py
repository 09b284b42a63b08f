"""Prints the quality table: `python -m benchmarks.memory.quality`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.memory.dataset import lengthened, read_notes, read_queries, read_unrelated, write_notes
from benchmarks.memory.measure import Method, gated, naive, retriever_over, score, ungated

GLOSSARY = Path(__file__).parents[2] / "company" / "glossary.tsv"


def main() -> None:
    """Measure every method on every class of queries."""
    notes, queries, unrelated = read_notes(), read_queries(), read_unrelated()
    classes = list(dict.fromkeys(query.kind for query in queries))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_notes(root / "memory", notes)
        methods: dict[str, Method] = {
            "any keyword (first design)": naive(notes),
            "ours, no glossary, no gate": ungated(retriever_over(root, root / "none.tsv")),
            "ours, no gate": ungated(retriever_over(root, GLOSSARY)),
            "ours, as shipped": gated(retriever_over(root, GLOSSARY)),
        }
        methods["ours, as shipped, long tickets"] = lambda query: methods["ours, as shipped"](lengthened(query))
        print(f"{len(notes)} notes, {len(queries)} queries, {len(unrelated)} unrelated tickets\n")
        print("| method | all | " + " | ".join(classes) + " | precision | shown a ticket | unrelated that get anything |")
        print("|---|---|" + "---|" * len(classes) + "---|---|---|")
        for name, method in methods.items():
            whole = score(method, queries)
            cells = [score(method, [q for q in queries if q.kind == kind]).recall for kind in classes]
            row = " | ".join(f"{value:.2f}" for value in (whole.recall, *cells, whole.precision, whole.shown))
            print(f"| {name} | {row} | {score(method, unrelated).spoke}/{len(unrelated)} |")
        if "-v" in sys.argv:
            for query in [*queries, *unrelated]:
                shown = list(methods["ours, as shipped"](query))
                if frozenset(shown) != query.relevant:
                    print(query.id, query.kind, query.title, "| wants", sorted(query.relevant), "| gets", shown)


if __name__ == "__main__":
    main()
