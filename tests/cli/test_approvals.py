"""`hc approvals`, `hc approve` and `hc deny`."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.questions import QuestionFiles
from hermes_company.ports.approvals import Question
from hermes_company.wording import say
from tests.support.person import Person, both_ways

pytestmark = both_ways

BEFORE = "---\ntitle: Ship it\napprove: before  # the boss\n---\nPush.\n"


def asks(person: Person, *commands: str, ticket: str = "TASK-7", attempt: int = 1) -> None:
    """The guard of that attempt has asked for these."""
    folder = person.layout.approvals(ticket)
    folder.mkdir(parents=True, exist_ok=True)
    for number, what in enumerate(commands, start=1):
        question: dict[str, Any] = {"attempt": attempt, "rule": "push", "what": what, "folder": "/w", "call": what}
        question |= {"key": what, "anywhere": f"any {what}", "at": time.time(), "until": time.time() + 300}
        (folder / f"{number}.json").write_text(json.dumps(question))


def running(person: Person, *commands: str) -> None:
    """TASK-7 runs, and its agent asks for these."""
    person.drop("TASK-7", "# Ship it\n", state=State.DOING)
    person.attempt("TASK-7")
    person.loop_runs()
    asks(person, *commands)


def parked(person: Person, *commands: str) -> None:
    """TASK-7 was parked with these questions."""
    person.drop("TASK-7", "# Ship it\n", state=State.BLOCKED)
    person.attempt("TASK-7", outcome=Outcome.BLOCKED, moved_to=State.BLOCKED)
    person.loop_runs()
    asks(person, *commands)


def question(person: Person, number: int = 1) -> Question:
    """That question of TASK-7, as it is now."""
    found = QuestionFiles(person.layout).find(f"TASK-7/{number}")
    assert found
    return found


def told(person: Person) -> list[str]:
    """The kinds of what the loop is to tell."""
    return [notice.kind for notice in QuestionFiles(person.layout).notices()]


def text(person: Person, ticket: str, state: State) -> str:
    """That ticket's file."""
    return person.layout.ticket(ticket, state).read_text()


def test_nothing_waits(person: Person) -> None:
    """Where nothing waits, that is said."""
    person.drop("TASK-1")

    assert person.ok("approvals").lines == ["Nothing waits for your yes."]
    assert person.ok("approvals", "--json").json == {"waiting": [], "always": []}


def test_a_ticket_waits_to_be_approved(person: Person) -> None:
    """A ticket with `approve: before` is in the list, says why it waits, and starts once it is approved; nothing else of it
    changes."""
    person.drop("TASK-7", BEFORE)
    assert person.ok("approvals").lines[0].split() == ["TASK-7", "not", "to", "start", "before:", "Ship", "it"]
    assert person.ok("why", "TASK-7", "--json").json["code"] == "approval"
    first = person.ok("approve", "TASK-7", "--json").json
    again = person.ok("approve", "TASK-7", "--json").json

    assert text(person, "TASK-7", State.TODO) == BEFORE.replace("before", "given")
    assert (first[0]["changed"], again[0]["changed"]) == (True, False)
    assert person.ok("why", "TASK-7", "--json").json["code"] != "approval"
    assert person.ok("approvals", "--json").json["waiting"] == []
    assert told(person) == ["approval.given"]


def test_a_ticket_is_denied(person: Person) -> None:
    """Denied, it is parked with the person's words; approved after all, it goes back to todo."""
    person.drop("TASK-7", BEFORE)
    person.ok("deny", "TASK-7", "-m", "Not this week.")
    assert person.ok("why", "TASK-7").lines[:2] == ["TASK-7  blocked", "  ann did not approve it. Not this week."]
    assert person.ok("deny", "TASK-7", "--json").json[0]["changed"] is False
    person.ok("approve", "TASK-7")

    assert text(person, "TASK-7", State.TODO) == BEFORE.replace("before", "given")
    assert told(person) == ["approval.denied", "approval.given"]


def test_made_to_be_approved(person: Person) -> None:
    """`hc task new --approve` makes such a ticket."""
    answer = person.ok("task", "new", "Ship it", "--approve", "--id", "TASK-7", "--json").json

    assert answer["code"] == "approval"
    assert "approve: before" in text(person, "TASK-7", State.TODO)


def test_what_a_running_agent_asks(person: Person) -> None:
    """The question is in the list, in `hc why` and in `hc status`, with what would be run and how to answer."""
    running(person, "git push origin main")
    waits = person.ok("approvals", "--json").json["waiting"][0]

    assert (waits["id"], waits["question"]["what"], waits["question"]["folder"]) == ("TASK-7/1", "git push origin main", "/w")
    assert "git push origin main (rule push, in /w)" in person.ok("approvals").out
    says = "It asks whether it may run `git push origin main` in /w: `hc approve TASK-7/1`, or `hc deny TASK-7/1 -m …`."
    assert f"  ! {says}" in person.ok("why", "TASK-7").lines
    assert says in person.ok("status").out
    assert "For a person (1)" in person.ok("status").out


def test_yes_to_a_running_agent(person: Person) -> None:
    """Approved once however often it is said; no open question is left."""
    running(person, "git push")
    assert person.ok("approve", "TASK-7/1", "-m", "fine").lines == ["TASK-7/1 is approved. The agent goes on with that."]
    again = person.ok("approve", "TASK-7/1", "--json").json[0]

    answer = question(person).answer
    assert answer is not None
    assert (answer.given, answer.words, answer.by) == (True, "fine", "ann")
    assert again["changed"] is False
    assert told(person) == ["approval.given"]
    assert person.ok("approvals").lines == ["Nothing waits for your yes."]


def test_no_after_a_yes(person: Person) -> None:
    """A person may change their mind; the last word counts."""
    running(person, "git push")
    person.ok("approve", "TASK-7/1")
    person.ok("deny", "TASK-7/1", "-m", "wait")
    answer = question(person).answer

    assert answer is not None
    assert (answer.given, answer.words) == (False, "wait")


def test_the_tickets_id_is_enough_for_one_question(person: Person) -> None:
    """Where only one question is open, the ticket's id means it; of several, one has to be named."""
    parked(person, "git push", "npm publish")
    refused = person.hc("approve", "TASK-7")
    person.ok("deny", "TASK-7/2")
    person.ok("approve", "TASK-7")

    assert refused.status == 2
    assert "question-unclear" in refused.err
    assert "TASK-7/1, TASK-7/2" in refused.err
    assert question(person).answer is not None


def test_a_parked_ticket_says_what_it_waits_for(person: Person) -> None:
    """`hc why` has the questions and one line that answers them all."""
    parked(person, "git push", "npm publish")
    why = person.ok("why", "TASK-7", "--json").json

    assert why["code"] == "asks"
    assert (
        why["remedy"] == "`hc approve TASK-7/1 TASK-7/2`, or `hc deny TASK-7/1 TASK-7/2 -m …`; then its conversation goes on."
    )
    assert len(why["flags"]) == 2
    answered = person.ok("approve", "TASK-7/1", "TASK-7/2").lines
    assert answered[0] == "TASK-7/1 is approved. Its conversation goes on once all its questions are answered."
    assert person.ok("why", "TASK-7", "--json").json["code"] == "blocked"


def test_for_good(person: Person) -> None:
    """`--always` is listed with the command, and `hc deny` takes it back; said twice, either changes nothing more."""
    running(person, "git push")
    person.ok("approve", "TASK-7/1", "--always")
    person.ok("approve", "TASK-7/1", "--always")
    listed = person.ok("approvals", "--json").json["always"]
    assert "Approved for good" in person.ok("approvals").out
    person.ok("deny", "TASK-7/1")

    assert listed == [{"rule": "push", "what": "git push", "by": "ann", "id": "TASK-7/1"}]
    assert person.ok("approvals", "--json").json["always"] == []


def test_taken_back_after_it_was_used(person: Person) -> None:
    """What is taken back for good stays what it was for the call that has gone on with it."""
    running(person, "git push")
    person.ok("approve", "TASK-7/1", "--always")
    (person.layout.approvals("TASK-7") / "1.taken").touch()

    assert person.ok("deny", "TASK-7/1").lines == ["`git push` is no longer approved for good."]
    answer = question(person).answer
    assert answer is not None
    assert answer.given


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("approve", "TASK-1"), "nothing-to-approve"),
        (("deny", "TASK-1"), "nothing-to-approve"),
        (("approve", "TASK-2"), "nothing-to-approve"),
        (("approve", "TASK-7/3"), "question-unknown"),
        (("approve", "../../x/1"), "question-unknown"),
        (("approve", "TASK-7/x"), "question-unknown"),
        (("approve", "TASK-99"), "ticket-unknown"),
        (("approve", "TASK-3", "--always"), "always-needs-question"),
    ],
)
def test_refusals(person: Person, argv: tuple[str, ...], code: str) -> None:
    """What does not wait for a yes is refused by name, and nothing is written."""
    person.drop("TASK-1")
    person.drop("TASK-2", BEFORE, state=State.REVIEW)
    person.drop("TASK-3", BEFORE)

    assert code in person.hc(*argv).err
    assert told(person) == []
    assert text(person, "TASK-3", State.TODO) == BEFORE


def test_agents_do_not_answer(person: Person) -> None:
    """Whatever an agent starts can't answer for people by mistake."""
    running(person, "git push")
    person.environ |= {"HC_AGENT": "worker", "HC_RUN_TOKEN": "hc-1"}

    for verb in ("approve", "deny"):
        assert "answer-by-agent" in person.hc(verb, "TASK-7/1").err
    assert question(person).answer is None


def test_a_question_of_an_earlier_attempt_is_closed(person: Person) -> None:
    """What an attempt asked that is over, and that did not end with it, waits for nobody."""
    person.drop("TASK-7", "# Ship it\n", state=State.BLOCKED)
    person.attempt("TASK-7", outcome=Outcome.STOPPED, moved_to=State.BLOCKED, reason=say("Stopped."))
    asks(person, "git push")

    assert person.ok("approvals").lines == ["Nothing waits for your yes."]


def test_what_an_earlier_attempt_asked_is_not_asked_by_the_next(person: Person) -> None:
    """Where a new attempt runs, only its own questions are open."""
    person.drop("TASK-7", "# Ship it\n", state=State.DOING)
    person.attempt("TASK-7", outcome=Outcome.BLOCKED, moved_to=State.BLOCKED)
    person.attempt("TASK-7")
    asks(person, "git push")
    assert person.ok("approvals").lines == ["Nothing waits for your yes."]
    asks(person, "git push", attempt=2)

    assert len(person.ok("approvals", "--json").json["waiting"]) == 1
