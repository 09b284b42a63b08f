"""Tickets: what people wrote is read strictly and never reformatted."""

from __future__ import annotations

import contextlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.domain.ticket import Priority
from hermes_company.folders.ticket_file import BadTicket, parse_ticket, render_ticket, with_runtime, without_runtime

RUNTIME = {
    "locked_by": "hc",
    "agent": "laohuang",
    "attempt": 3,
    "reason": 'said: "no" # really',
    "last_output": "a\n\n  b: c\n",
}

SHAPES = {
    "plain": b"---\ntitle: x\nowner: laohuang\n---\n\nbody\n",
    "unknown keys and comments": b"---\n# mine\ntitle: x   # why\nmood: {a: [1, 2]}\nlist:\n  - a\n  -   b\n---\nbody",
    "crlf": b"---\r\ntitle: x\r\nowner: a\r\n---\r\n\r\nbody\r\n",
    "bom": b"\xef\xbb\xbf---\ntitle: x\n---\nbody\n",
    "bom without front matter": b"\xef\xbb\xbf# Title\n\nbody",
    "chinese and emoji": "---\ntitle: 开发知识库商品落地页 🚀\nowner: laohuang\n---\n\n正文：第一步\n".encode(),
    "no trailing newline": b"---\ntitle: x\n---",
    "closed by dots": b"---\ntitle: x\n...\nbody\n",
    "no front matter": b"# Do it\n\n---\n\nmore\n",
    "empty front matter": b"---\n---\nbody\n",
    "no newline at all": b"do it",
    "crlf without front matter": b"# Do it\r\nnow\r\n",
    "block scalar": b"---\ntitle: |\n  two\n  lines\nowner: a\n---\nbody\n",
    "runtime in the body": b"---\ntitle: x\n---\nruntime:\n  agent: liar\n",
}


@pytest.mark.parametrize("raw", SHAPES.values(), ids=SHAPES.keys())
def test_our_block_comes_and_goes_without_a_trace(raw: bytes) -> None:
    """Writing our block and taking it out again gives the person's bytes back, whatever their shape."""
    marked = with_runtime(raw, RUNTIME)

    assert marked != raw
    assert without_runtime(marked) == raw
    assert with_runtime(marked, None) == raw
    assert without_runtime(with_runtime(marked, {"agent": "other", "attempt": 4})) == raw


@pytest.mark.parametrize("raw", SHAPES.values(), ids=SHAPES.keys())
def test_a_marked_ticket_reads_the_same(raw: bytes) -> None:
    """Our block changes nothing that the ticket says, not even its digest."""
    assert parse_ticket("T-1", with_runtime(raw, RUNTIME)) == parse_ticket("T-1", raw)


_LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0"), max_size=30)
_BODY = st.lists(_LINE, max_size=8)
_FRONT = st.lists(
    st.sampled_from(["title: x", "# note", "other:", "  - item", "  nested: 1", "", "owner: a", "note: 中文"]), max_size=8
)


@given(front=_FRONT, body=_BODY, newline=st.sampled_from(["\n", "\r\n"]), bom=st.booleans(), fenced=st.booleans())
def test_any_bytes_survive_our_block(front: list[str], body: list[str], newline: str, bom: bool, fenced: bool) -> None:
    """For any mix of lines, line ends and BOM: out comes what went in."""
    lines = ["---", *front, "---", *body] if fenced else ["text", *body]
    raw = (b"\xef\xbb\xbf" if bom else b"") + newline.join(lines).encode()

    once = with_runtime(raw, RUNTIME)

    assert without_runtime(once) == raw
    assert with_runtime(once, RUNTIME) == once


def test_all_fields_are_read() -> None:
    """Every documented key reaches the ticket in its own type."""
    raw = b"""---
title: "Landing page: v2"
owner: laohuang
priority: High
needs: [TASK-001, TASK-002]
skills: nextjs, api_design
skill_pack:
  - superpowers
workdir: ~/src/site
timeout_minutes: 45
created: 2026-05-01T09:00:00+08:00
created_by: laoban
hold: no
not_before: 2026-05-02
expects: [dist/*.html]
memory: off
trust: untrusted
---

# Other heading

Do it.
"""

    ticket = parse_ticket("TASK-003", raw)

    assert ticket.title == "Landing page: v2"
    assert (ticket.owner, ticket.priority) == ("laohuang", Priority.HIGH)
    assert ticket.needs == ("TASK-001", "TASK-002")
    assert ticket.skills == ("nextjs", "api_design")
    assert ticket.skill_pack == ("superpowers",)
    assert (ticket.workdir, ticket.timeout_minutes) == ("~/src/site", 45.0)
    assert ticket.created is not None
    assert ticket.created.utcoffset() is not None
    assert ticket.trust == "untrusted"
    assert (ticket.hold, ticket.memory, ticket.expects) == (False, False, ("dist/*.html",))
    assert ticket.not_before is not None
    assert ticket.body.endswith("Do it.\n")


@pytest.mark.parametrize(
    ("raw", "title"), [(b"# First\n\ntext", "First"), (b"just text", "T-9"), (b"---\nowner: a\n---\n## Two ##\n", "Two")]
)
def test_a_title_is_found_without_a_key(raw: bytes, title: str) -> None:
    """Without `title:` the first heading is the title, else the file's stem."""
    assert parse_ticket("T-9", raw).title == title


BAD = {
    "open front matter": (b"---\ntitle: x\n", "ticket-front-matter-open", 1),
    "empty": (b"  \n", "ticket-empty", None),
    "bad yaml": (b"---\ntitle: x\nneeds: [a, b\n---\n", "ticket-bad-yaml", 4),
    "not utf-8": (b"---\ntitle: x\n---\nok\n\xff\xfe", "ticket-not-utf8", 5),
    "nul": (b"a\0b", "ticket-not-utf8", None),
    "alias bomb": (b"---\na: &a [x]\nb: [*a, *a]\n---\n", "ticket-bad-yaml", 2),
    "python tag": (b"---\na: !!python/object/apply:os.system [ls]\n---\n", "ticket-bad-yaml", 2),
    "twice": (b"---\ntitle: a\ntitle: b\n---\n", "ticket-bad-yaml", 3),
    "deep": (b"---\na: " + b"[" * 50 + b"]" * 50 + b"\n---\n", "ticket-bad-yaml", 2),
    "list": (b"---\n- a\n---\n", "ticket-bad-yaml", 2),
    "misspelt": (b"---\ntitle: x\nowners: laohuang\n---\n", "ticket-unknown-key", 3),
    "owner path": (b"---\nowner: ../x\n---\nt", "ticket-bad-value", None),
    "priority": (b"---\npriority: asap\n---\nt", "ticket-bad-value", None),
    "timeout": (b"---\ntimeout_minutes: -1\n---\nt", "ticket-bad-value", None),
    "timeout inf": (b"---\ntimeout_minutes: inf\n---\nt", "ticket-bad-value", None),
    "needs path": (b"---\nneeds: [a/b]\n---\nt", "ticket-bad-value", None),
    "expects outside": (b"---\nexpects: [../../etc/passwd]\n---\nt", "ticket-bad-value", None),
    "date": (b"---\nnot_before: 2026-13-01\n---\nt", "ticket-bad-value", None),
    "hold": (b"---\nhold: perhaps\n---\nt", "ticket-bad-value", None),
    "huge": (b"x" * 2_000_000, "ticket-too-large", None),
    "huge front matter": (b"---\ntitle: " + b"x" * 20_000 + b"\n---\n", "ticket-bad-yaml", None),
}


@pytest.mark.parametrize(("raw", "code", "line"), BAD.values(), ids=BAD.keys())
def test_what_can_not_be_read_is_refused_with_its_line(raw: bytes, code: str, line: int | None) -> None:
    """A ticket that can't be acted on says why, how to mend it, and where."""
    with pytest.raises(BadTicket) as caught:
        parse_ticket("T-1", raw)

    assert caught.value.code == code
    assert caught.value.line == line
    assert str(caught.value.remedy)


@given(st.binary(max_size=300))
def test_no_bytes_crash_the_reader(raw: bytes) -> None:
    """Whatever lies in the folder is a ticket or a refusal, never a traceback."""
    with contextlib.suppress(BadTicket):
        assert parse_ticket("T-1", raw).id == "T-1"


@given(st.text(max_size=60), st.text(max_size=200))
def test_a_new_ticket_reads_back_as_written(title: str, body: str) -> None:
    """What `hc task new` writes is read back with the same title and lists, for any text."""
    clean = " ".join(title.split())
    if not clean or "\0" in title + body or any(0xD800 <= ord(c) <= 0xDFFF for c in title + body):
        return
    raw = render_ticket({"title": clean, "needs": ["A-1", "B-2"], "hold": True}, body)

    ticket = parse_ticket("T-1", raw)

    assert ticket.needs == ("A-1", "B-2")
    assert ticket.hold is True
    assert (
        ticket.title == "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in clean).strip()
        or "T-1"
    )
