"""`hc task` for tickets that are there: list, show, and what a person may do to them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.runs import TicketNote
from tests.support.person import Person


def test_list_leaves_out_what_is_done(person: Person) -> None:
    """Everything that is not done, by folder; what is done is counted, and listed when asked for."""
    person.drop("TASK-1", "---\ntitle: 落地页\nowner: worker\npriority: high\n---\n")
    person.drop("TASK-2", state=State.BLOCKED)
    person.drop("TASK-3", "# Old\n", state=State.DONE)
    answer = person.ok("task", "list")
    rows = person.ok("task", "list", "--json").json["tickets"]

    assert answer.lines[0] == "TASK-1  todo     high    worker  落地页"
    assert answer.lines[-1] == "Done: 1. `hc task list --state done` shows them."
    assert [(row["id"], row["state"]) for row in rows] == [("TASK-1", "todo"), ("TASK-2", "blocked")]
    assert [row["title"] for row in person.ok("task", "list", "--state", "done", "--json").json["tickets"]] == ["Old"]


def test_list_names_files_that_are_no_tickets(person: Person) -> None:
    """A file that can't be read is not passed over in silence."""
    person.drop("bad", "---\ntitle: [\n---\n")
    answer = person.ok("task", "list")

    assert "1 files can't be used" in answer.err
    assert person.ok("task", "list", "--json").json["unreadable"][0]["path"] == "tasks/todo/bad.md"


def test_show_has_all_attempts_and_their_files(person: Person) -> None:
    """The ticket, each attempt with its outcome and where its files lie, and the text."""
    person.hand_in("TASK-1")
    RunFiles(person.layout).write("TASK-1", 1, "prompt.md", "do it")
    RunFiles(person.layout).give_feedback("TASK-1", 1, "no")
    text = person.ok("task", "show", "TASK-1").out
    shown = person.ok("task", "show", "TASK-1", "--json").json
    first = shown["attempts"][0]

    assert "Attempt 1  finished  worker, shell, from " in text
    assert " for 1 min" in text
    assert str(person.layout.run("TASK-1", 1) / "prompt.md") in text
    assert (shown["state"], first["outcome"], first["agent"], first["moved_to"]) == ("review", "finished", "worker", "review")
    assert set(first["files"]) == {"outbox", "summary.md", "prompt.md", "feedback.md"}
    assert shown["attach"] is None


def test_show_has_the_receipts_with_their_times(person: Person) -> None:
    """Each of the five receipts of an attempt with its time; what was not reported is a dash, and null for programs."""
    moment = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
    person.hand_in("TASK-1")
    runs = RunFiles(person.layout)
    runs.save(replace(runs.history("TASK-1")[0], delivered_at=moment, submitted_at=moment))
    text = person.ok("task", "show", "TASK-1").out
    shown = person.ok("task", "show", "TASK-1", "--json").json["attempts"][0]["receipts"]

    local = moment.astimezone().strftime("%Y-%m-%d %H:%M")
    assert f"Receipts: delivered {local}  submitted {local}  work begun -  last sign of work -  produced -" in text
    assert list(shown) == ["delivered", "submitted", "started", "progressing", "produced"]
    assert (shown["submitted"], shown["produced"]) == (moment.isoformat(), None)


def test_show_what_runs_has_the_way_to_watch_it(person: Person) -> None:
    """While it runs, the tmux command that shows it is there to be copied."""
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1")

    assert "tmux -L hermes-acme -u attach -t hermes:=agent_worker" in person.ok("task", "show", "TASK-1").out


def test_show_finds_an_earlier_summary(person: Person) -> None:
    """The summary of a rejected attempt is shown where it was put aside."""
    person.hand_in("TASK-1")
    aside = person.layout.outbox("worker", "TASK-1") / ".attempts/1"
    aside.mkdir(parents=True)
    (aside / "summary.md").write_text("first")
    person.attempt("TASK-1", outcome=Outcome.FINISHED, moved_to=State.REVIEW)
    files = [run["files"]["summary.md"] for run in person.ok("task", "show", "TASK-1", "--json").json["attempts"]]

    assert files == [str(aside / "summary.md"), str(aside.parent.parent / "summary.md")]


def test_show_of_an_unreadable_ticket(person: Person) -> None:
    """A file that can't be read is shown with the line and the remedy."""
    person.drop("bad", "---\ntitle: x\nownr: worker\n---\n")
    shown = person.ok("task", "show", "bad", "--json").json

    assert (shown["why"]["code"], shown["why"]["line"], shown["front_matter"]) == ("ticket-unknown-key", 3, None)
    assert "Did you mean `owner`?" in person.ok("task", "show", "bad").out


def test_stop_asks_once(person: Person) -> None:
    """A stop is left for the loop with its reason; asking again changes nothing, and what does not run is left alone."""
    person.drop("TASK-1", state=State.DOING)
    person.drop("TASK-2", state=State.REVIEW)
    person.attempt("TASK-1")
    first = person.ok("task", "stop", "TASK-1", "TASK-2", "-m", "too slow", "--json").json
    again = person.ok("task", "stop", "TASK-1", "-m", "really", "--json").json

    assert [(did["ticket"], did["changed"]) for did in first] == [("TASK-1", True), ("TASK-2", False)]
    assert again[0]["changed"] is False
    assert RunFiles(person.layout).stop_asked("TASK-1", 1) == "too slow"
    assert "nobody runs the company" in first[0]["says"]


def test_retry_queues_what_is_blocked(person: Person) -> None:
    """A blocked ticket goes back to todo; doing it again changes nothing more."""
    person.drop("TASK-1", state=State.BLOCKED)
    person.ok("task", "retry", "TASK-1")

    assert person.where("TASK-1") is State.TODO
    assert person.ok("task", "retry", "TASK-1", "--json").json[0]["changed"] is False


def test_retry_ends_a_pause(person: Person) -> None:
    """A ticket that waits after a failure need not wait any longer, and its failures are forgiven."""
    person.drop("TASK-1")
    person.attempt("TASK-1", outcome=Outcome.DIED, moved_to=State.TODO)
    runs = RunFiles(person.layout)
    runs.remember("TASK-1", TicketNote(retry_at=datetime.now(UTC) + timedelta(hours=1)))
    before = person.ok("why", "TASK-1", "--json").json["code"]
    person.ok("task", "retry", "TASK-1")

    assert before == "retry-pause"
    assert person.ok("why", "TASK-1", "--json").json["code"] == "ready"
    assert runs.note("TASK-1").forgiven == 1


@pytest.mark.parametrize("state", [State.REVIEW, State.DONE])
def test_retry_refuses_what_did_not_fail(person: Person, state: State) -> None:
    """What was handed in is sent back with feedback instead."""
    person.drop("TASK-1", state=state)
    answer = person.hc("task", "retry", "TASK-1")

    assert answer.status == 2
    assert "hc review reject TASK-1" in answer.err
    assert person.where("TASK-1") is state


def test_hold_and_release_leave_the_bytes_alone(person: Person) -> None:
    """Held and released, a ticket is byte for byte what it was, and says on hold in between."""
    text = "---\r\ntitle: 落地页  # mine\r\nx-mine: {a: 1}\r\n---\r\n\r\nbody without end"
    path = person.drop("TASK-1")
    path.write_bytes(text.encode())
    first = [person.ok("task", "hold", "TASK-1", "--json").json[0]["changed"] for _ in range(2)]
    person.rest(path)
    held = person.ok("why", "TASK-1", "--json").json["code"]
    last = [person.ok("task", "release", "TASK-1", "--json").json[0]["changed"] for _ in range(2)]

    assert (first, held, last) == ([True, False], "held", [True, False])
    assert path.read_bytes() == text.encode()


def test_hold_refuses_what_it_cannot_read(person: Person) -> None:
    """A broken ticket is not made worse."""
    path = person.drop("bad", "---\ntitle: [\n---\n")
    before = path.read_bytes()
    answer = person.hc("task", "hold", "bad")

    assert "ticket-bad-yaml" in answer.err
    assert path.read_bytes() == before


def test_cancel_parks_whatever_it_does(person: Person) -> None:
    """From todo, doing and review a ticket goes to blocked; once more changes nothing; what is done is refused."""
    for ticket, state in (("a", State.TODO), ("b", State.DOING), ("c", State.REVIEW), ("d", State.DONE)):
        person.drop(ticket, state=state)
    person.attempt("b")
    answer = person.hc("task", "cancel", "a", "b", "c", "d")

    assert [person.where(ticket) for ticket in "abc"] == [State.BLOCKED] * 3
    assert person.where("d") is State.DONE
    assert answer.status == 2
    assert len(answer.lines) == 3
    assert "ticket-done" in answer.err
    assert [did["changed"] for did in person.ok("task", "cancel", "a", "b", "c", "--json").json] == [False] * 3


def test_one_refusal_does_not_hold_the_others_up(person: Person) -> None:
    """Of several tickets each gets its own answer; the exit status is the worst one's."""
    person.drop("TASK-1", state=State.BLOCKED)
    answer = person.hc("task", "retry", "TASK-9", "TASK-1", "--json")

    assert answer.status == 2
    assert [("error" in did, did["ticket"]) for did in answer.json] == [(True, "TASK-9"), (False, "TASK-1")]
    assert person.where("TASK-1") is State.TODO


def test_an_id_that_nearly_exists(person: Person) -> None:
    """A slip is answered with what was meant."""
    person.drop("TASK-001")

    assert "Did you mean `TASK-001`?" in person.hc("task", "show", "task-01").err
    assert "Did you mean `TASK-001`?" in person.hc("task", "hold", "TASK-001.md").err


def test_two_files_of_one_name_are_not_touched(person: Person) -> None:
    """Where nobody could tell which file is meant, nothing is moved."""
    person.drop("TASK-1", state=State.BLOCKED)
    person.drop("TASK-1", state=State.REVIEW)
    answer = person.hc("task", "retry", "TASK-1")

    assert "ticket-twice" in answer.err
    assert "tasks/blocked/TASK-1.md, tasks/review/TASK-1.md" in answer.err


def test_outcomes_are_said_in_words(person: Person, chinese: Person) -> None:
    """Every way an attempt can end has words of its own in both languages."""
    said: dict[str, set[str]] = {}
    for somebody in (person, chinese):
        for number, outcome in enumerate(Outcome):
            somebody.drop(f"t{number}", state=State.BLOCKED)
            somebody.attempt(f"t{number}", outcome=outcome, moved_to=State.BLOCKED)
            lines = somebody.ok("task", "show", f"t{number}").lines
            head = next(line for line in lines if line.startswith(("Attempt 1", "第 1 次")))
            said.setdefault(outcome.value, set()).add(head.split("  ")[1])

    assert len({words for both in said.values() for words in both}) == 2 * len(Outcome)
    assert not any("_" in words for both in said.values() for words in both)
