"""The event log: what was written is read once, in order, by any number of readers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.folders.event_log import EventLog
from tests.fakes.clock import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log lies."""
    return tmp_path / "logs/events.jsonl"


def fill(path: Path, count: int) -> EventLog:
    """A log with so many events."""
    log = EventLog(path, FakeClock())
    for _ in range(count):
        log.append("ticket.added", ticket="TASK-1")
    return log


def read(log: EventLog, after: int = 0) -> list[int]:
    """The numbers of the events after one."""
    return [event.seq for event in log.after(after)]


def test_every_reader_begins_where_it_likes(path: Path) -> None:
    """A reader that asks again gets what is new; one that asks for the beginning gets all, whoever asked before."""
    log = fill(path, 3)

    assert (read(log), read(log, 3), read(log, 1), read(log)) == ([1, 2, 3], [], [2, 3], [1, 2, 3])
    log.append("ticket.added")
    assert (read(log, 3), read(log, 3), read(log, 4)) == ([4], [4], [])


def test_what_is_read_again_is_only_what_is_new(path: Path) -> None:
    """A reader at the end of a long log does not read it from its beginning: what changes there it does not see."""
    log = fill(path, 3)
    read(log)
    path.write_bytes(path.read_bytes().replace(b'"seq": 1', b'"seq": 8'))
    log.append("ticket.added")

    assert read(log, 3) == [4]


def test_a_reader_that_stops_half_way_misses_nothing(path: Path) -> None:
    """Who takes one event and leaves gets the others next time."""
    log = fill(path, 3)
    first = next(log.after(0)).seq

    assert [first, *read(log, first)] == [1, 2, 3]


def test_a_torn_line_is_no_event_yet(path: Path) -> None:
    """A line without its end is not read, and is read once it is whole."""
    log = fill(path, 2)
    line = json.dumps({"seq": 3, "at": "2026-05-01T09:00:00+00:00", "kind": "x"}).encode()
    with path.open("ab") as file:
        file.write(line)
    torn = read(log, 2)
    with path.open("ab") as file:
        file.write(b"\n")

    assert (torn, read(log, 2)) == ([], [3])


def test_a_log_that_was_cut_is_read_from_its_beginning(path: Path) -> None:
    """Where somebody put the log aside and a new one began, nothing of the new one is missed."""
    log = fill(path, 5)
    read(log)
    path.unlink()
    fresh = json.dumps({"seq": 6, "at": "2026-05-01T09:00:00+00:00", "kind": "x"})
    path.write_text(fresh + "\n")

    assert read(log, 5) == [6]


def test_no_log_yet(path: Path) -> None:
    """A company where nothing has happened has no events."""
    assert read(EventLog(path, FakeClock())) == []
