"""The event log: every event once, in order, whatever a crash left and however often the file is put aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.folders.event_log import EventLog
from hermes_company.ports.events import Draft
from tests.fakes.clock import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log lies."""
    return tmp_path / "logs" / "events.jsonl"


def _log(path: Path, rotate_bytes: int = 10_000_000) -> EventLog:
    return EventLog(path, FakeClock(), rotate_bytes)


def _seqs(log: EventLog, after: int = 0) -> list[int]:
    return [event.seq for event in log.after(after)]


def test_seq_only_grows_across_restarts(path: Path) -> None:
    """A new writer goes on where the last one stopped."""
    _log(path).append("a.b", ticket="T-1", data={"text": "中文"})
    second = _log(path).append("a.c")

    assert second.seq == 2
    first = next(iter(_log(path).after(0)))
    assert (first.kind, first.ticket, first.data) == ("a.b", "T-1", {"text": "中文"})


def test_a_torn_last_line_is_closed_off(path: Path) -> None:
    """Half a line that a crash left is no event, and the next event stands on a line of its own."""
    log = _log(path)
    log.append("a.b")
    with path.open("ab") as file:
        file.write(b'{"seq": 2, "at": "2026')
    assert _seqs(_log(path)) == [1]

    _log(path).append("a.c")

    assert _seqs(_log(path)) == [1, 2]
    assert path.read_bytes().count(b"\n") == 3


def test_lines_of_strangers_are_passed_over(path: Path) -> None:
    """What somebody typed into the log breaks nothing."""
    _log(path).append("a.b")
    with path.open("ab") as file:
        file.write(b"hello\n[1]\n\xff\xfe\n{}\n")
    _log(path).append("a.c")

    assert _seqs(_log(path)) == [1, 2]


def test_a_reader_that_asks_again_gets_only_what_is_new(path: Path) -> None:
    """Any cursor may be asked for, in any order, also while the log grows."""
    log = _log(path)
    for _ in range(5):
        log.append("a.b")
    assert _seqs(log, 3) == [4, 5]
    log.append("a.b")

    assert _seqs(log, 5) == [6]
    assert _seqs(log, 0) == [1, 2, 3, 4, 5, 6]
    assert _seqs(log, 6) == []


def test_a_log_that_is_put_aside_loses_nothing(path: Path) -> None:
    """Readers with any cursor see every event once, across any number of files; a new writer counts on."""
    log, reader = _log(path, rotate_bytes=200), _log(path)
    seen: list[int] = []
    for _ in range(20):
        log.append("a.b", data={"filler": "x" * 40})
        seen += _seqs(reader, seen[-1] if seen else 0)

    assert seen == list(range(1, 21))
    assert _seqs(_log(path)) == list(range(1, 21))
    assert _seqs(_log(path), 7) == list(range(8, 21))
    assert len(list(path.parent.iterdir())) > 3
    assert _log(path).append("a.c").seq == 21


def test_a_crash_right_after_putting_aside_counts_on(path: Path) -> None:
    """With no current file the next `seq` comes from the name of the newest one aside."""
    log = _log(path)
    for _ in range(3):
        log.append("a.b")
    path.rename(path.with_name("events-000000000003.jsonl"))

    assert _log(path).append("a.c").seq == 4
    assert _seqs(_log(path)) == [1, 2, 3, 4]


def test_several_events_at_once_are_several_lines(path: Path) -> None:
    """A batch counts on like single events, and a reader sees each."""
    log = _log(path)
    log.append("a.b")
    log.append_all([Draft(kind="c.d", ticket=f"T-{n}") for n in range(3)])
    log.append_all([])

    assert [(e.seq, e.kind, e.ticket) for e in _log(path).after(1)] == [(n + 2, "c.d", f"T-{n}") for n in range(3)]
    assert log.append("a.c").seq == 5
