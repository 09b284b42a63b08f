"""Plain YAML is read without the YAML library, and never differently."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.folders.any_yaml import load_any
from hermes_company.folders.plain_yaml import NotPlain, load_plain
from hermes_company.folders.settings_file import first_settings
from hermes_company.folders.ticket_file import render_ticket, split_ticket

TICKET = """
title: 开发知识库商品落地页：第一版
owner: worker
# who else
priority: "high: really"
needs: [TASK-007, a-b]
skills: []
workdir: ~/src/site
project: '#1'
created: 2026-05-01T09:00:00+08:00
hold:
tmux:
  socket: x#y
    # deeper
  deep:
      deeper: 'null'
memory: null
"""


def test_what_people_write_is_plain() -> None:
    """A ticket with words, quotes, lists, comments and sections needs no library."""
    assert load_plain(TICKET) == {
        "title": "开发知识库商品落地页：第一版",
        "owner": "worker",
        "priority": "high: really",
        "needs": ["TASK-007", "a-b"],
        "skills": [],
        "workdir": "~/src/site",
        "project": "#1",
        "created": "2026-05-01T09:00:00+08:00",
        "hold": None,
        "tmux": {"socket": "x#y", "deep": {"deeper": "null"}},
        "memory": None,
    }


def test_what_we_write_is_plain() -> None:
    """Neither a new ticket nor a new company's settings need the library: that is what makes `hc` quick."""
    fields = {"title": "Count 数一数", "needs": ("TASK-1", "TASK-2"), "created": "2026-05-01T09:00:00+08:00", "hold": True}
    ticket = split_ticket(render_ticket(fields, "# Body")).front.decode()
    company = first_settings(name="acme", lang="zh", socket="hermes-acme")

    assert load_plain(ticket) == load_any(ticket)
    assert load_plain(company) == load_any(company)


SHAPES = ["a:", "a: b", "a: ~", "b: [c]", " b: c", "  b: c", "  a:", "    c: d", "  x", "- x", "# c", "  # c", "", "---"]
VALUES = [
    *("", "word", "two words", "[a, b]", "[]", "[a,]", "[a: b]", "[null]", '"x: y"', "'#'", "'it''s'", '"\\n"', "null", "~"),
    *("a #b", "a#b", "a: b", "a:b", "a:", "~a", "/x", "a, b", "a]", "落地页：一", "é", "-1", "- a", "? a", "&a b", "*a", "!a"),
    *("{a: b}", "%a", "@a", "`a", "a\tb", "a\xa0b", "\ufeffa", "a\u2028b", "a\x85b", "😀", "=", "<<", "yes", "1:2", "|", ">"),
]


def assert_same(text: str) -> None:
    """Whatever is taken to be plain, the library reads as the same; it would refuse none of it."""
    try:
        plain = load_plain(text)
    except NotPlain:
        return

    assert plain == load_any(text), text


def test_no_arrangement_of_lines_is_read_differently() -> None:
    """Keys again, deeper and less deep, sections that are none, comments in between: the same as by the library."""
    for lines in product(SHAPES, repeat=3):
        assert_same("\n".join(lines))


@pytest.mark.parametrize("value", VALUES)
def test_no_value_is_read_differently(value: str) -> None:
    """Whatever looks like a value, alone and with lines below it, is the same by the library."""
    for below in ("", "\nb: c", "\n  b: c"):
        assert_same(f"a: {value}{below}")


@given(st.text("a1 #:[],\"'~-/_?&*!|>{}\\", max_size=8))
def test_no_text_is_read_differently(value: str) -> None:
    """Nor is anything that is put together from what means something to YAML."""
    assert_same(f"a: {value}")


LIBRARY = [
    *("a: b: c", "a: b #c", "a:\n- b", "a: [b, [c]]", "a: {b: c}", "a: |\n  b", "a: &x b", "a: *x"),
    *("a: !t b", "a: b\n  c", "a: b\n  c: d", "a: ~\n  b: c", "a: b\na: c", "  a: b\nc: d", 'a: "b\\n"', "a: 'b''c'"),
    *("a: [b,]", "a: [null]", "a:\tb", "a: b\r\nc: d", "键: a", "? a", "---\na: b", "a: b:"),
]


@pytest.mark.parametrize("text", [*LIBRARY, "\n".join(f"k{number}: v" for number in range(400))])
def test_the_rest_is_left_to_the_library(text: str) -> None:
    """Everything that takes more than a line's look, and every mistake."""
    with pytest.raises(NotPlain):
        load_plain(text)
