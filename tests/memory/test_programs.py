"""Programs over the event log: in order, after a crash again, and none of them in another's way."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.event_log import EventLog
from hermes_company.ports.events import Event
from hermes_company.ports.memory import Program
from hermes_company.userspace.programs import Programs
from tests.fakes.clock import FakeClock


class Recorder:
    """A program that remembers what it saw, and fails at the numbers it is told to."""

    def __init__(self, name: str = "recorder") -> None:
        self.name = name
        self.seen: list[int] = []
        self.fails_at: set[int] = set()

    def handle(self, event: Event) -> None:
        """See `Program.handle`."""
        if event.seq in self.fails_at:
            raise ValueError(f"cannot bear event {event.seq}")
        self.seen.append(event.seq)


class House:
    """An event log with programs over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = FakeClock()
        self.events = EventLog(root / "logs" / "events.jsonl", self.clock)

    def programs(self, *programs: Program) -> Programs:
        """A runner, as a new process would build it."""
        return Programs(programs, self.events, self.root / ".hc" / "programs", self.clock, write=write_atomic)

    def happen(self, count: int) -> None:
        """Append that many events."""
        for _ in range(count):
            self.events.append("ticket.added", ticket="TASK-001")

    def failures(self) -> list[Event]:
        """What the log says of failing programs."""
        return [event for event in self.events.after(0) if event.kind == "program.failed"]


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty event log."""
    return House(tmp_path)


def test_every_event_is_handed_over_once_in_order(house: House) -> None:
    """Whether they came before or between two rounds."""
    one = Recorder()
    programs = house.programs(one)
    house.happen(3)
    programs.catch_up()
    house.happen(2)
    programs.catch_up()
    programs.catch_up()
    assert one.seen == [1, 2, 3, 4, 5]


def test_a_new_process_goes_on_where_the_last_one_stopped(house: House) -> None:
    """The cursor is on disk."""
    house.happen(3)
    house.programs(Recorder()).catch_up()
    house.happen(1)
    later = Recorder()
    house.programs(later).catch_up()
    assert later.seen == [4]


def test_a_damaged_cursor_begins_anew(house: House) -> None:
    """Programs are idempotent: seeing everything again is safe, seeing nothing would not be."""
    house.happen(2)
    house.programs(Recorder()).catch_up()
    (house.root / ".hc" / "programs" / "recorder.json").write_text("{half")
    again = Recorder()
    house.programs(again).catch_up()
    assert again.seen == [1, 2]


def test_a_failing_program_holds_nobody_up(house: House) -> None:
    """The others see all events; the failing one stops before the event that it cannot bear."""
    bad, good = Recorder("bad"), Recorder("good")
    bad.fails_at = {2}
    house.happen(3)
    house.programs(bad, good).catch_up()
    assert (bad.seen, good.seen[:3]) == ([1], [1, 2, 3])


def test_a_failure_is_told_once_a_streak(house: House) -> None:
    """With program, event and the exception's type and text; again only after it had recovered, even across restarts."""
    bad = Recorder("bad")
    bad.fails_at = {2}
    house.happen(3)
    programs = house.programs(bad)
    for _ in range(5):
        programs.catch_up()
        house.clock.advance(3_600)
    house.programs(bad).catch_up()
    (told,) = house.failures()
    assert told.data == {"program": "bad", "at_seq": 2, "problem": "ValueError: cannot bear event 2"}

    bad.fails_at = {5}
    house.clock.advance(3_600)
    house.happen(2)
    programs.catch_up()
    assert [event.data["at_seq"] for event in house.failures()] == [2, 5]


def test_a_failing_program_is_tried_again_with_growing_pauses(house: House) -> None:
    """Each pause is longer than the last, up to ten minutes."""
    tries: list[float] = []

    class Broken:
        name = "broken"

        def handle(self, event: Event) -> None:
            tries.append(house.clock.boottime())
            raise OSError("no")

    house.happen(1)
    programs = house.programs(Broken())
    for _ in range(3_000):
        programs.catch_up()
        house.clock.advance(1)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (2.0, 600.0)


def test_it_goes_on_where_it_failed_once_it_can(house: House) -> None:
    """No event is skipped."""
    bad = Recorder("bad")
    bad.fails_at = {2}
    house.happen(3)
    programs = house.programs(bad)
    programs.catch_up()
    bad.fails_at = set()
    house.clock.advance(60)
    programs.catch_up()
    assert bad.seen[:3] == [1, 2, 3]


def test_a_round_is_bounded(house: House) -> None:
    """A long backlog is worked off in steps, so that tickets are not kept waiting."""
    one = Recorder()
    programs = house.programs(one)
    house.happen(7)
    programs.catch_up(limit=3)
    assert one.seen == [1, 2, 3]
    programs.catch_up(limit=3)
    assert one.seen == [1, 2, 3, 4, 5, 6]


def test_a_disk_that_refuses_the_cursor_does_not_reach_the_caller(house: House) -> None:
    """The events come again later; the kernel goes on."""

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    one = Recorder()
    house.happen(1)
    Programs([one], house.events, house.root / ".hc" / "programs", house.clock, write=full).catch_up()
    assert one.seen == [1]
