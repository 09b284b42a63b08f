"""People's answers: told once, and the conversation that waits for them goes on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.questions import QuestionFiles
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.approvals import Answer, Notice
from hermes_company.userspace.answers import Answers
from tests.support.kernel_rig import Rig

YES, NO = Answer(given=True, by="ann"), Answer(given=False, words="Not before Monday.", by="ann")


class Stubborn(QuestionFiles):
    """Gone before a notice is dropped."""

    def drop(self, notice: Notice) -> None:
        """As after kill -9."""
        raise OSError("gone")


@dataclass
class Office:
    """A company whose T-1 runs, and a person who answers."""

    rig: Rig

    def __post_init__(self) -> None:
        self.questions = QuestionFiles(self.rig.layout)
        self.restart()
        self.rig.drop("T-1")
        self.rig.tick()

    def restart(self, questions: QuestionFiles | None = None) -> None:
        """A new loop over the same files."""
        layout, clock, runs = self.rig.layout, self.rig.clock, RunFiles(self.rig.layout)
        board, events = FolderBoard(layout, clock, 0), EventLog(layout.events_file, clock)
        self.answers = Answers(questions or self.questions, board, runs, events, runs.give_feedback, lang="en")
        self.rig.restart()

    def go_round(self, times: int = 2) -> None:
        """Let the loop go round."""
        for _ in range(times):
            self.answers.deliver()
            self.rig.tick(1, seconds=2)

    def ask(self, number: int = 1, what: str = "git push") -> None:
        """The guard of T-1's last attempt asks."""
        folder = self.rig.layout.approvals("T-1")
        folder.mkdir(exist_ok=True)
        question = {"attempt": len(self.rig.history("T-1")), "rule": "push", "what": what, "folder": "/w", "call": what}
        (folder / f"{number}.json").write_text(json.dumps({**question, "key": what, "anywhere": what, "at": 1, "until": 2}))

    def answer(self, answer: Answer, number: int = 1) -> None:
        """The person answers."""
        question = self.questions.find(f"T-1/{number}")
        assert question
        self.questions.answer(question, answer)

    def told(self) -> list[dict[str, Any]]:
        """What the events of answers say, with their kinds, without what differs each time."""
        events = EventLog(self.rig.layout.events_file, self.rig.clock).after(0)
        answers = [event for event in events if event.kind in ("approval.given", "approval.denied")]
        return [{"kind": e.kind, **{k: v for k, v in e.data.items() if k != "notice"}} for e in answers]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """One whose agent has just begun."""
    rig = Rig(tmp_path)
    office = Office(rig)
    rig.workers.report("T-1", "prompt_submitted")
    return office


def parked(office: Office) -> None:
    """Its call was given up: T-1 goes to blocked."""
    office.rig.block("T-1", "It waits for a person's answer.")
    office.go_round()
    assert office.rig.where("T-1") is State.BLOCKED


def test_a_parked_conversation_goes_on(office: Office) -> None:
    """Answered, the ticket goes back to doing by itself, and the same conversation is told the answer; it is told once."""
    office.ask()
    parked(office)
    office.answer(YES)
    office.go_round()
    office.restart()
    office.go_round()

    first, second = office.rig.history("T-1")
    assert second.session_id == first.session_id
    assert second.feedback == "A person has approved `git push` in /w. Run exactly that again, then go on."
    given = {"kind": "approval.given", "call": "git push", "question": "T-1/1", "words": "", "by": "ann"}
    assert office.told() == [given]
    assert not office.questions.notices()


def test_all_questions_have_to_be_answered(office: Office) -> None:
    """Of several questions the last answer sends it on, with all the answers."""
    office.ask(1)
    office.ask(2, "npm publish")
    parked(office)
    office.answer(YES, 1)
    office.go_round()
    assert office.rig.where("T-1") is State.BLOCKED
    office.answer(NO, 2)
    office.go_round()

    assert (office.rig.history("T-1")[1].feedback or "").splitlines() == [
        "A person has approved `git push` in /w. Run exactly that again, then go on.",
        "A person said no to `npm publish`. Not before Monday. Go on without it.",
    ]
    assert [data["kind"] for data in office.told()] == ["approval.given", "approval.denied"]


def test_what_the_call_has_taken_moves_nothing(office: Office) -> None:
    """Where the call went on with the answer, it is told, and a later end of the attempt is an end as any other."""
    office.ask()
    office.answer(YES)
    (office.rig.layout.approvals("T-1") / "1.taken").touch()
    office.go_round()
    parked(office)
    office.go_round()

    assert office.rig.where("T-1") is State.BLOCKED
    assert len(office.told()) == 1
    assert not office.questions.notices()


def test_an_answer_that_comes_while_the_ticket_is_parked(office: Office) -> None:
    """Answered when the call was given up already, but the ticket is not in blocked yet: it goes on as soon as it is."""
    office.ask()
    office.answer(YES)
    office.go_round()
    assert len(office.questions.notices()) == 1
    office.rig.block("T-1", "It waits for a person's answer.")
    office.go_round(4)

    assert office.rig.where("T-1") is State.DOING
    assert len(office.rig.history("T-1")) == 2
    assert len(office.told()) == 1


def test_killed_before_it_is_noted(office: Office) -> None:
    """A loop that was killed in between tells nothing twice and starts nothing twice."""
    office.ask()
    parked(office)
    office.restart(Stubborn(office.rig.layout))
    office.answer(YES)
    office.go_round()
    office.restart()
    office.go_round()

    assert len(office.told()) == 1
    assert len(office.rig.history("T-1")) == 2
    assert not office.questions.notices()


@pytest.mark.parametrize("place", [State.TODO, State.REVIEW, State.DONE])
def test_a_person_was_faster(office: Office, place: State) -> None:
    """A ticket that a person has moved on stays where it is; the answer is told all the same."""
    office.ask()
    parked(office)
    office.rig.agents.book.clear()
    office.rig.mv("T-1", place)
    office.answer(YES)
    office.go_round()

    assert office.rig.where("T-1") is place
    assert RunFiles(office.rig.layout).feedback("T-1", 1) is None
    assert len(office.told()) == 1
    assert not office.questions.notices()


def test_an_answer_about_a_ticket_is_told(office: Office) -> None:
    """A ticket's own approval becomes an event, too."""
    office.questions.answer_ticket("T-9", NO)
    office.go_round()

    assert office.told() == [{"kind": "approval.denied", "question": None, "words": "Not before Monday.", "by": "ann"}]
