"""What agents leave is a stranger's: DONE that is no file, summaries without end, links out of the outbox."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.folders.outbox import OutboxFolders
from tests.support.kernel_rig import Rig


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


def _link_to_a_file(path: Path) -> None:
    (path.parent / "real").write_text("done")
    path.symlink_to("real")


STRANGE: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "link": _link_to_a_file,
    "dangling link": lambda path: path.symlink_to("nowhere"),
    "pipe": os.mkfifo,
    "socket": _socket,
}


@pytest.fixture
def outbox(tmp_path: Path) -> OutboxFolders:
    """The outbox of an empty company."""
    return OutboxFolders(Layout(tmp_path))


@pytest.mark.parametrize("kind", STRANGE)
def test_a_done_that_is_no_file_does_not_count(tmp_path: Path, kind: str) -> None:
    """Neither a folder nor a link nor a pipe ends the run or holds the loop up; it is told once. A real DONE counts."""
    rig = Rig(tmp_path)
    rig.drop("T-1")
    rig.tick()
    (rig.outbox("T-1") / "summary.md").write_text("did it")
    strange = rig.outbox("T-1") / "DONE"
    STRANGE[kind](strange)
    rig.tick(3, seconds=30)
    assert rig.where("T-1") is State.DOING
    assert rig.kinds().count("attempt.odd_marker") == 1
    assert ["DONE" in flag.in_lang("en") for flag in rig.history("T-1")[0].flags] == [True]

    strange.rmdir() if kind == "folder" else strange.unlink()
    rig.finish("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW


@pytest.mark.parametrize("summary", ["", "  \n\t\r\n ", None])
def test_an_empty_summary_is_no_result(tmp_path: Path, summary: str | None) -> None:
    """DONE with nothing to review counts as a failure, not as work."""
    rig = Rig(tmp_path)
    rig.drop("T-1")
    rig.tick()
    (rig.outbox("T-1") / "DONE").touch()
    if summary is not None:
        (rig.outbox("T-1") / "summary.md").write_text(summary)
    rig.workers.report("T-1", "turn_ended")
    rig.tick(2, seconds=20)

    assert rig.history("T-1")[0].outcome is Outcome.NO_DELIVERABLE


def test_a_summary_without_end_is_looked_at_from_its_beginning(tmp_path: Path, outbox: OutboxFolders) -> None:
    """A sparse file of a terabyte costs no more than its first page."""
    folder = outbox.begin("ann", "T-1", 1, resuming=False)
    with (folder / "summary.md").open("wb") as file:
        file.write(b"# Summary\n")
        file.truncate(2**40)
    (folder / "DONE").touch()
    markers = outbox.markers("ann", "T-1", "hc-1")

    assert (markers.done, markers.summary) == (True, True)


def test_an_outbox_that_became_a_link_is_put_aside(tmp_path: Path, outbox: OutboxFolders) -> None:
    """An agent that replaces its outbox by a link hands nothing in with it, and what lies behind it is never touched."""
    elsewhere = tmp_path / "site"
    elsewhere.mkdir()
    for name in ("code.py", "DONE", "summary.md"):
        (elsewhere / name).write_text("precious")
    link = outbox.folder("ann", "T-1")
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    markers = outbox.markers("ann", "T-1", "hc-1")
    folder = outbox.begin("ann", "T-1", 2, resuming=False)

    assert (markers.done, markers.summary) == (False, False)
    assert {path.name: path.read_text() for path in elsewhere.iterdir()} == dict.fromkeys(
        ("code.py", "DONE", "summary.md"), "precious"
    )
    assert (folder, folder.is_symlink(), list(folder.iterdir())) == (link, False, [])
    assert (link.parent / ".attempts-T-1").readlink() == elsewhere


@pytest.mark.parametrize("resuming", [True, False])
def test_a_file_in_the_place_of_an_outbox_is_put_aside(outbox: OutboxFolders, resuming: bool) -> None:
    """It is kept under another name, and the attempt gets its folder."""
    path = outbox.folder("ann", "T-1")
    path.parent.mkdir(parents=True)
    path.write_text("mine")

    assert outbox.begin("ann", "T-1", 2, resuming=resuming).is_dir()
    assert (path.parent / ".attempts-T-1").read_text() == "mine"
