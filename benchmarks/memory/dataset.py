"""The benchmark's own set: notes, queries with the notes that answer them, and tickets that no note has to do with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

SET = Path(__file__).parent / "set"


@dataclass(frozen=True, slots=True)
class BenchNote:
    """One note: pitfalls and patterns of a ticket that was done."""

    id: str
    lang: str
    title: str
    pitfalls: tuple[str, ...]
    pattern: str


@dataclass(frozen=True, slots=True)
class BenchQuery:
    """A new ticket and the notes that would help with it (none for an unrelated one)."""

    id: str
    kind: str
    title: str
    text: str
    relevant: frozenset[str]


def read_notes(prefix: str = "") -> list[BenchNote]:
    """All notes of the first set, or of the one with that prefix (`second_`)."""
    rows = _rows(f"{prefix}notes.tsv")
    return [BenchNote(i, lang, title, tuple(pitfalls.split(" / ")), pattern) for i, lang, title, pitfalls, pattern in rows]


def read_queries(prefix: str = "") -> list[BenchQuery]:
    """All queries that some note answers, of the first set or the one with that prefix."""
    rows = _rows(f"{prefix}queries.tsv")
    return [BenchQuery(i, kind, title, text, frozenset(notes.split(","))) for i, kind, title, text, notes in rows]


def read_unrelated() -> list[BenchQuery]:
    """Tickets that no note has to do with."""
    return [BenchQuery(i, "unrelated", title, text, frozenset()) for i, title, text in _rows("unrelated.tsv")]


def lengthened(query: BenchQuery) -> BenchQuery:
    """The same ticket as people often write it: with background, goals and acceptance criteria that fit any ticket."""
    lang = "en" if query.title.isascii() else "zh"
    usual = (SET / f"usual.{lang}.md").read_text(encoding="utf-8")
    return replace(query, text=f"{usual}\n{query.text}")


def _rows(name: str) -> list[list[str]]:
    lines = (SET / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def write_notes(memory: Path, notes: list[BenchNote]) -> None:
    """Lay the notes into a memory folder as the archive would: approved, every second one a lesson instead of an experience."""
    for number, note in enumerate(notes):
        kind = "lessons" if number % 2 else "experiences"
        heading = ("踩坑", "可复用模式") if note.lang == "zh" else ("Pitfalls", "Patterns")
        bullets = "\n".join(f"- {pitfall}" for pitfall in note.pitfalls)
        if kind == "experiences":
            body = f"# {note.title}\n\n## {heading[0]}\n{bullets}\n\n## {heading[1]}\n- {note.pattern}\n"
        else:
            body = f"{'; '.join(note.pitfalls)}; {note.pattern}\n"
        front = f'id: {note.id}\ntask: {note.id}\ntitle: "{note.title}"\ncreated: 2026-04-01\nstatus: approved\n'
        path = memory / "bench" / kind / f"{note.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{front}---\n\n{body}", encoding="utf-8")
