"""Five receipts an attempt, and attempts that never get under way."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from hermes_company.domain.run import Attempt, Outcome
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from tests.fakes.engines import FakeEngine, TellingEngine
from tests.support.kernel_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company whose agent's engine reports all that ours do."""
    return Rig(tmp_path, engine=TellingEngine())


def told(rig: Rig, ticket: str = "T-1") -> list[tuple[str, datetime]]:
    """The receipts that were told of a ticket, in order."""
    events = EventLog(rig.layout.events_file, rig.clock).after(0)
    mine = [event.data for event in events if event.kind == "attempt.receipt" and event.ticket == ticket]
    return [(data["receipt"], datetime.fromisoformat(data["at"])) for data in mine]


def last(rig: Rig) -> Attempt:
    return rig.history("T-1")[-1]


def answer(rig: Rig, transcript: Path) -> None:
    """The model's answer stands in the transcript."""
    line = {"event": "answered", "at": rig.clock.now().timestamp()}
    with transcript.open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_each_receipt_has_its_time(rig: Rig, tmp_path: Path) -> None:
    """Process up, prompt reported, first answer, last sign of work, deliverables: recorded and told once, in this order."""
    transcript = tmp_path / "transcript.jsonl"
    rig.drop("T-1")
    rig.tick()
    begun = rig.clock.now()
    rig.tick(seconds=2)
    rig.workers.report("T-1", "prompt_submitted", transcript=str(transcript))
    submitted = rig.clock.now()
    rig.tick(seconds=2)
    answer(rig, transcript)
    answered = rig.clock.now()
    rig.tick(seconds=2)
    rig.workers.report("T-1", "tool_used")
    worked = rig.clock.now()
    rig.tick(seconds=2)
    rig.finish("T-1")
    produced = rig.clock.now()
    rig.tick(2)

    times = {
        "delivered": begun,
        "submitted": submitted,
        "started": answered,
        "progressing": worked,
        "produced": produced,
    }
    assert last(rig).receipts == times
    assert told(rig) == list({**times, "progressing": answered}.items())
    assert rig.where("T-1") is State.REVIEW


def test_a_receipt_is_told_once_by_however_many_loops(rig: Rig) -> None:
    """A loop that takes an attempt up tells no receipt again, and tells those that come."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted")
    rig.tick(seconds=2)
    rig.restart()
    rig.tick(2, seconds=2)
    assert [name for name, _ in told(rig)] == ["delivered", "submitted"]

    rig.workers.report("T-1", "tool_used")
    rig.restart()
    rig.tick(2, seconds=2)

    assert [name for name, _ in told(rig)] == ["delivered", "submitted", "started", "progressing"]


def test_a_prompt_that_is_not_taken_blocks_by_name(rig: Rig) -> None:
    """Up, but no prompt reported within a minute: blocked with what the window shows, without its secrets; no retry."""
    key = "-".join(("sk", "ant", "api03", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"))
    rig.workers.screen = f"Do you trust this folder? {key}\n"
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "session_started")
    rig.tick(seconds=59)
    assert rig.where("T-1") is State.DOING
    rig.tick(2, seconds=2)

    assert rig.where("T-1") is State.BLOCKED
    text = rig.layout.ticket("T-1", State.BLOCKED).read_text(encoding="utf-8")
    assert "Not submitted" in text
    assert "Do you trust this folder?" in text
    assert key not in text
    assert [run.outcome for run in rig.history("T-1")] == [Outcome.TIMED_OUT]


def test_without_any_report_work_on_the_screen_counts(rig: Rig) -> None:
    """Where reports are switched off, a window that changes is left alone; one that stands still is not."""
    rig.drop("T-1")
    rig.tick()
    for second in range(20):
        rig.workers.screen = f"thinking {second}\n"
        rig.tick(seconds=16)
    assert rig.where("T-1") is State.DOING

    rig.tick(4, seconds=16)

    assert rig.where("T-1") is State.BLOCKED


def test_work_that_does_not_begin_blocks_by_name(rig: Rig, tmp_path: Path) -> None:
    """The prompt was taken, but no model answers within three minutes: blocked; what stood there before is old."""
    transcript = tmp_path / "transcript.jsonl"
    answer(rig, transcript)
    rig.clock.advance(10)
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted", transcript=str(transcript))
    rig.tick(seconds=179)
    assert rig.where("T-1") is State.DOING
    rig.tick(2, seconds=2)

    assert rig.where("T-1") is State.BLOCKED
    assert "Not started" in str(last(rig).reason)


def test_an_answer_in_the_transcript_is_a_start(rig: Rig, tmp_path: Path) -> None:
    """A first tool that takes long is reported when it ends; the answer that called it stands in the transcript."""
    transcript = tmp_path / "transcript.jsonl"
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted", transcript=str(transcript))
    rig.tick(seconds=100)
    answer(rig, transcript)
    rig.tick(3, seconds=100)

    assert rig.where("T-1") is State.DOING


@pytest.mark.parametrize("report", ["guard_asked", "guard_refused"])
def test_a_call_that_the_guard_judges_is_work(rig: Rig, report: str) -> None:
    """Whose first call waits for a person's yes has begun, however long that takes."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted")
    rig.workers.report("T-1", report, rule="T-1/1", call="git push")
    rig.tick(8, seconds=60)

    assert rig.where("T-1") is State.DOING


@pytest.mark.parametrize("engine", [FakeEngine(), TellingEngine()])
def test_who_does_not_report_is_not_waited_for(tmp_path: Path, engine: FakeEngine) -> None:
    """Neither an engine that reports nothing, nor any where the settings say never, is ended for a missing receipt."""
    never = isinstance(engine, TellingEngine)
    seconds = {"submit_seconds": 0.0, "start_seconds": 0.0} if never else {}
    rig = Rig(tmp_path, engine=engine, settings=Settings(settle_seconds=0, **seconds))
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "session_started")
    rig.tick(8, seconds=60)

    assert rig.where("T-1") is State.DOING


def test_a_jump_of_the_clock_makes_nothing_overdue(rig: Rig) -> None:
    """The wall clock jumps a day ahead: nobody has waited that long."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted")
    rig.tick(seconds=2)
    rig.clock.jump(86_400)
    rig.tick(2, seconds=2)

    assert rig.where("T-1") is State.DOING
