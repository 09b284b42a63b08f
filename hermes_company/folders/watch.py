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

    def __init__(self, descriptor: int, degraded: str | None) -> None:
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
    observer, degraded = _observe(layout)
    try:
        yield FolderWaker(descriptor, degraded)
    finally:
        if observer:
            observer.stop()
            observer.join()
        os.close(descriptor)


def watching_problem(layout: Layout) -> str | None:
    """What keeps the system from telling of changes in the company's folders: tried out, and given up again."""
    observer, problem = _observe(layout)
    if observer:
        observer.stop()
        observer.join()
    return problem


def _make_doorbell(path: Path) -> None:
    try:
        if not stat.S_ISFIFO(path.lstat().st_mode):
            path.unlink()
            os.mkfifo(path, 0o600)
    except FileNotFoundError:
        os.mkfifo(path, 0o600)


def _observe(layout: Layout) -> tuple[BaseObserver | None, str | None]:
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
    observer = Observer()
    try:
        observer.schedule(
            Bell(), str(layout.tasks), recursive=True, event_filter=[*appearing, FileClosedEvent, FileDeletedEvent]
        )
        observer.schedule(Bell(), str(layout.outbox_root), recursive=True, event_filter=appearing)
        observer.start()
    except OSError as problem:
        # One of the two may be watched already.
        observer.stop()
        return None, problem.strerror or str(problem)
    return observer, None
