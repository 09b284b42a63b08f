"""DONE is a claim: it is checked, and what is missing goes to the reviewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from tests.support.kernel_rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company at work."""
    return Rig(tmp_path)


def flags(rig: Rig) -> list[str]:
    return [str(flag) for flag in rig.history("T-1")[-1].flags]


def handed_in(rig: Rig, front: str = "", summary: str = "# Summary\n\nAll done.\n", make: str = "") -> None:
    """The ticket is in review."""
    rig.drop("T-1", f"---\ntitle: x\n{front}\n---\ndo it")
    rig.tick()
    if make:
        (rig.outbox("T-1") / make).parent.mkdir(parents=True, exist_ok=True)
        (rig.outbox("T-1") / make).touch()
    rig.finish("T-1", summary=summary)
    rig.tick(3)
    assert rig.where("T-1") is State.REVIEW
    assert rig.history("T-1")[-1].outcome is Outcome.FINISHED


def test_what_the_ticket_expects_and_is_not_there_is_flagged(rig: Rig) -> None:
    """In the attempt's record, in the ticket's runtime block and in the event; what is there is not named."""
    handed_in(rig, "expects: [dist/*.html, dist/none.js]", make="dist/index.html")

    assert flags(rig) == ["Expected, but not there: dist/none.js."]
    assert "dist/none.js" in rig.layout.ticket("T-1", State.REVIEW).read_text(encoding="utf-8").partition("runtime:")[2]
    closed = [event for event in EventLog(rig.layout.events_file, rig.clock).after(0) if event.kind == "attempt.closed"]
    assert closed[-1].data["flags"] == flags(rig)


def test_a_workdir_is_looked_through_too(rig: Rig, tmp_path: Path) -> None:
    """Deliverables lie in the workdir or in the outbox."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "page.html").touch()
    handed_in(rig, f"workdir: {work}\nexpects: [page.html, notes.md]", make="notes.md")

    assert flags(rig) == []


def test_a_summary_of_headings_is_flagged(rig: Rig) -> None:
    """A template that nobody filled in is there, and says nothing."""
    handed_in(rig, summary="# Steps\n\n## Pitfalls\n")

    assert flags(rig) == ["summary.md has headings only."]


def test_work_left_in_the_background_is_waited_for_and_then_flagged(rig: Rig) -> None:
    """The engine says that background work goes on: it may end within the grace; else it is ended and the reviewer told."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.workers.report("T-1", "turn_ended", background=True)
    rig.tick(seconds=1)
    rig.tick(seconds=10)
    assert rig.where("T-1") is State.DOING
    rig.tick(3, seconds=10)

    assert rig.where("T-1") is State.REVIEW
    assert flags(rig) == ["What it had left running in the background had not ended; it was ended."]


def test_background_work_that_ends_is_no_matter(rig: Rig) -> None:
    """The turn goes on when it has ended, and ends once more: nothing is flagged."""
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.workers.report("T-1", "turn_ended", background=True)
    rig.tick(seconds=1)
    rig.workers.report("T-1", "turn_ended")
    rig.tick(3, seconds=1)

    assert rig.where("T-1") is State.REVIEW
    assert flags(rig) == []


def test_what_is_not_handed_in_is_not_checked(rig: Rig) -> None:
    """A blocked ticket lacks whatever it lacks."""
    rig.drop("T-1", "---\ntitle: x\nexpects: [page.html]\n---\n")
    rig.tick()
    rig.block("T-1", "no access")
    rig.tick(3)

    assert rig.where("T-1") is State.BLOCKED
    assert flags(rig) == []
