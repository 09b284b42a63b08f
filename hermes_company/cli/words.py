"""Lines for a terminal: columns that fit CJK widths, times that people read, nothing that a terminal would obey."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from hermes_company.wording import Lang, Text, say

# What tickets, agents and file names may hold and a terminal would act on: control characters, lone surrogates, and the marks
# that reorder text. TAB and line feed stay.
_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """`text` with everything that a terminal would act on shown as `�`."""
    return _ACTIVE.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """`text` on one line."""
    return harmless(" ".join(text.split()))


def listed(text: str) -> tuple[str, ...]:
    """The words of a comma-separated list; Chinese commas separate too."""
    return tuple(word for part in re.split(r"[,，、]", text) if (word := part.strip()))


def width(text: str) -> int:
    """How many terminal columns `text` takes."""
    from rich.cells import cell_len

    return cell_len(text)


def pad(text: str, columns: int) -> str:
    """`text` with spaces behind it up to that width."""
    return text + " " * max(0, columns - width(text))


def shorten(text: str, columns: int) -> str:
    """`text`, or as much of it as fits with `…` behind."""
    if width(text) <= columns:
        return text
    kept = ""
    for char in text:
        if width(kept + char) > columns - 1:
            break
        kept += char
    return kept + "…"


def columns(rows: Iterable[Sequence[str]], *, most: int | None = None, indent: int = 2) -> list[str]:
    """The rows as aligned lines; the last cell takes what is left.

    Args:
        most: the terminal's width; lines are shortened to it. None leaves them whole.
    """
    table = [[one_line(cell) for cell in row] for row in rows]
    if not table:
        return []
    widths = [max(width(row[place]) for row in table) for place in range(len(table[0]) - 1)]
    lines = []
    for row in table:
        cells = [pad(cell, wide) for cell, wide in zip(row, [*widths, 0], strict=True)]
        line = " " * indent + "  ".join(cells).rstrip()
        lines.append(line if most is None else shorten(line, most))
    return lines


def duration(seconds: float) -> Text:
    """A length of time as people say it."""
    whole = max(0, int(seconds))
    if whole < 60:
        return say("{seconds} s", seconds=whole)
    if whole < 3_600:
        return say("{minutes} min", minutes=whole // 60)
    if whole < 86_400:
        return say("{hours} h {minutes} min", hours=whole // 3_600, minutes=whole % 3_600 // 60)
    return say("{days} d {hours} h", days=whole // 86_400, hours=whole % 86_400 // 3_600)


def clock_time(moment: datetime, now: datetime) -> str:
    """The local time of day; with the date where it is another day."""
    local, today = moment.astimezone(), now.astimezone().date()
    return local.strftime("%H:%M:%S" if local.date() == today else "%Y-%m-%d %H:%M")


def since(moment: datetime, now: datetime) -> Text:
    """From when, and how long that is."""
    elapsed = duration((now - moment).total_seconds())
    return say("since {moment} ({elapsed})", moment=clock_time(moment, now), elapsed=elapsed)


_OUTCOMES: dict[str, Text] = {
    "finished": say("finished"),
    "blocked": say("blocked by its agent"),
    "died": say("died"),
    "timed_out": say("timed out"),
    "stopped": say("stopped"),
    "taken_away": say("taken away"),
    "refused": say("could not start"),
    "no_deliverable": say("nothing handed in"),
    "paused": say("paused"),
    "budget": say("out of budget"),
    "lost": say("lost"),
}


def outcome_words(outcome: str) -> Text:
    """How an attempt ended, as people say it; a word that we don't know (from another version's log) as it is."""
    return _OUTCOMES.get(outcome) or Text("{outcome}", {"outcome": outcome})


_RECEIPTS: dict[str, Text] = {
    "delivered": say("delivered"),
    "submitted": say("submitted"),
    "started": say("work begun"),
    "progressing": say("last sign of work"),
    "produced": say("produced"),
}


def receipt_words(receipt: str) -> Text:
    """A receipt's name, as people say it."""
    return _RECEIPTS.get(receipt) or Text("{receipt}", {"receipt": receipt})


def sentence(lang: Lang, *texts: Text) -> str:
    """Sentences behind each other, as the language joins them."""
    return ("" if lang == "zh" else " ").join(text.in_lang(lang) for text in texts if text.template)
