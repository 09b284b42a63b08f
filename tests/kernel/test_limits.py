"""Limits and failures of engines: who waits, who stops, and what goes on when."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_company.domain.breaker import EngineNote
from hermes_company.domain.budget import Hold
from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from hermes_company.wording import say
from tests.fakes.clock import FakeClock
from tests.fakes.engines import TellingEngine
from tests.fakes.spending import FakeSpending
from tests.support.kernel_rig import Rig


@dataclass(slots=True)
class SlowSpending(FakeSpending):
    """On a machine on which it takes a second to find out that everything waits."""

    clock: FakeClock = field(default_factory=FakeClock)

    def company_hold(self) -> None:
        """See `Spending.company_hold`."""
        self.clock.advance(1)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company of two whose engine tells its failures."""
    rig = Rig(tmp_path, engine=TellingEngine())
    rig.agent("bob")
    return rig


def at_work(rig: Rig, ticket: str, owner: str = "ann") -> None:
    """The ticket's prompt has arrived and a first tool was used."""
    rig.drop(ticket, f"---\nowner: {owner}\n---\ndo it")
    rig.tick()
    rig.workers.report(ticket, "session_started", session_id=f"session-of-{ticket}")
    rig.workers.report(ticket, "prompt_submitted")
    rig.workers.report(ticket, "tool_used")
    rig.tick(seconds=2)


def fails(rig: Rig, ticket: str, kind: str, minutes: float | None = None) -> None:
    """Its turn fails; a limit may say when it ends."""
    until = {"until": (rig.clock.now() + timedelta(minutes=minutes)).isoformat()} if minutes else {}
    rig.workers.report(ticket, "turn_failed", failure=kind, **until)
    rig.tick(3, seconds=1)


def note(rig: Rig) -> EngineNote:
    return RunFiles(rig.layout).engine("fake")


def starts(rig: Rig) -> list[str]:
    return [f"{folder.parent.name}/{folder.name}" for folder in rig.workers.starts]


def test_a_limit_pauses_until_the_time_that_the_engine_gave(rig: Rig) -> None:
    """Paused, nothing else starts on the engine; then the same conversation goes on with a short line. Nothing is counted."""
    at_work(rig, "T-1")
    fails(rig, "T-1", "limit", minutes=90)
    first = rig.history("T-1")[0]
    rig.drop("T-2", "---\nowner: bob\n---\nx")
    rig.tick(88, seconds=60)
    assert (rig.where("T-1"), rig.where("T-2")) == (State.DOING, State.TODO)
    assert (first.outcome, first.failure) == (Outcome.PAUSED, "limit")
    assert starts(rig) == ["T-1/1"]
    assert rig.kinds().count("engine.paused") == 1

    rig.tick(2, seconds=60)

    assert starts(rig) == ["T-1/1", "T-1/2", "T-2/1"]
    second = rig.history("T-1")[1]
    assert (second.session_id, second.resumes, second.feedback) == ("session-of-T-1", 1, None)
    assert rig.workers.process("T-1").order.launch.argv == ("fake", "--resume", "session-of-T-1")
    told = (rig.layout.run("T-1", 2) / "prompt.md").read_text(encoding="utf-8")
    assert "Go on with ticket T-1 where you stopped" in told
    assert second.token in told
    rig.finish("T-1")
    rig.tick(2)
    assert rig.where("T-1") is State.REVIEW
    assert note(rig) == EngineNote()


def test_a_pause_survives_the_loop(rig: Rig) -> None:
    """Killed and started again while paused: the same end of the pause, the same conversation."""
    at_work(rig, "T-1")
    fails(rig, "T-1", "limit", minutes=60)
    rig.restart()
    rig.tick(58, seconds=60)
    assert starts(rig) == ["T-1/1"]
    rig.restart()
    rig.tick(2, seconds=60)

    assert starts(rig) == ["T-1/1", "T-1/2"]
    assert rig.history("T-1")[1].session_id == "session-of-T-1"


def test_a_loop_that_dies_while_it_pauses_is_carried_on(rig: Rig) -> None:
    """Killed while the process tree is being ended: the next loop opens the breaker, once, until the same moment."""
    at_work(rig, "T-1")
    rig.workers.slow_end = 3
    rig.workers.report("T-1", "turn_failed", failure="limit", until=(rig.clock.now() + timedelta(hours=1)).isoformat())
    rig.tick(seconds=2)
    until = rig.history("T-1")[0].paused_until
    assert rig.history("T-1")[0].phase is Phase.ENDING
    assert note(rig) == EngineNote()
    rig.restart()
    rig.tick(4, seconds=1)

    assert rig.history("T-1")[0].phase is Phase.CLOSED
    assert (note(rig).until, note(rig).opened) == (until, 1)
    assert note(rig).reason == "fake has reached its limit. It says: “so it is”."
    assert rig.kinds().count("engine.paused") == 1


@pytest.mark.parametrize("kind", ["limit", "overloaded", "network"])
def test_without_a_time_pauses_double_up_to_an_hour(rig: Rig, kind: str) -> None:
    """5, 10, 20, 40, 60, 60 minutes; no retry is used up by any number of them."""
    at_work(rig, "T-1")
    lasted = []
    for _ in range(6):
        fails(rig, "T-1", kind)
        begun = rig.clock.now()
        until = note(rig).until
        assert until is not None
        lasted.append(round((until - begun).total_seconds() / 60))
        rig.tick(seconds=(until - begun).total_seconds() + 1)
        rig.workers.report("T-1", "prompt_submitted")
        rig.tick(seconds=2)

    assert lasted == [5, 10, 20, 40, 60, 60]
    assert {run.outcome for run in rig.history("T-1")[:-1]} == {Outcome.PAUSED}
    assert rig.where("T-1") is State.DOING


def test_several_attempts_that_meet_one_limit_are_one_pause(rig: Rig) -> None:
    """Two agents run into the same trouble at once: one pause of five minutes, both go on after it."""
    at_work(rig, "T-1")
    at_work(rig, "T-2", "bob")
    for ticket in ("T-1", "T-2"):
        rig.workers.report(ticket, "turn_failed", failure="overloaded")
    rig.tick(3, seconds=1)
    assert note(rig).opened == 1
    assert rig.kinds().count("engine.paused") == 1

    rig.tick(6, seconds=60)

    assert starts(rig) == ["T-1/1", "T-2/1", "T-1/2", "T-2/2"]


def test_what_another_hands_in_does_not_end_a_limit(rig: Rig) -> None:
    """A colleague's last words arrive after the limit was met: the engine stays paused."""
    at_work(rig, "T-1")
    at_work(rig, "T-2", "bob")
    fails(rig, "T-1", "limit", minutes=30)
    rig.finish("T-2", "bob")
    rig.tick(3)

    assert rig.where("T-2") is State.REVIEW
    assert note(rig).is_open(rig.clock.now())


def test_a_person_may_end_the_pause(rig: Rig) -> None:
    """`hc engine resume` forgets the pause: the ticket goes on within seconds, however long the last look took."""
    rig.spending = SlowSpending(clock=rig.clock)
    rig.restart()
    at_work(rig, "T-1")
    fails(rig, "T-1", "limit", minutes=600)
    RunFiles(rig.layout).remember_engine("fake", EngineNote())
    rig.tick(2, seconds=5)

    assert starts(rig) == ["T-1/1", "T-1/2"]


@pytest.mark.parametrize(("kind", "remedy"), [("login", "Log in"), ("billing", "Add funds")])
def test_a_bad_login_stops_at_once(rig: Rig, kind: str, remedy: str) -> None:
    """Blocked with the remedy at the first failure, no retry; nobody else is started on that engine meanwhile."""
    at_work(rig, "T-1")
    fails(rig, "T-1", kind)
    rig.drop("T-2", "---\nowner: bob\n---\nx")
    rig.tick(4, seconds=60)

    assert rig.where("T-1") is State.BLOCKED
    assert rig.history("T-1")[0].outcome is Outcome.REFUSED
    assert remedy in rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")
    assert starts(rig) == ["T-1/1"]


def test_an_unknown_model_stops_its_ticket_only(rig: Rig) -> None:
    """The model is the agent's: its ticket is blocked with the remedy, others start on the engine."""
    at_work(rig, "T-1")
    fails(rig, "T-1", "model")
    rig.drop("T-2", "---\nowner: bob\n---\nx")
    rig.tick(2)

    assert rig.where("T-1") is State.BLOCKED
    assert "profile of ann" in rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")
    assert rig.where("T-2") is State.DOING


def test_any_other_failed_turn_is_a_failed_try(rig: Rig) -> None:
    """It counts as died, with the engine's words, instead of waiting for its time to be over."""
    at_work(rig, "T-1")
    fails(rig, "T-1", "other")

    assert rig.where("T-1") is State.TODO
    assert rig.history("T-1")[0].outcome is Outcome.DIED
    assert "so it is" in str(rig.history("T-1")[0].reason)


def test_a_failure_that_work_followed_is_over(rig: Rig) -> None:
    """Somebody told it to go on and it did: nothing is paused."""
    at_work(rig, "T-1")
    rig.workers.report("T-1", "turn_failed", failure="limit")
    rig.clock.advance(1)
    rig.workers.report("T-1", "prompt_submitted")
    rig.tick(3, seconds=1)

    assert rig.where("T-1") is State.DOING
    assert len(rig.history("T-1")) == 1
    assert rig.history("T-1")[0].outcome is None


def test_a_failure_stands_when_the_engine_gives_up(rig: Rig) -> None:
    """It fails, waits, and ends by itself: still the limit, not a death that uses up a retry."""
    at_work(rig, "T-1")
    for event in ("turn_failed", "notice", "session_ended"):
        rig.clock.advance(0.1)
        rig.workers.report("T-1", event, failure="limit")
    rig.workers.exit("T-1", 1)
    rig.tick(3, seconds=1)

    assert rig.history("T-1")[0].outcome is Outcome.PAUSED
    assert rig.where("T-1") is State.DOING


def test_what_is_handed_in_counts_more_than_a_failure(rig: Rig) -> None:
    """DONE and a summary are there, then the turn fails: the ticket goes to review."""
    at_work(rig, "T-1")
    rig.finish("T-1")
    fails(rig, "T-1", "limit")
    rig.tick(1, seconds=30)
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW


def test_a_failure_in_the_transcript_counts_only_if_it_is_new(rig: Rig, tmp_path: Path) -> None:
    """An engine without a hook for it writes it down; what stood there before the attempt is old."""
    transcript = tmp_path / "transcript.jsonl"
    line = {"event": "turn_failed", "failure": "limit", "at": rig.clock.now().timestamp() - 60}
    transcript.write_text(json.dumps(line) + "\n")
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted", transcript=str(transcript))
    rig.tick(3, seconds=2)
    assert rig.history("T-1")[0].outcome is None

    with transcript.open("a") as file:
        file.write(json.dumps({**line, "at": rig.clock.now().timestamp()}) + "\n")
    rig.tick(3, seconds=2)

    assert rig.history("T-1")[0].outcome is Outcome.PAUSED


@pytest.mark.parametrize("arrived", [True, False])
def test_feedback_is_not_lost_in_a_pause(rig: Rig, arrived: bool) -> None:
    """Paused while it acts on feedback, a conversation that knows it is only told to go on; a new one hears it again."""
    at_work(rig, "T-1")
    rig.finish("T-1")
    rig.tick(2)
    RunFiles(rig.layout).give_feedback("T-1", 1, "标题要更大")
    rig.mv("T-1", State.DOING)
    rig.tick()
    if arrived:
        rig.workers.report("T-1", "prompt_submitted")
    fails(rig, "T-1", "overloaded")
    rig.tick(6, seconds=60)

    assert [run.feedback for run in rig.history("T-1")] == [None, "标题要更大", "标题要更大"]
    told = (rig.layout.run("T-1", 3) / "prompt.md").read_text(encoding="utf-8")
    assert ("标题要更大" in told, "Go on with ticket T-1" in told) == (not arrived, arrived)
    rig.workers.exit("T-1", 1)
    rig.tick(3, seconds=31)
    assert rig.history("T-1")[3].feedback == "标题要更大"


def test_feedback_on_paused_work_goes_first(rig: Rig) -> None:
    """A person who has something to say to a paused ticket is heard when it goes on."""
    at_work(rig, "T-1")
    fails(rig, "T-1", "limit", minutes=5)
    RunFiles(rig.layout).give_feedback("T-1", 1, "只改标题")
    rig.tick(7, seconds=60)

    assert "只改标题" in (rig.layout.run("T-1", 2) / "prompt.md").read_text(encoding="utf-8")


def test_a_clock_that_was_set_back_hides_no_failure(rig: Rig) -> None:
    """The wall clock goes back an hour while it works: the failure that is reported then counts all the same."""
    at_work(rig, "T-1")
    rig.clock.jump(-3_600)
    fails(rig, "T-1", "limit", minutes=5)

    assert rig.history("T-1")[0].outcome is Outcome.PAUSED


def test_a_budget_that_ends_lets_the_conversation_go_on_later(rig: Rig) -> None:
    """Ended with outcome `budget`, held while there is no room, then resumed; it is no failure and no retry."""
    at_work(rig, "T-1")
    used_up = Hold(code="budget-used-up", reason=say("Used up."), remedy=say("Raise it."))
    rig.spending.ends["T-1"] = rig.spending.tickets["T-1"] = used_up
    rig.tick(4, seconds=5)
    assert (rig.where("T-1"), rig.history("T-1")[0].outcome) == (State.DOING, Outcome.BUDGET)
    assert starts(rig) == ["T-1/1"]
    assert note(rig) == EngineNote()

    rig.spending.ends.clear()
    rig.spending.tickets.clear()
    rig.tick(2, seconds=61)

    assert starts(rig) == ["T-1/1", "T-1/2"]
    assert rig.history("T-1")[1].session_id == "session-of-T-1"
    assert "Go on with ticket T-1" in (rig.layout.run("T-1", 2) / "prompt.md").read_text(encoding="utf-8")


def test_done_counts_more_than_a_budget(rig: Rig) -> None:
    """What was handed in goes to review, however much it took."""
    at_work(rig, "T-1")
    (rig.outbox("T-1") / "summary.md").write_text("done", encoding="utf-8")
    (rig.outbox("T-1") / "DONE").touch()
    rig.spending.ends["T-1"] = Hold(code="budget-used-up", reason=say("Used up."), remedy=say("Raise it."))
    rig.tick(2, seconds=5)
    rig.workers.report("T-1", "turn_ended")
    rig.tick(3, seconds=1)

    assert rig.where("T-1") is State.REVIEW
