"""The loop is killed at every call it makes, and every call fails once with a full disk: nothing is lost or doubled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from tests.fakes.crashing import FULL_DISK, Crash, Plan
from tests.support.kernel_rig import Rig


def _to_review(rig: Rig) -> None:
    rig.drop("T-1")
    rig.tick()
    rig.workers.report("T-1", "prompt_submitted")
    rig.finish("T-1")
    rig.tick(2)


def _rejected(rig: Rig) -> None:
    _to_review(rig)
    RunFiles(rig.layout).give_feedback("T-1", 1, "more")
    rig.mv("T-1", State.DOING)
    rig.tick()
    rig.finish("T-1")
    rig.tick(2)


def _dies_once(rig: Rig) -> None:
    rig.drop("T-1")
    rig.tick()
    rig.workers.exit("T-1", 1)
    rig.tick(2)
    rig.tick(1, seconds=40)
    rig.finish("T-1")
    rig.tick(2)


def _pulled_back(rig: Rig) -> None:
    rig.drop("T-1")
    rig.tick()
    rig.mv("T-1", State.TODO)
    rig.tick(3)
    rig.finish("T-1")
    rig.tick(2)


STORIES: dict[str, Callable[[Rig], None]] = {
    "to review": _to_review,
    "rejected": _rejected,
    "dies once": _dies_once,
    "pulled back": _pulled_back,
}


def _length(story: Callable[[Rig], None], folder: Path) -> int:
    """How many calls the story makes when nothing goes wrong."""
    rig = Rig(folder)
    rig.plan = Plan()
    rig.restart()
    story(rig)
    return rig.plan.calls


def _live_through(rig: Rig, story: Callable[[Rig], None]) -> None:
    """Whatever the strike interrupted: start again, let agents do their work, until the ticket is in review."""
    try:
        rig.restart()
        story(rig)
    except (Crash, AssertionError, StopIteration, OSError):
        # The story itself goes wrong where the strike came; what counts is what follows.
        pass
    rig.plan = None
    if not rig.layout.ticket("T-1", State.TODO).exists() and not list(rig.layout.tasks.rglob("T-1.md")):
        rig.drop("T-1")
    rig.restart()
    for _ in range(12):
        rig.tick(1, seconds=400)
        for process in [p for p in rig.workers.processes.values() if p.alive]:
            ticket = process.order.run_dir.parent.name
            if not (rig.outbox(ticket) / "DONE").exists():
                rig.finish(ticket)


def _promises_hold(rig: Rig, where: str) -> None:
    assert rig.where("T-1") is State.REVIEW, where
    starts = Counter(rig.workers.starts)
    assert not [folder for folder, times in starts.items() if times > 1], f"started twice: {where}"
    assert not [p for p in rig.workers.processes.values() if p.alive], f"a process outlived its attempt: {where}"
    attempts = rig.history("T-1")
    assert all(a.phase is Phase.CLOSED for a in attempts), where
    assert attempts[-1].outcome is Outcome.FINISHED, where
    assert not list(RunFiles(rig.layout).opened()), where
    assert not list(rig.layout.root.rglob("*.tmp"))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", STORIES)
def test_killed_at_every_call(tmp_path: Path, name: str, after: bool) -> None:
    """Killed before or after any call of the story, the next loop carries on: one start an attempt, review in the end."""
    for at in range(_length(STORIES[name], tmp_path / "whole")):
        rig = Rig(tmp_path / f"{at}")
        rig.plan = Plan(at=at, after=after)
        struck = rig.plan.struck
        _live_through(rig, STORIES[name])
        _promises_hold(rig, f"call {at}: {struck}")


@pytest.mark.parametrize("lasting", [1, 7])
@pytest.mark.parametrize("name", STORIES)
def test_a_full_disk_at_every_call(tmp_path: Path, name: str, lasting: int) -> None:
    """Any call may fail with ENOSPC, once or for a while: the loop stays up and the ticket arrives all the same."""
    for at in range(_length(STORIES[name], tmp_path / "whole")):
        rig = Rig(tmp_path / f"{at}")
        rig.plan = Plan(at=at, error=FULL_DISK, lasting=lasting)
        struck = rig.plan.struck
        _live_through(rig, STORIES[name])
        _promises_hold(rig, f"call {at}: {struck}")
