"""What wakes the loop: a doorbell that our own processes ring, and the system's file events. Hints only."""

from __future__ import annotations

import contextlib
import os
import select
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.folders.layout import Layout
from hermes_company.folders.watch_limits import watching_problem
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver


def ring(doorbell: Path) -> None:
    """Wake the loop if one listens."""
    with contextlib.suppress(OSError):
        descriptor = os.open(doorbell, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            os.write(descriptor, b"!")
        finally:
            os.close(descriptor)


class FolderWaker:
    """`Waker` over a FIFO and watchdog.

    Watching is a convenience: where the system can't (limits, network file systems), the loop's own look at the folders
    finds everything within `poll_seconds`, and `degraded` says so.
    """

    def __init__(self, descriptor: int, degraded: Text | None) -> None:
        self._descriptor = descriptor
        self.degraded = degraded

    def wait(self, seconds: float) -> None:
        """See `Waker.wait`."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        if poll.poll(max(0.0, seconds) * 1000):
            with contextlib.suppress(BlockingIOError):
                while os.read(self._descriptor, 65_536):
                    pass


@contextlib.contextmanager
def waker(layout: Layout) -> Iterator[FolderWaker]:
    """A waker for this company while the block runs."""
    _make_doorbell(layout.doorbell)
    # Read and write: a FIFO whose last writer is gone would otherwise report end-of-file for ever.
    descriptor = os.open(layout.doorbell, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    # Before: the watches of a trial must not take away those that are needed.
    limited = watching_problem((layout.tasks, layout.outbox_root))
    observer, problem = _observe(layout)
    try:
        yield FolderWaker(descriptor, problem or limited)
    finally:
        if observer:
            observer.stop()
            observer.join()
        os.close(descriptor)


def _make_doorbell(path: Path) -> None:
    try:
        if not stat.S_ISFIFO(path.lstat().st_mode):
            path.unlink()
            os.mkfifo(path, 0o600)
    except FileNotFoundError:
        os.mkfifo(path, 0o600)


def _observe(layout: Layout) -> tuple[BaseObserver | None, Text | None]:
    from watchdog.events import (
        DirCreatedEvent,
        DirMovedEvent,
        FileClosedEvent,
        FileCreatedEvent,
        FileDeletedEvent,
        FileMovedEvent,
        FileSystemEvent,
        FileSystemEventHandler,
    )
    from watchdog.observers import Observer

    class Bell(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            ring(layout.doorbell)

    # One recursive schedule a tree: two schedules on one rename make watchdog hold events back for half a second. The filter
    # keeps its own reading of folders from flooding its queue.
    appearing = [FileCreatedEvent, FileMovedEvent, DirCreatedEvent, DirMovedEvent]
    observer: BaseObserver | None = None
    try:
        observer = Observer()
        observer.schedule(
            Bell(), str(layout.tasks), recursive=True, event_filter=[*appearing, FileClosedEvent, FileDeletedEvent]
        )
        observer.schedule(Bell(), str(layout.outbox_root), recursive=True, event_filter=appearing)
        observer.start()
    except OSError as problem:
        if observer:  # one of the two trees may be watched already
            observer.stop()
        return None, say("{problem}", problem=problem.strerror or str(problem))
    return observer, None
