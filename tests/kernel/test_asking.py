"""An engine that asks something instead of taking its prompt: named, told once, left to the person."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.engines.screens import ClaudeScreen
from hermes_company.folders.event_log import EventLog
from tests.support.kernel_rig import Rig

TRUST = " Accessing workspace:\n /tmp/x\n ❯ 1. Yes, I trust this folder\n   2. No, exit\n\n Enter to confirm · Esc to cancel\n"
BYPASS = " WARNING: running in Bypass Permissions mode\n ❯ 1. No, exit\n   2. Yes, I accept\n\n Enter to confirm\n"
RULE = "─" * 100
READY = f"● Hello\n{RULE}\n❯\N{NO-BREAK SPACE}\n{RULE}\n  ⏵⏵ bypass permissions on\n"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company at work on one ticket whose engine has not reported anything."""
    rig = Rig(tmp_path, screens={"fake": ClaudeScreen()})
    rig.drop("T-1")
    rig.tick(2)
    assert rig.where("T-1") is State.DOING
    return rig


def asked(rig: Rig) -> list[str]:
    """The dialogs that were told, in order."""
    events = EventLog(rig.layout.events_file, rig.clock).after(0)
    return [event.data["dialog"] for event in events if event.kind == "attempt.asks"]


def flags(rig: Rig) -> list[str]:
    """What is pointed out about the attempt."""
    return [str(flag) for flag in rig.history("T-1")[-1].flags]


def test_a_dialog_is_told_once_and_by_what_it_asks(rig: Rig) -> None:
    """After some seconds the event and the flag say what it asks and where to answer; they do not come again."""
    rig.workers.screen = TRUST
    rig.tick(3, seconds=2)
    assert asked(rig) == ["trust"]

    rig.tick(20, seconds=20)

    assert asked(rig) == ["trust"]
    assert flags(rig) == ["It asks whether the folder is trusted, and only you can answer: `hc attach ann`."]


def test_the_next_dialog_is_told_too(rig: Rig) -> None:
    """Behind an answered dialog another may open: it takes the first one's place."""
    rig.workers.screen = TRUST
    rig.tick(1, seconds=6)
    rig.workers.screen = BYPASS
    rig.tick(2, seconds=6)

    assert asked(rig) == ["trust", "bypass"]
    assert len(flags(rig)) == 1
    assert "without asking for permissions" in flags(rig)[0]


@pytest.mark.parametrize("way", ["it goes away", "the prompt arrives"])
def test_an_answered_dialog_is_no_longer_pointed_out(rig: Rig, way: str) -> None:
    """Once it is gone, or the engine reports its prompt, the flag is gone."""
    rig.workers.screen = TRUST
    rig.tick(1, seconds=6)
    assert flags(rig)
    if way == "it goes away":
        rig.workers.screen = READY
    else:
        rig.workers.report("T-1", "prompt_submitted")
    rig.tick(2, seconds=6)

    assert flags(rig) == []


def test_a_restarted_loop_goes_on_pointing_it_out(rig: Rig) -> None:
    """The next loop neither doubles the flag nor forgets to take it away."""
    rig.workers.screen = TRUST
    rig.tick(1, seconds=6)
    rig.restart()
    rig.tick(3, seconds=6)
    assert len(flags(rig)) == 1
    rig.restart()
    rig.workers.screen = READY
    rig.tick(3, seconds=6)

    assert flags(rig) == []


def test_who_has_taken_the_prompt_is_not_looked_at(rig: Rig) -> None:
    """After the engine's report of its prompt no picture is taken any more, whatever the window shows."""
    rig.workers.report("T-1", "prompt_submitted")
    rig.workers.screen = TRUST
    rig.tick(30, seconds=20)

    assert (rig.workers.pictures, asked(rig)) == (0, [])


def test_looks_are_few(rig: Rig) -> None:
    """An engine that reports nothing costs one picture after five seconds, then after growing pauses, one a minute at last."""
    rig.tick(4, seconds=1)
    assert rig.workers.pictures == 0
    rig.tick(600, seconds=1)

    assert 8 <= rig.workers.pictures <= 14


def test_an_engine_whose_window_nobody_reads_is_not_looked_at(tmp_path: Path) -> None:
    """Without a reader for its window no picture is taken."""
    rig = Rig(tmp_path)
    rig.workers.screen = TRUST
    rig.drop("T-1")
    rig.tick(20, seconds=20)

    assert (rig.workers.pictures, asked(rig)) == (0, [])
