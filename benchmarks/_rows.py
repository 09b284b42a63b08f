"""What is measured, as rows of a table: medians, extremes, and the ratio to the row that the others are compared with."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_HEAD = "| what | who | unit | n | median | p95 | min … max | ratio | aim |\n|---|---|---|--:|--:|--:|--:|--:|---|"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One figure of one program."""

    what: str
    who: str
    unit: str
    # Empty: it could not be measured; `aim` says why.
    values: Sequence[float] = field(default_factory=tuple)
    # Others with the same `what` are compared with this one.
    base: bool = False
    aim: str = ""


def missing(what: str, who: str, why: str) -> Row:
    """A figure that could not be had."""
    return Row(what=what, who=who, unit="–", aim=f"not measured: {why}")


def table(rows: Iterable[Row]) -> str:
    """The rows in Markdown."""
    return "\n".join([_HEAD, *_lines(list(rows))]) + "\n"


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of all values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def _lines(rows: list[Row]) -> Iterator[str]:
    bases = {row.what: statistics.median(row.values) for row in rows if row.base and row.values}
    shown = ""
    for row in rows:
        what = "" if row.what == shown else row.what
        shown = row.what
        yield f"| {what} | {row.who} | {row.unit} | {_figures(row, bases.get(row.what))} | {row.aim} |"


def _figures(row: Row, base: float | None) -> str:
    if not row.values:
        return " | ".join(["0", *["–"] * 4])
    middle = statistics.median(row.values)
    ratio = f"{_number(middle / base)}×" if base else "–"
    extremes = f"{_number(min(row.values))} … {_number(max(row.values))}" if len(row.values) > 1 else "–"
    p95 = _number(percentile(row.values, 0.95)) if len(row.values) >= 20 else "–"
    return " | ".join([str(len(row.values)), f"**{_number(middle)}**", p95, extremes, ratio])


def _number(value: float) -> str:
    """Three digits that count."""
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    for digits, least in ((0, 100.0), (1, 10.0), (2, 1.0)):
        if abs(value) >= least:
            return f"{value:.{digits}f}"
    return f"{value:.3g}"
