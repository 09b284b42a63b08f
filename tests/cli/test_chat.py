"""`hc chat`: when there is no conversation to be opened, and what an open one keeps from happening."""

from __future__ import annotations

import json

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.chats import Chats
from tests.support.kernel_rig import Rig
from tests.support.person import Person


def talked(person: Person, ticket: str, *, engine: str = "claude-code", begun: bool = True) -> None:
    """A ticket in review after an attempt of `ada`, on a machine with her engine's program."""
    programs = person.here / "no-programs"
    programs.mkdir(exist_ok=True)
    (programs / "claude").write_text("#!/bin/sh\n")
    (programs / "claude").chmod(0o755)
    if not person.layout.profile_json("ada").exists():
        person.ok("agent", "add", "ada", "--engine", "claude-code")
    person.drop(ticket, state=State.REVIEW)
    run = person.attempt(ticket, agent="ada", engine=engine, outcome=Outcome.FINISHED, workdir=str(person.here))
    if begun:
        line = json.dumps({"event": "UserPromptSubmit", "at": 1.0, "prompt_sha256": "00"})
        (person.layout.run(ticket, run.number) / "signals.jsonl").write_text(f"{line}\n")


def refusal(person: Person, ticket: str) -> tuple[int, str]:
    """Status and code."""
    answer = person.hc("chat", ticket)
    return answer.status, answer.err.partition("✗ ")[2].partition(":")[0]


def test_nothing_to_be_opened(person: Person) -> None:
    """Without the ticket, an attempt, an engine with conversations, or one that began: refused by name."""
    person.drop("NEW")
    talked(person, "SHELL", engine="shell")
    talked(person, "SILENT", begun=False)

    assert refusal(person, "NOWHERE") == (2, "ticket-unknown")
    assert refusal(person, "NEW") == (2, "no-attempt")
    assert refusal(person, "SHELL") == (2, "conversation-unavailable")
    assert refusal(person, "SILENT") == (2, "conversation-unavailable")


def test_the_workdir_must_be_there(person: Person) -> None:
    """An engine finds its conversations by the folder that it works in: without that folder it is not started."""
    talked(person, "T-1")
    run = person.attempt("T-1", agent="ada", engine="claude-code", outcome=Outcome.FINISHED, workdir=str(person.here / "gone"))
    line = json.dumps({"event": "UserPromptSubmit", "at": 1.0})
    (person.layout.run("T-1", run.number) / "signals.jsonl").write_text(f"{line}\n")

    assert refusal(person, "T-1") == (2, "workdir-missing")


def test_it_needs_a_terminal(person: Person) -> None:
    """From a script it is refused, and nothing stays open or is told."""
    talked(person, "T-1")

    assert refusal(person, "T-1") == (2, "chat-needs-terminal")
    assert Chats(person.layout.chats).now_open() == frozenset()
    assert not person.layout.told.exists()


def test_a_running_attempt_is_talked_to_in_its_window(person: Person) -> None:
    """While an attempt is open it is refused with the way to its window."""
    talked(person, "T-1")
    person.layout.ticket("T-1", State.REVIEW).rename(person.layout.ticket("T-1", State.DOING))
    run = person.attempt("T-1", agent="ada", engine="claude-code", workdir=str(person.here))
    line = json.dumps({"event": "UserPromptSubmit", "at": 1.0})
    (person.layout.run("T-1", run.number) / "signals.jsonl").write_text(f"{line}\n")

    answer = person.hc("chat", "T-1")

    assert "✗ ticket-runs" in answer.err
    assert "hc attach ada" in answer.err


def test_one_conversation_at_a_time(person: Person) -> None:
    """A conversation that is open is not opened again; `hc why` says why its ticket waits. Left, it is free at once."""
    talked(person, "T-1")
    person.drop("T-2", state=State.TODO)
    chats = Chats(person.layout.chats)
    with chats.hold("T-1"), chats.hold("T-2"):
        assert chats.now_open() == {"T-1", "T-2"}
        assert refusal(person, "T-1") == (75, "chat-open")
        assert person.ok("why", "T-2", "--json").json["code"] == "in-conversation"

    assert chats.now_open() == frozenset()
    assert person.ok("why", "T-2", "--json").json["code"] != "in-conversation"


def test_a_hold_passes_on_what_goes_wrong_inside(person: Person) -> None:
    """What is raised while a conversation is held is nobody's claim to it."""
    with pytest.raises(BlockingIOError, match="other"), Chats(person.layout.chats).hold("T-1"):
        raise BlockingIOError("other")
    chats = Chats(person.layout.chats)
    with pytest.raises(Refusal, match="chat-open"), chats.hold("T-1"), chats.hold("T-1"):
        pass


def test_the_loop_starts_nothing_that_a_person_talks_in(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A ticket whose conversation is open waits; also when it was opened at the very moment of the claim."""
    rig = Rig(tmp_path_factory.mktemp("acme"))
    open_now: list[set[str]] = [{"T-1"}]
    rig.talking = lambda: open_now[0]
    rig.restart()
    rig.drop("T-1")
    rig.tick(3, seconds=3)
    assert rig.where("T-1") is State.TODO
    assert rig.workers.starts == []

    # Not when it was judged, but once the attempt was on record.
    asked = iter([set(), {"T-1"}])
    rig.talking = lambda: next(asked, set())
    rig.restart()
    rig.tick()
    assert rig.history("T-1")[0].outcome is Outcome.PAUSED
    assert rig.workers.starts == []

    rig.tick(3, seconds=301)
    assert len(rig.workers.starts) == 1
