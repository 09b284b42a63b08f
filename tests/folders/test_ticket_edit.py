"""Single keys of a front matter change; every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.folders.ticket_edit import with_fields
from hermes_company.folders.ticket_file import KEYS, BadTicket, parse_ticket, with_runtime

WHOLE = """\
# who and when
title: 落地页 🚀  # mine
owner:   bob
needs: # first these
- A
- B  # and this
# about the rest
skills:
  - sh

x-mine: {a: 1}
timeout_minutes: 12
"""


def ticket(front: str, newline: str = "\n") -> bytes:
    return f"---\n{front}---\nbody\n".replace("\n", newline).encode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ({"owner": "ann"}, "owner:   bob\n", "owner:   ann\n"),
        ({"title": 'a "new": one'}, "title: 落地页 🚀  # mine\n", 'title: "a \\"new\\": one"  # mine\n'),
        ({"needs": ("C", "D")}, "needs: # first these\n- A\n- B  # and this\n", "needs: [C, D] # first these  # and this\n"),
        ({"needs": ()}, "needs: # first these\n- A\n- B  # and this\n", ""),
        ({"skills": ("a",)}, "skills:\n  - sh\n", "skills: [a]\n"),
        ({"skills": None}, "skills:\n  - sh\n", ""),
        ({"priority": "high"}, "# who and when\n", "priority: high\n# who and when\n"),
        ({"timeout_minutes": "30"}, "timeout_minutes: 12\n", "timeout_minutes: 30\n"),
        ({"timeout_minutes": ""}, "timeout_minutes: 12\n", ""),
    ],
)
def test_only_that_key_changes(change: dict[str, object], before: str, after: str, newline: str) -> None:
    """One key is set, added or taken out; its comment and all other bytes are what they were, whatever ends the lines."""
    changed = with_fields(ticket(WHOLE, newline), change)

    assert changed == ticket(WHOLE.replace(before, after, 1), newline)


def test_several_keys_at_once() -> None:
    """Each finds its place, in whatever order it is said."""
    changed = with_fields(ticket(WHOLE), {"timeout_minutes": "30", "owner": "", "title": "x", "project": "site"})
    expected = WHOLE.replace("owner:   bob\n", "").replace("落地页 🚀", "x").replace(": 12", ": 30")

    assert changed == ticket(f"project: site\n{expected}")


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("owner:", "owner: ann"),
        ("owner: # nobody yet", "owner: ann # nobody yet"),
        ("owner: 'bob'", "owner: ann"),
        ('"owner" : bob', '"owner" : ann'),
        ("owner: >\n  bob", "owner: ann"),
        ("owner:\n  bob", "owner: ann"),
        ("owner: ~", "owner: ann"),
    ],
)
def test_every_way_to_write_a_value_gives_way(line: str, changed: str) -> None:
    """Quoted, folded, empty or on a line of its own: the value is replaced, and the next key stays as it is."""
    assert with_fields(ticket(f"{line}\nhold: no\n"), {"owner": "ann"}) == ticket(f"{changed}\nhold: no\n")


def test_what_says_the_same_stays_as_it_is_spelt() -> None:
    """Setting what is set already changes no byte, however the person wrote it."""
    text = ticket("needs: A, B\npriority: HIGH\nowner: 'bob'\n")

    assert with_fields(text, {"needs": ("A", "B"), "priority": "high", "owner": "bob", "title": None}) == text


def test_the_older_spelling_is_changed_too() -> None:
    """`skills_pack` means `skill_pack`: it is changed where it stands and not said twice."""
    assert with_fields(ticket("skills_pack: [a]\n"), {"skill_pack": ("b",)}) == ticket("skills_pack: [b]\n")


def test_a_ticket_without_front_matter_gets_one() -> None:
    """The first key makes the front matter, the last one takes it away again."""
    text = "\ufeff# 标题\r\n\r\nbody".encode()
    changed = with_fields(text, {"owner": "ann"})

    assert changed == "\ufeff---\r\nowner: ann\r\n---\r\n# 标题\r\n\r\nbody".encode()
    assert with_fields(changed, {"owner": ""}) == text


def test_our_block_stays_and_takes_nothing_along() -> None:
    """A ticket that carries our block keeps it, and keeps the new key when the block goes."""
    marked = with_runtime(b"# Do it\n", {"agent": "ann", "attempt": 1, "reason": "a\nb"})
    changed = with_fields(marked, {"priority": "high"})

    assert b'agent: "ann"' in changed
    assert with_runtime(changed, None) == b"---\npriority: high\n---\n# Do it\n"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"---\n{title: x}\n---\n", "ticket-not-editable"),
        (b"---\n? owner\ntitle: x\n---\n", "ticket-not-editable"),
        (b"---\ntitle: [\n---\n", "ticket-bad-yaml"),
        (b"---\ntitle: x\n", "ticket-front-matter-open"),
    ],
)
def test_what_cannot_be_edited_is_refused(raw: bytes, code: str) -> None:
    """Front matter in another form than lines, or broken, is left to the person."""
    with pytest.raises(BadTicket) as caught:
        with_fields(raw, {"owner": "ann"})

    assert caught.value.code == code


@pytest.mark.parametrize(
    "change",
    [{"priority": "soon"}, {"timeout_minutes": "0"}, {"not_before": "tomorrow"}, {"expects": ("../x",)}, {"owner": "a b"}],
)
def test_a_value_that_may_not_stand_there_is_refused(change: dict[str, object]) -> None:
    """What could not be read back as a ticket is never written."""
    with pytest.raises(BadTicket) as caught:
        with_fields(ticket(WHOLE), change)

    assert caught.value.code == "ticket-bad-value"


_LINES = st.sampled_from(
    [
        "title: 落地页",
        "owner: bob # x",
        "needs: [A, B]",
        "needs:\n- A\n",
        "skills:\n    - sh # y",
        "x: |\n  owner: no\n",
        "y: 'a\n  b'",
        "# owner: no",
        "",
        "priority: high",
        "hold: no",
        "z: {owner: no}",
    ]
)


@given(
    st.lists(_LINES, unique_by=lambda line: line.partition(":")[0]), st.sampled_from(["owner", "needs", "priority", "skills"])
)
def test_nothing_else_changes_its_meaning(lines: list[str], key: str) -> None:
    """Whatever stands around it: the key says the new value, and all other lines are there as they were."""
    value = {"owner": "ann", "needs": ("C",), "priority": "low", "skills": ("tidy",)}[key]
    raw = ticket("".join(f"{line}\n" for line in lines))
    before, changed = parse_ticket("t", raw), with_fields(raw, {key: value})
    after = parse_ticket("t", changed)
    others = [line for line in lines if not line.startswith(f"{key}:")]

    assert str(getattr(after, key)) == str(value)
    assert {k: getattr(after, k) for k in KEYS if k != key} == {k: getattr(before, k) for k in KEYS if k != key}
    assert all(line in changed.decode() for line in others)
    assert changed.decode().count("\n") <= raw.decode().count("\n") + 1


@pytest.mark.parametrize(
    "word", ["null", "~", "yes", "a: b", "# x", "- x", "a #b", "{a}", "'", '"', "a\tb", " x ", "😀", "[1]"]
)
def test_any_title_reads_back(word: str) -> None:
    """A title that YAML would take for something else is quoted."""
    assert parse_ticket("t", with_fields(b"body\n", {"title": word})).title == word.replace("\t", " ").strip()
