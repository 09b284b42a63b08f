"""Plain YAML is read without the YAML library, and never differently."""

from __future__ import annotations

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
    settings = first_settings(name="acme", lang="zh", socket="hermes-acme")

    assert load_plain(ticket) == load_any(ticket)
    assert load_plain(settings) == load_any(settings)


# Whatever means something to YAML, or looks as if it did.
_CHARS = "a1 #:[],\"'~-落：é/_?&*!|>{}%\\“.@`=<\u3000\xa0😀\u200b\t\r\ufeff\x85\u2028"
VALUES = st.sampled_from(["", "word", "[a, b]", "[]", '"x: y"', "'#'", "null"]) | st.text(_CHARS, max_size=6)
KEYS = st.sampled_from(["a", "b", "c-d", "_e", "null", "no", "键", "1", ""])
LINES = st.builds(
    lambda indent, key, colon, value: " " * indent + key + colon + value,
    st.sampled_from([0, 0, 0, 1, 2, 2, 4]),
    KEYS,
    st.sampled_from([": ", ": ", ":", ":  ", " : ", ""]),
    VALUES,
) | st.sampled_from(["", "  ", "# c", "  # c", "---", "...", "- x"])


@given(st.lists(LINES, max_size=4).map("\n".join))
def test_never_read_differently(text: str) -> None:
    """Whatever is taken to be plain, the library reads as the same; it would refuse none of it."""
    try:
        plain = load_plain(text)
    except NotPlain:
        return

    assert plain == load_any(text)


LIBRARY = [
    *("", "# only a comment", "a: b: c", "a: b #c", "a:\n- b", "a: [b, [c]]", "a: {b: c}", "a: |\n  b", "a: &x b", "a: *x"),
    *("a: !t b", "a: b\n  c", "a: b\n  c: d", "a: ~\n  b: c", "a: b\na: c", "  a: b\nc: d", 'a: "b\\n"', "a: 'b''c'"),
    *("a: [b,]", "a: [null]", "a:\tb", "a: b\r\nc: d", "键: a", "? a", "---\na: b", "a: b:"),
]


@pytest.mark.parametrize("text", [*LIBRARY, "\n".join(f"k{number}: v" for number in range(400))])
def test_the_rest_is_left_to_the_library(text: str) -> None:
    """Everything that takes more than a line's look, and every mistake."""
    with pytest.raises(NotPlain):
        load_plain(text)
