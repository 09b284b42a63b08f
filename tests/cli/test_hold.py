"""Setting and removing `hold: true`, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.folders.ticket_edit import with_hold
from hermes_company.folders.ticket_file import BadTicket, parse_ticket, with_runtime, without_runtime

PLAIN = [
    b"# Just a heading\n",
    b"no newline",
    b"---\ntitle: x\n---\nbody\n",
    b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nbody\r\n",
    b"---\n# comment\ntitle: x\nunknown: [1, 2]\n...\nbody",
    "---\ntitle: 落地页\n---\n".encode(),
]


@pytest.mark.parametrize("raw", PLAIN)
def test_hold_and_back(raw: bytes) -> None:
    """Held, the ticket says so; released, it is what it was."""
    held = with_hold(raw, True)

    assert parse_ticket("t", held).hold
    assert with_hold(held, True) == held
    assert with_hold(held, False) == raw


@pytest.mark.parametrize("raw", PLAIN)
def test_everything_else_stays(raw: bytes) -> None:
    """Holding adds one line (and the two fences, where there were none) and changes no other byte."""
    held = with_hold(raw, True)
    gone = held.replace(b"hold: true\r\n" if b"\r\n" in raw else b"hold: true\n", b"", 1)

    assert gone == raw or gone == b"---\n---\n" + raw


@pytest.mark.parametrize(
    ("line", "held"),
    [
        (b"hold: false", b"hold: true"),
        (b"hold: no  # not yet", b"hold: true  # not yet"),
        (b"hold: ''", b"hold: true"),
        (b'"hold": no', b'"hold": true'),
    ],
)
def test_a_line_that_says_no_gives_way(line: bytes, held: bytes) -> None:
    """A person's own `hold: false` is replaced, not contradicted; its place and its comment stay."""
    text = b"---\ntitle: x\n%b\nx: y\n---\nbody\n"

    assert with_hold(text % line, True) == text % held


def test_our_block_does_not_take_the_hold_along() -> None:
    """Where the front matter was only there for our own block, it stays when that block goes."""
    marked = with_runtime(b"# Do it\n", {"agent": "ann", "attempt": 1})
    held = with_hold(marked, True)

    assert parse_ticket("t", without_runtime(held)).hold
    assert parse_ticket("t", with_runtime(held, {"agent": "bob"})).hold
    assert b"agent" in held


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"---\n{title: x}\n---\n", "ticket-not-editable"),
        (b"---\ntitle: [\n---\n", "ticket-bad-yaml"),
        (b"---\ntitle: x\n", "ticket-front-matter-open"),
    ],
)
def test_what_cannot_be_edited_is_refused(raw: bytes, code: str) -> None:
    """Front matter in another form than lines, or broken, is left to the person."""
    with pytest.raises(BadTicket) as caught:
        with_hold(raw, True)

    assert caught.value.code == code


def test_a_hold_in_another_form_is_refused() -> None:
    """A `hold` that is not a line of its own can't be taken out, and nothing is guessed."""
    with pytest.raises(BadTicket) as caught:
        with_hold(b"---\n{title: x, hold: true}\n---\n", False)

    assert caught.value.code == "ticket-not-editable"


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0")), st.booleans())
def test_any_text_survives(body: str, marked: bool) -> None:
    """Whatever a person wrote, with or without our block: hold and release lose none of it."""
    raw = body.encode()
    try:
        parse_ticket("t", raw)
    except BadTicket:
        return
    if marked:
        raw = with_runtime(raw, {"agent": "ann"})
    released = with_hold(with_hold(raw, True), False)

    assert parse_ticket("t", released).body == parse_ticket("t", raw).body
    assert released == raw or marked
