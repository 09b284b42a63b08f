"""`hc why`: for every state one true sentence, and the way out."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.ticket_file import parse_ticket
from hermes_company.ports.runs import TicketNote
from hermes_company.wording import say
from tests.support.person import Person, both_ways

pytestmark = both_ways


def code(person: Person, ticket: str = "TASK-1") -> str:
    """The code of the answer."""
    return str(person.ok("why", ticket, "--json").json["code"])


def test_ready_with_and_without_a_loop(person: Person) -> None:
    """What could start is started by the loop, or waits for somebody to run it."""
    person.drop("TASK-1")
    alone = person.ok("why", "TASK-1").lines
    person.loop_runs()
    watched = person.ok("why", "TASK-1").lines

    assert alone == ["TASK-1  todo", "  It can start now, with worker.", "  → `hc run` starts it."]
    assert watched[2] == f"  → Process {os.getpid()}, which runs the company, starts it within moments."


def test_a_loop_that_died_does_not_count(person: Person) -> None:
    """A process that is gone runs nothing; one on another machine is believed."""
    person.drop("TASK-1")
    person.loop_runs(pid=2**22 - 1)
    dead = person.ok("why", "TASK-1", "--json").json["remedy"]
    person.loop_runs(pid=2**22 - 1, host="elsewhere")
    remote = person.ok("why", "TASK-1", "--json").json["remedy"]

    assert dead == "`hc run` starts it."
    assert "Process" in remote


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("hold: true", "held"),
        ("not_before: 2999-01-01", "scheduled"),
        ("needs: [TASK-9]", "need-unknown"),
        ("needs: [TASK-2]", "needs"),
        ("owner: nobody", "owner-unknown"),
        ("skills: [cobol]", "nobody-fits"),
        ("workdir: /nowhere/at/all", "workdir-missing"),
        ("project: unheard-of", "project-unknown"),
        ("owner: lao", "engine-missing"),
    ],
)
def test_waiting_in_todo(person: Person, front: str, expected: str) -> None:
    """Whatever a ticket in todo waits for is what the loop would wait for, with a remedy."""
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    person.drop("TASK-1", f"---\n{front}\n---\n# Do it\n")
    person.drop("TASK-2", state=State.REVIEW)
    answer = person.ok("why", "TASK-1", "--json").json

    assert answer["code"] == expected
    assert answer["remedy"]
    assert answer["state"] == "todo"


def test_waiting_for_a_busy_agent(person: Person) -> None:
    """A busy agent is named with what it does and for how long."""
    person.drop("TASK-7", state=State.DOING)
    person.attempt("TASK-7", minutes_ago=12)
    person.drop("TASK-1")

    assert "  worker is busy with TASK-7 since 12 min." in person.ok("why", "TASK-1").lines


def test_waiting_for_its_next_try(person: Person) -> None:
    """After a failure, the moment of the next try and how not to wait for it."""
    person.drop("TASK-1")
    RunFiles(person.layout).remember("TASK-1", TicketNote(retry_at=datetime.now(UTC) + timedelta(minutes=5)))

    assert code(person) == "retry-pause"
    assert "hc task retry TASK-1" in person.ok("why", "TASK-1").out


def test_being_written(person: Person) -> None:
    """A file that was saved a moment ago is left alone until it rests."""
    person.drop("TASK-1", age=0.0)

    assert code(person) == "settling"


def test_running(person: Person) -> None:
    """Who works on it, since when, and whether anybody watches."""
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1", minutes_ago=12)
    alone = person.ok("why", "TASK-1").out
    person.loop_runs()
    watched = person.ok("why", "TASK-1").out

    assert "worker works on it since " in alone
    assert "(12 min), attempt 1." in alone
    assert "`hc run` takes it up again" in alone
    assert "hc task stop TASK-1" in watched


def test_running_without_moving(person: Person) -> None:
    """What was noticed about an attempt at work is said, with the ways to look at it and to end it."""
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1", flags=[say("Nothing has moved for more than {minutes:.0f} minutes.", minutes=10)])
    person.loop_runs()

    assert person.ok("why", "TASK-1").lines[2:] == [
        "  ! Nothing has moved for more than 10 minutes.",
        "  → `hc attach worker` shows it, `hc task stop TASK-1` ends it.",
    ]


def test_edited_while_it_runs(person: Person) -> None:
    """That an attempt works by another text than the file now has is said, with the file it works by."""
    text = "---\ntitle: a\n---\nx"
    person.drop("TASK-1", text, state=State.DOING)
    person.attempt("TASK-1", digest=parse_ticket("TASK-1", text.encode()).digest)
    person.loop_runs()
    same = person.ok("why", "TASK-1").out
    person.drop("TASK-1", text.replace("x", "y"), state=State.DOING)
    edited = person.ok("why", "TASK-1").out

    assert "edited" not in same
    assert "was edited since" in edited
    assert ".hc/runs/TASK-1/1/prompt.md" in edited


def test_starting_and_ending(person: Person) -> None:
    """Between the claim and the start, and while its processes are being ended, it says so."""
    person.drop("TASK-1", state=State.DOING)
    run = person.attempt("TASK-1", phase=Phase.INTENT)
    starting = code(person)
    survivors = (say("Processes survive their end: {pids}.", pids="7"),)
    RunFiles(person.layout).save(replace(run, phase=Phase.ENDING, outcome=Outcome.TIMED_OUT, flags=survivors))
    ending = person.ok("why", "TASK-1").lines

    assert starting == "claimed"
    assert ending[1] == "  Attempt 1 is over (timed out); its processes are being ended."
    assert ending[2] == "  ! Processes survive their end: 7."
    assert "`kill -9` with these numbers ends them" in ending[3]


def test_waiting_to_go_on(person: Person) -> None:
    """A ticket in doing without a run waits for its agent, as one in todo does."""
    person.drop("TASK-1", state=State.DOING)
    person.hand_in("TASK-2")
    person.attempt("TASK-1", outcome=Outcome.FINISHED, moved_to=State.REVIEW)
    person.drop("TASK-3", state=State.DOING)
    person.attempt("TASK-3")

    assert person.ok("why", "TASK-1", "--json").json["code"] == "agent-busy"


def test_blocked_says_why_it_was_blocked(person: Person) -> None:
    """The reason of the attempt that ended there, in the person's words where they were a person's."""
    person.drop("TASK-1", state=State.BLOCKED)
    person.attempt(
        "TASK-1", outcome=Outcome.BLOCKED, moved_to=State.BLOCKED, reason=say("{words}", words="No access to the shop.")
    )

    assert person.ok("why", "TASK-1").lines[1:] == [
        "  No access to the shop.",
        "  → When that is settled: `hc task retry TASK-1`.",
    ]
    assert code(person) == "blocked"


def test_parked_by_a_person(person: Person) -> None:
    """An old reason that a person has dealt with is not brought up again."""
    person.drop("TASK-1", state=State.BLOCKED)
    person.drop("TASK-2", state=State.BLOCKED)
    person.attempt("TASK-2", outcome=Outcome.DIED, moved_to=State.BLOCKED)
    RunFiles(person.layout).remember("TASK-2", TicketNote(forgiven=1))
    person.drop("TASK-3", state=State.BLOCKED)
    person.attempt("TASK-3", outcome=Outcome.FINISHED, moved_to=State.REVIEW)

    assert [code(person, ticket) for ticket in ("TASK-1", "TASK-2", "TASK-3")] == ["parked"] * 3


def test_review_and_done(person: Person) -> None:
    """What was handed in waits for a person, with what to look at; what is done is done."""
    person.drop("TASK-1", state=State.REVIEW)
    person.attempt("TASK-1", outcome=Outcome.FINISHED, moved_to=State.REVIEW, flags=[say("Nobody answered.")])
    person.drop("TASK-2", state=State.DONE)
    review = person.ok("why", "TASK-1").lines

    assert "  ! Nobody answered." in review
    assert "hc review approve TASK-1" in review[-1]
    assert code(person, "TASK-2") == "done"


def test_unreadable_names_file_line_and_remedy(person: Person) -> None:
    """A broken ticket is answered with the file, the line and what to correct, in any folder."""
    for state in State:
        ticket = f"bad-{state.value}"
        person.drop(ticket, "---\ntitle: x\nownr: a\n---\n", state=state)
        answer = person.ok("why", ticket, "--json").json
        assert (answer["path"], answer["line"], answer["code"]) == (f"tasks/{state.value}/{ticket}.md", 3, "ticket-unknown-key")

    assert "tasks/todo/bad-todo.md:3" in person.ok("why", "bad-todo").out


def test_files_that_are_no_tickets(person: Person) -> None:
    """A link, a sync tool's copy, two files of one name: each says what it is and what to do."""
    (person.layout.state(State.TODO) / "link.md").symlink_to("/etc/passwd")
    person.drop("TASK-1 2")
    person.drop("TASK-5")
    person.drop("task-5", state=State.DONE)

    assert code(person, "link") == "ticket-not-a-file"
    assert code(person, "TASK-1 2") == "ticket-conflict-copy"
    assert code(person, "TASK-5") == "ticket-twice"


def test_in_chinese(chinese: Person) -> None:
    """A Chinese company explains itself in Chinese."""
    chinese.drop("TASK-1", "---\nneeds: [TASK-2]\n---\n")
    chinese.drop("TASK-2", state=State.REVIEW)

    assert chinese.ok("why", "TASK-1").lines[1:] == ["  它在等 TASK-2，后者在 review。", "  → TASK-2 到 done 后就会开始。"]
    assert chinese.ok("why", "TASK-1", "--lang", "en").lines[1] == "  It waits for TASK-2, which is in review."


def test_waiting_for_the_policy(person: Person) -> None:
    """While nobody can say what agents may do, a ticket waits, and the line to correct is named."""
    person.layout.policy_file.write_text("stric: true\n")
    person.drop("TASK-1")
    answer = person.ok("why", "TASK-1", "--json").json

    assert (answer["code"], answer["remedy"]) == ("policy-unknown-key", "Did you mean `strict`?")
