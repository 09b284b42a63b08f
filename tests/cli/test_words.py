"""Lines that fit a terminal, whatever is in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.cli.words import clock_time, columns, duration, harmless, listed, one_line, pad, shorten, since, width


@pytest.mark.parametrize(("text", "columns_taken"), [("abc", 3), ("落地页", 6), ("a落b", 4), ("ｅ", 2), ("é", 1), ("", 0)])
def test_width_counts_columns(text: str, columns_taken: int) -> None:
    """A Chinese character takes two columns, a combining mark none."""
    assert width(text) == columns_taken


@given(st.text(), st.integers(min_value=1, max_value=40))
def test_shortened_text_fits(text: str, most: int) -> None:
    """What was shortened never takes more columns than it may, and what fits is left whole."""
    text = one_line(text)
    short = shorten(text, most)

    assert width(short) <= most
    assert short == text if width(text) <= most else short.endswith("…")


def test_columns_line_up_behind_chinese() -> None:
    """The second column begins at the same place, whether the first one is Chinese or not."""
    lines = columns([("落地页", "x"), ("page", "y")], indent=0)

    assert lines == ["落地页  x", "page    y"]


def test_columns_fit_the_terminal() -> None:
    """No line is wider than the terminal."""
    rows = [("TASK-001", "开发知识库商品落地页" * 20), ("TASK-002", "short")]

    assert max(width(line) for line in columns(rows, most=40)) <= 40


def test_rows_of_a_table_stay_on_their_line() -> None:
    """A title with line breaks can't break a table."""
    assert columns([("a\nb\tc", "d")], indent=0) == ["a b c  d"]


@pytest.mark.parametrize("char", ["\x1b", "\x07", "\x9b", "\u202e", "\u2066", "\udc80", "\x00", "\r"])
def test_nothing_that_a_terminal_obeys_gets_through(char: str) -> None:
    """Escape sequences, bells, reordering marks and broken bytes are shown, not sent."""
    assert harmless(f"a{char}b\n\tc") == "a�b\n\tc"


@pytest.mark.parametrize(
    ("seconds", "said", "in_chinese"),
    [
        (-5, "0 s", "0 秒"),
        (59.9, "59 s", "59 秒"),
        (60, "1 min", "1 分钟"),
        (3_599, "59 min", "59 分钟"),
        (3_660, "1 h 1 min", "1 小时 1 分钟"),
        (90_000, "1 d 1 h", "1 天 1 小时"),
    ],
)
def test_durations(seconds: float, said: str, in_chinese: str) -> None:
    """Lengths of time are said in the unit that people would take; a clock that jumped back makes none negative."""
    assert duration(seconds).in_lang("en") == said
    assert duration(seconds).in_lang("zh") == in_chinese


def test_moments_are_local() -> None:
    """Today is told by the clock alone, any other day with its date."""
    now = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
    moment = now - timedelta(minutes=12)

    assert clock_time(moment, now) == moment.astimezone().strftime("%H:%M:%S")
    assert clock_time(now - timedelta(days=3), now).startswith("2026-04-28 ")
    assert since(moment, now).in_lang("en") == f"since {clock_time(moment, now)} (12 min)"


def test_lists_are_split_at_commas() -> None:
    """English and Chinese commas part the words of a list; spaces and empty places go."""
    assert listed("nextjs, api_design，数据库、") == ("nextjs", "api_design", "数据库")
    assert listed("") == ()


def test_pad_never_cuts() -> None:
    """A text wider than its column stays whole."""
    assert pad("落地页", 2) == "落地页"
