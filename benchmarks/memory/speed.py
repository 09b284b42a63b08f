"""Prints how fast recall is over many notes: `python -m benchmarks.memory.speed [notes …]`, 10,000 and 100,000 by default."""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.memory.dataset import read_notes, read_queries, read_unrelated, write_notes
from benchmarks.memory.measure import AGENT, retriever_over
from hermes_company.domain.ticket import Ticket
from hermes_company.userspace.memory.fts_index import FtsIndex, ask
from hermes_company.userspace.relevance.glossary import read_glossary
from hermes_company.userspace.relevance.ranking import build_query

GLOSSARY = Path(__file__).parents[2] / "company" / "glossary.tsv"
_SEED = 20_260_501


def main() -> None:
    """Measure every size in a folder of its own."""
    print(f"Processor time. Import: {_import_ms():.0f} ms more than a bare interpreter.\n")
    print("| notes | rebuild s | one note changed ms | query median / p95 ms | whole recall median / p95 ms | index MB |")
    print("|---|---|---|---|---|---|")
    for size in [int(word) for word in sys.argv[1:]] or [10_000, 100_000]:
        with tempfile.TemporaryDirectory() as folder:
            print(_row(Path(folder), size), flush=True)


def make_many(memory: Path, count: int) -> None:
    """`count` notes of twenty agents that mix the words of the real ones, so that every word has company."""
    chance = random.Random(_SEED)
    notes = read_notes()
    for number in range(count):
        one, other = chance.choice(notes), chance.choice(notes)
        words = [f"v{chance.randrange(400)}", f"module{chance.randrange(3000)}", chance.choice(notes).pitfalls[0]]
        body = f"{chance.choice(one.pitfalls)}; {chance.choice(other.pitfalls)}; {' '.join(words)}"
        kind = "lessons" if number % 2 else "experiences"
        text = body if number % 2 else f"# {one.title}\n\n## Pitfalls\n- {body}\n\n## Patterns\n- {other.pattern}\n"
        front = f'id: g{number}\ntask: G-{number}\ntitle: "{one.title[:20]} {number}"\ncreated: 2026-03-01\nstatus: approved\n'
        path = memory / f"agent{number % 20}" / kind / f"g{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{front}---\n\n{text}\n", encoding="utf-8")


def _row(root: Path, size: int) -> str:
    make_many(root / "memory", size - len(read_notes()))
    write_notes(root / "memory", read_notes())
    retriever = retriever_over(root, GLOSSARY)
    rebuild = _timed(lambda: retriever.search("warm up"))
    changed = [_change_one(root, number) for number in range(20)]
    tickets = [Ticket(id="TASK-900", title=q.title, body=q.text) for q in [*read_queries(), *read_unrelated()]]
    whole = [_timed(lambda t=ticket: retriever.recall(t, AGENT, project=None)) for ticket in tickets]  # type: ignore[misc]
    query = _queries_alone(root, tickets)

    index = sum(file.stat().st_size for file in (root / "cache").iterdir()) / 1e6
    cells = (f"{rebuild:.1f}", f"{_ms(statistics.median(changed))}", _spread(query), _spread(whole), f"{index:.0f}")
    return f"| {size:,} | " + " | ".join(cells) + " |"


def _change_one(root: Path, number: int) -> float:
    """Seconds that the index takes for one changed note, without looking at all the others."""
    retriever = retriever_over(root, GLOSSARY)
    index = FtsIndex(retriever._book, root / "cache" / "memory.db", time.monotonic)
    files, _ = retriever._book.files()
    file = files[number * 7 % len(files)]
    with closing(index._open()) as db:

        def change() -> None:
            db.execute("BEGIN IMMEDIATE")
            index.replace(db, [file], gone=[])
            db.execute("COMMIT")

        return _timed(change)


def _queries_alone(root: Path, tickets: list[Ticket]) -> list[float]:
    """Seconds a query takes in a database that is known to be up to date."""
    index = FtsIndex(retriever_over(root, GLOSSARY)._book, root / "cache" / "memory.db", time.monotonic)
    glossary = read_glossary(GLOSSARY)
    queries = [build_query(t.title, t.body, glossary).words() for t in tickets]
    with closing(index._open()) as db:
        return [_timed(lambda w=words: ask(db, w, agent=AGENT.name, limit=60)) for words in queries]  # type: ignore[misc]


def _timed(work: Callable[[], object]) -> float:
    """Seconds of processor time, which other work on the machine disturbs least."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _import_ms() -> float:
    # As on every start but the very first one: from compiled files.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(code: str) -> float:
        def once() -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], env=environ, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(once() for _ in range(9))

    return (run("import hermes_company.userspace.memory.retriever") - run("pass")) * 1_000


def _spread(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{_ms(statistics.median(ordered))} / {_ms(ordered[int(len(ordered) * 0.95)])}"


def _ms(seconds: float) -> str:
    return f"{seconds * 1_000:.1f}"


if __name__ == "__main__":
    main()
