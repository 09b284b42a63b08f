"""`hc task edit` and `hc task reassign`: what a ticket says is changed as carefully as it is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.companies import tree
from tests.support.person import Person

TEXT = "---\r\ntitle: 落地页  # mine\r\nx-mine: {a: 1}\r\nowner: worker\r\n---\r\n\r\nbody without end"


@pytest.fixture
def hired(person: Person) -> Person:
    """A company with a second agent and one ticket."""
    person.ok("agent", "add", "bob", "--engine", "shell")
    person.drop("TASK-1").write_bytes(TEXT.encode())
    return person


def path(person: Person, ticket: str = "TASK-1", state: State = State.TODO) -> Path:
    return person.layout.ticket(ticket, state)


def test_every_option_ends_up_in_the_file(hired: Person) -> None:
    """What is said on the command line stands in the front matter afterwards, in place or at its head."""
    hired.drop("TASK-2", state=State.DONE)
    answer = hired.ok(
        *("task", "edit", "TASK-1", "--title", "新页", "--owner", "bob", "--workdir", ".", "--priority", "high"),
        *("--needs", "TASK-2", "--skills", "sh，tidy", "--skill-pack", "web", "--timeout-minutes", "12.5"),
        *("--not-before", "2026-05-01T09:00", "--expects", "page.html"),
    )
    shown = hired.ok("task", "show", "TASK-1", "--json").json["front_matter"]

    assert answer.lines == [
        "TASK-1: changed title, owner, workdir, priority, needs, skills, skill_pack, timeout_minutes, not_before, expects."
    ]
    assert path(hired).read_bytes().startswith(b"---\r\nworkdir: ")
    assert b"title: \xe6\x96\xb0\xe9\xa1\xb5  # mine\r\nx-mine: {a: 1}\r\nowner: bob\r\n---" in path(hired).read_bytes()
    assert shown["workdir"] == str(hired.here)
    assert (shown["owner"], shown["priority"], shown["needs"], shown["skills"]) == ("bob", "high", ["TASK-2"], ["sh", "tidy"])
    assert (shown["skill_pack"], shown["timeout_minutes"], shown["expects"]) == (["web"], "12.5", ["page.html"])
    assert shown["not_before"].startswith("2026-05-01T09:00")


def test_an_empty_value_takes_it_out(hired: Person) -> None:
    """What is taken out again leaves the bytes that were there before it came."""
    hired.ok("task", "edit", "TASK-1", "--priority", "urgent", "--expects", "a,b")
    hired.ok("task", "edit", "TASK-1", "--expects", "", "--priority", "normal")
    text = path(hired).read_bytes()

    assert text == TEXT.replace("---\r\n", "---\r\npriority: normal\r\n", 1).encode()


def test_doing_it_again_changes_nothing(hired: Person) -> None:
    """The second time the file keeps every byte and the answer says so; of several tickets each is told."""
    hired.drop("TASK-2", "---\nowner: bob\n---\n")
    first = hired.ok("task", "edit", "TASK-1", "TASK-2", "--owner", "bob", "--json").json
    before = tree(hired.here)
    again = hired.ok("task", "edit", "TASK-1", "TASK-2", "--owner", "bob", "--json").json

    assert [did["changed"] for did in first] == [True, False]
    assert [(did["changed"], did["says"]) for did in again] == [
        (False, "TASK-1 says that already."),
        (False, "TASK-2 says that already."),
    ]
    assert tree(hired.here) == before


@pytest.mark.parametrize(
    ("argv", "code", "hint"),
    [
        (("--owner", "bop"), "agent-unknown", "Did you mean `bob`?"),
        (("--workdir", "nowhere"), "workdir-missing", "Create the folder"),
        (("--project", "nowhere"), "project-unknown", "projects:"),
        (("--needs", "TASK-9"), "need-unknown", "TASK-9"),
        (("--needs", "TASK-1"), "need-circle", "TASK-1 → TASK-1"),
        (("--timeout-minutes", "0"), "ticket-bad-value", "timeout_minutes"),
        (("--not-before", "soon"), "ticket-bad-value", "2026-05-01T09:00"),
        (("--expects", "../x"), "ticket-bad-value", "expects"),
        (("--priority", "soon"), "bad-usage", "urgent"),
        ((), "bad-usage", "--priority high"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_written(hired: Person, argv: tuple[str, ...], code: str, hint: str) -> None:
    """A change is refused as a new ticket would be, with the way out."""
    before = tree(hired.here)
    answer = hired.hc("task", "edit", "TASK-1", *argv)

    assert answer.status == 2
    assert code in answer.err
    assert hint in answer.err
    assert tree(hired.here) == before


def test_only_what_changes_is_checked(hired: Person) -> None:
    """A ticket whose folder is gone can still be given another title: the folder is another matter."""
    hired.drop("TASK-3", "---\nworkdir: /nowhere\nowner: gone\n---\n")

    hired.ok("task", "edit", "TASK-3", "--title", "x")
    assert "agent-unknown" in hired.hc("task", "edit", "TASK-3", "--owner", "gone2").err


def test_a_circle_through_others_is_refused(hired: Person) -> None:
    """A ticket that was just written is looked at as well as one that rests."""
    hired.drop("TASK-2", "---\nneeds: [TASK-1]\n---\n")
    hired.ok("task", "edit", "TASK-1", "--title", "just written")

    assert "need-circle" in hired.hc("task", "edit", "TASK-1", "--needs", "TASK-2").err


def test_a_missing_engine_is_told(hired: Person) -> None:
    """The new owner's program may come right by itself: it is said, and the ticket is changed."""
    hired.ok("agent", "add", "cara", "--engine", "codex")
    answer = hired.ok("task", "reassign", "TASK-1", "--to", "cara")

    assert answer.lines == ["TASK-1 is for cara now."]
    assert "npm install -g @openai/codex" in answer.err


def test_reassign_several(hired: Person) -> None:
    """Each ticket gets the new owner and its own answer; doing it again changes nothing."""
    hired.drop("TASK-2", state=State.BLOCKED)
    answer = hired.hc("task", "reassign", "TASK-1", "TASK-9", "TASK-2", "--to", "bob")
    again = hired.ok("task", "reassign", "TASK-1", "TASK-2", "--to", "bob", "--json").json

    assert answer.status == 2
    assert answer.lines == ["TASK-1 is for bob now.", "TASK-2 is for bob now."]
    assert "ticket-unknown" in answer.err
    assert path(hired).read_bytes() == TEXT.replace("owner: worker", "owner: bob").encode()
    assert [did["says"] for did in again] == ["TASK-1 is for bob already.", "TASK-2 is for bob already."]


def test_a_running_ticket_keeps_its_agent(hired: Person) -> None:
    """While its agent is at work a ticket is not given away; anything else may change, and the run is not told."""
    hired.drop("TASK-2", "---\nowner: worker\n---\n", State.DOING)
    hired.attempt("TASK-2")
    refused = hired.hc("task", "reassign", "TASK-2", "--to", "bob")
    edited = hired.ok("task", "edit", "TASK-2", "--priority", "high", "--owner", "worker")

    assert "ticket-runs" in refused.err
    assert "hc task stop TASK-2" in refused.err
    assert edited.lines[0].endswith("The run that is under way keeps what it was told.")


def test_in_chinese(chinese: Person) -> None:
    """A Chinese company answers in Chinese."""
    chinese.drop("TASK-1")

    assert chinese.ok("task", "reassign", "TASK-1", "--to", "worker").lines == ["TASK-1 现在由 worker 负责。"]
    assert chinese.ok("task", "edit", "TASK-1", "--title", "标题").lines == ["TASK-1：已修改 title。"]
