"""The board: one transaction, one folder a ticket, strangers told apart."""

from __future__ import annotations

import multiprocessing
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State, Ticket, Unreadable
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.layout import Layout
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.board import PlaceTaken, TicketGone
from tests.fakes.clock import FakeClock


def _tomorrow() -> FakeClock:
    """Stands still a day from now, so that every file counts as settled."""
    return FakeClock(datetime.now(UTC) + timedelta(days=1))


TEXT = b"---\ntitle: x\n---\nbody\n"


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """An empty company."""
    layout = Layout(tmp_path)
    for state in State:
        layout.state(state).mkdir(parents=True)
    return layout


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still a day from now, so that every file counts as settled."""
    return _tomorrow()


@pytest.fixture
def board(layout: Layout, clock: FakeClock) -> FolderBoard:
    """The board under test."""
    return FolderBoard(layout, clock, settle_seconds=1.0)


def _put(layout: Layout, name: str, state: State = State.TODO, raw: bytes = TEXT) -> Path:
    path = layout.state(state) / name
    path.write_bytes(raw)
    return path


def test_a_move_never_overwrites(layout: Layout, board: FolderBoard) -> None:
    """A file of the same name in the target folder keeps its bytes, and so does the one that was to be moved."""
    source = _put(layout, "T-1.md", raw=b"new")
    target = _put(layout, "T-1.md", State.DOING, raw=b"running")

    with pytest.raises(PlaceTaken):
        board.move("T-1", State.TODO, State.DOING)

    assert (source.read_bytes(), target.read_bytes()) == (b"new", b"running")


def test_a_ticket_that_is_gone_is_not_moved(board: FolderBoard) -> None:
    """Whoever moved it first wins; the second is told."""
    with pytest.raises(TicketGone):
        board.move("T-1", State.TODO, State.DOING)


def test_a_move_is_seen_at_once(layout: Layout, board: FolderBoard) -> None:
    """The view after a move shows the new place only, although the folder's time stamp may not have moved on."""
    _put(layout, "T-1.md")
    assert board.view().states == {"T-1": State.TODO}

    board.move("T-1", State.TODO, State.DOING)

    assert board.view().states == {"T-1": State.DOING}
    assert "T-1" in board.view().doing


def _claim_all(root: str, barrier: multiprocessing.synchronize.Barrier, won: multiprocessing.queues.Queue[list[str]]) -> None:
    board = FolderBoard(Layout(Path(root)), _tomorrow(), 1.0)
    barrier.wait()
    mine = []
    for ticket in sorted(board.view().states):
        try:
            board.move(ticket, State.TODO, State.DOING)
            mine.append(ticket)
        except TicketGone:
            pass
    won.put(mine)


def test_eight_processes_claim_each_ticket_once(layout: Layout) -> None:
    """Whoever races for a ticket, exactly one wins it and none is lost."""
    for number in range(200):
        _put(layout, f"T-{number}.md")
    context = multiprocessing.get_context("spawn")
    barrier, won = context.Barrier(8), context.Queue()
    racers = [context.Process(target=_claim_all, args=(str(layout.root), barrier, won)) for _ in range(8)]
    for racer in racers:
        racer.start()
    claims = [ticket for _ in racers for ticket in won.get(timeout=60)]
    for racer in racers:
        racer.join(timeout=60)

    assert sorted(claims) == sorted(f"T-{n}" for n in range(200))
    assert len(list(layout.state(State.DOING).iterdir())) == 200


@pytest.mark.parametrize(
    "name", [".T-1.md.swp", "4913", "T-1.md~", ".#T-1.md", "#T-1.md#", ".T-1.md.123.tmp", "._T-1.md", "notes.txt", ".DS_Store"]
)
def test_what_editors_leave_is_no_ticket(layout: Layout, board: FolderBoard, name: str) -> None:
    """Swap, backup and temporary files are passed over without a word."""
    _put(layout, name)

    view = board.view()

    assert not view.states
    assert not view.strangers


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("T-1.sync-conflict-20260501-101010-ABC.md", "ticket-conflict-copy"),
        ("T-1 (laoban's conflicted copy 2026-05-01).md", "ticket-conflict-copy"),
        ("T-1 2.md", "ticket-conflict-copy"),
        ("do this now.md", "ticket-bad-name"),
        ("a..b.md", "ticket-bad-name"),
        ("-x.md", "ticket-bad-name"),
    ],
)
def test_strangers_are_named_and_never_claimed(layout: Layout, board: FolderBoard, name: str, code: str) -> None:
    """A file that can't be a ticket is shown with its path and never becomes one."""
    _put(layout, name)

    view = board.view()

    assert not view.states
    assert [(s.code, s.path) for s in view.strangers] == [(code, f"tasks/todo/{name}")]


def test_a_chinese_name_is_a_ticket(layout: Layout, board: FolderBoard) -> None:
    """Ids may be in any script."""
    _put(layout, "修复登录.md")

    assert board.view().states == {"修复登录": State.TODO}


def test_links_folders_and_pipes_are_strangers(layout: Layout, board: FolderBoard, tmp_path: Path) -> None:
    """Nothing is read through a link, and a FIFO holds nobody up."""
    (layout.state(State.TODO) / "L-1.md").symlink_to("/etc/passwd")
    (layout.state(State.TODO) / "D-1.md").mkdir()
    os.mkfifo(layout.state(State.TODO) / "F-1.md")

    view = board.view()

    assert not view.states
    assert {s.code for s in view.strangers} == {"ticket-not-a-file"}
    assert len(view.strangers) == 3


def test_a_name_in_two_folders_is_a_conflict(layout: Layout, board: FolderBoard) -> None:
    """The same name twice, also when only the case differs, is in conflict and has no state."""
    _put(layout, "T-1.md")
    _put(layout, "T-1.md", State.DONE)
    _put(layout, "a.md")
    _put(layout, "A.md", State.REVIEW)

    view = board.view()

    assert not view.states
    assert set(view.conflicts) == {"T-1", "a", "A"}
    assert view.conflicts["T-1"] == ("tasks/todo/T-1.md", "tasks/done/T-1.md")


def test_a_fresh_file_settles(layout: Layout, clock: FakeClock) -> None:
    """A hand-dropped file counts as unsettled until it has rested, also when its time stamp lies in the future."""
    board = FolderBoard(layout, clock, settle_seconds=1.0)
    path = _put(layout, "T-1.md")
    future = clock.now().timestamp() + 3600
    os.utime(path, (future, future))
    assert set(board.view().unsettled) == {"T-1"}

    clock.advance(1.5)

    assert not board.view().unsettled


def test_a_created_ticket_is_settled_and_unique(layout: Layout) -> None:
    """`create` makes a whole file that may start at once, and never a second one of its name."""
    board = FolderBoard(layout, SystemClock(), settle_seconds=1.0)
    board.create("T-1", TEXT)

    assert not board.view().unsettled
    assert isinstance(board.view().todo["T-1"], Ticket)
    with pytest.raises(PlaceTaken):
        board.create("T-1", b"other")
    board.move("T-1", State.TODO, State.DONE)
    with pytest.raises(PlaceTaken):
        board.create("T-1", b"other")


def test_an_unreadable_ticket_stays_and_is_named(layout: Layout, board: FolderBoard) -> None:
    """Bad YAML is content of the view with its line; the file keeps its bytes."""
    path = _put(layout, "T-1.md", raw=b"---\na: [\n---\n")

    content = board.view().todo["T-1"]

    assert isinstance(content, Unreadable)
    assert (content.code, content.path) == ("ticket-bad-yaml", "tasks/todo/T-1.md")
    assert path.read_bytes() == b"---\na: [\n---\n"


def test_a_mark_never_brings_a_moved_ticket_back(layout: Layout, board: FolderBoard) -> None:
    """Writing our block into a ticket that is gone creates nothing."""
    assert board.mark("T-1", State.DOING, {"agent": "a"}) is False

    assert not list(layout.state(State.DOING).iterdir())


def test_a_mark_leaves_no_temporary_file(layout: Layout, board: FolderBoard) -> None:
    """After a mark the folder holds the ticket and nothing else."""
    _put(layout, "T-1.md", State.DOING)

    assert board.mark("T-1", State.DOING, {"agent": "a", "attempt": 1}) is True

    assert [p.name for p in layout.state(State.DOING).iterdir()] == ["T-1.md"]
    assert b"attempt: 1" in layout.ticket("T-1", State.DOING).read_bytes()


def test_an_edit_in_place_is_seen(layout: Layout, board: FolderBoard, clock: FakeClock) -> None:
    """An edit that leaves the folder's time stamp alone is noticed by the next full look."""
    path = _put(layout, "T-1.md")
    board.view()
    path.write_bytes(b"---\ntitle: other title\n---\n")
    clock.advance(31)

    content = board.view().todo["T-1"]

    assert isinstance(content, Ticket)
    assert content.title == "other title"


def test_a_file_that_is_being_written_is_asked_for_at_each_look(layout: Layout, clock: FakeClock) -> None:
    """A file that grows while others come is not taken for what it was at first, and does not start too early."""
    board = FolderBoard(layout, clock, settle_seconds=5.0)
    growing = _put(layout, "T-1.md", raw=b"---\ntitle: half\n---\n")
    _stamp(growing, clock)
    assert set(board.view().unsettled) == {"T-1"}
    clock.advance(0.9)
    growing.write_bytes(b"---\ntitle: whole\n---\nbody\n")
    _stamp(growing, clock)
    _put(layout, "T-2.md")

    view = board.view()

    content = view.todo["T-1"]
    assert isinstance(content, Ticket)
    assert content.title == "whole"
    assert view.unsettled["T-1"] == pytest.approx(5.0)


def _stamp(path: Path, clock: FakeClock) -> None:
    moment = clock.now().timestamp()
    os.utime(path, (moment, moment))
