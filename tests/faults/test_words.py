"""Names that lead elsewhere, and YAML that means something else than it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.domain.names import is_agent_name, is_skill_name, is_ticket_id
from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.folders.ticket_file import BadTicket, parse_ticket
from hermes_company.folders.yaml_text import BadYaml, load_yaml
from tests.support.companies import tree
from tests.support.person import Person

LEADS_ELSEWHERE = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "/etc/passwd",
    "a\\b/../c",
    "~",
    ".hidden",
    "a\0b",
    "a\nb",
    "-x",
    "con",
    "x..y",
    "a" * 300,
]


@pytest.mark.parametrize("word", LEADS_ELSEWHERE)
def test_no_name_leads_out_of_its_folder(word: str) -> None:
    """Paths, hidden names, control characters and reserved words name neither a ticket nor an agent nor a skill."""
    assert not is_ticket_id(word)
    assert not is_agent_name(word)
    assert not is_skill_name(word) or word == "con"


@given(st.text(max_size=90))
def test_whatever_is_a_name_stays_inside(word: str) -> None:
    """Any text that may name a ticket or an agent is one entry of its folder, for every path that is made of it."""
    root = Path("/company")
    if is_ticket_id(word) and is_agent_name("ann"):
        paths = [Layout(root).ticket(word, State.TODO), Layout(root).ticket_runs(word), Layout(root).outbox("ann", word)]
        assert [path.parent.name for path in paths] == ["todo", "runs", "ann"]
        assert all(Path(*path.parts) == path and ".." not in path.parts for path in paths)
    if is_agent_name(word):
        assert Layout(root).agent(word).parent == root / "agents"


@pytest.mark.parametrize("word", ["../../etc/passwd", "..", "/etc/passwd", "TASK-1/../../x"])
def test_commands_follow_no_path(person: Person, word: str) -> None:
    """A path in the place of an id or a name finds nothing and makes nothing."""
    before = tree(person.here.parent)
    answers = [
        person.hc("task", "show", word),
        person.hc("why", word),
        person.hc("task", "edit", word, "--title", "x"),
        person.hc("review", "approve", word),
        person.hc("agent", "add", word, "--engine", "shell"),
        person.hc("agent", "show", word),
        person.hc("task", "new", "x", "--id", word),
        person.hc("task", "new", "x", "--owner", word),
        person.hc("task", "new", "x", "--needs", word),
        person.hc("task", "new", "x", "--skill-pack", word),
        person.hc("task", "new", "x", "--expects", "../../x"),
    ]

    assert [answer.status for answer in answers] == [2] * len(answers)
    assert tree(person.here.parent) == before


BOMBS = {
    "aliases": "a: &a [x,x]\n" + "".join(f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'},*a]\n" for n in range(12)),
    "merge keys": "a: &a {x: 1}\nb: {<<: *a}\n",
    "depth": "a: " + "[" * 500 + "]" * 500,
    "many keys": "".join(f"k{n}: {n}\n" for n in range(2_000)),
    "large": "a: " + "x" * 100_000,
    "a tag": "a: !!python/object/apply:os.system [echo]",
    "a float that is none": 'a: !!float ""',
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_yaml_bomb_is_refused_at_once(name: str) -> None:
    """Whatever would blow up when it is built or printed is refused before anything is built of it."""
    with pytest.raises(BadYaml):
        load_yaml(BOMBS[name])
    with pytest.raises(BadTicket):
        parse_ticket("t", f"---\n{BOMBS[name]}\n---\n".encode())


@pytest.mark.parametrize(
    ("text", "value"),
    [("no", "no"), ("010", "010"), ("12:30:45", "12:30:45"), ("1_000", "1_000"), ("2026-05-01", "2026-05-01"), ("1e3", "1e3")],
)
def test_values_stay_what_was_typed(text: str, value: str) -> None:
    """No word turns into a boolean, a number or a date on its own; a title of `010` is `010`."""
    assert load_yaml(f"title: {text}") == {"title": value}
    assert parse_ticket("t", f"---\ntitle: {text}\n---\n".encode()).title == value


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"---\ntitle: a\ntitle: b\n---\n", "ticket-bad-yaml"),
        ("---\ntitle: x\n---\n".encode("utf-16"), "ticket-not-utf8"),
        (b"---\nnot_before: 2026-13-01\n---\n", "ticket-bad-value"),
        (b"---\nhold: maybe\n---\n", "ticket-bad-value"),
        (b"", "ticket-empty"),
        (b"---\ntitle: x\n", "ticket-front-matter-open"),
        (b"---\ntitle: x\n---\n\0", "ticket-not-utf8"),
    ],
)
def test_what_could_be_meant_in_two_ways_is_refused(raw: bytes, code: str) -> None:
    """A key twice, another encoding, a month 13, a half-written file: named, never guessed."""
    with pytest.raises(BadTicket) as caught:
        parse_ticket("t", raw)

    assert caught.value.code == code
