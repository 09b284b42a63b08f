"""A fault that stays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.ticket import State
from tests.fakes.crashing import FULL_DISK, Plan
from tests.fakes.workers import FakeWorkers
from tests.support.kernel_rig import Rig


@dataclass(slots=True)
class NoRoom(FakeWorkers):
    """Their output can't be kept."""

    def keep_output(self, run_dir: Path, pane: str | None) -> None:
        """See `Workers.keep_output`."""
        raise OSError(FULL_DISK, os.strerror(FULL_DISK))


def test_what_was_done_before_a_lasting_fault_is_told_once(tmp_path: Path) -> None:
    """A step behind the ticket's move that fails again and again adds nothing to the log after the first time."""
    rig = Rig(tmp_path)
    rig.workers = NoRoom(rig.clock)
    rig.restart()
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.tick(5, seconds=1)
    told = rig.kinds()
    rig.tick(20, seconds=1)

    assert rig.kinds() == told
    assert told.count("kernel.fault") == 1
    assert rig.where("T-1") is State.REVIEW


def test_without_room_for_an_event_the_loop_waits(tmp_path: Path) -> None:
    """While people's moves can't be told nothing new starts and the loop stays up; with room again all is told and done."""
    rig = Rig(tmp_path)
    rig.plan = Plan()
    rig.restart()
    rig.plan.at, rig.plan.lasting, rig.plan.error = rig.plan.calls, 10**6, FULL_DISK
    rig.plan.only = "EventLog."
    rig.drop("T-1")
    rig.tick(5, seconds=1)
    assert rig.kernel.held_up is not None
    assert rig.where("T-1") is State.TODO
    assert rig.kinds() == []

    rig.plan.at = -1
    rig.tick(2, seconds=1)

    assert rig.kernel.held_up is None
    assert rig.where("T-1") is State.DOING
    assert rig.kinds()[0] == "ticket.added"


def test_a_fault_that_can_not_be_told_is_told_later(tmp_path: Path) -> None:
    """A ticket's trouble on a disk that takes no event either ends nothing; it is told when there is room."""
    rig = Rig(tmp_path)
    rig.workers = NoRoom(rig.clock)
    rig.plan = Plan()
    rig.restart()
    rig.drop("T-1")
    rig.tick()
    rig.finish("T-1")
    rig.plan.at, rig.plan.lasting, rig.plan.error = rig.plan.calls, 10**6, FULL_DISK
    rig.plan.only = "EventLog."
    rig.tick(5, seconds=1)
    assert "kernel.fault" not in rig.kinds()

    rig.plan.at = -1
    rig.tick(20, seconds=10)

    assert rig.kinds().count("kernel.fault") == 1
