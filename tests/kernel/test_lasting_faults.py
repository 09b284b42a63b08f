"""A fault that stays."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.ticket import State
from tests.fakes.crashing import FULL_DISK
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
