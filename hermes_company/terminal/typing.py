"""While somebody types into an attempt's window, the attempt is not closed: its window would become the next one's."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK = "typing.lock"
# Nobody types longer than that; whoever was stopped with the lock in hand keeps no attempt from being closed.
LONGEST_SECONDS = 120.0


@contextmanager
def typing(run_dir: Path) -> Iterator[bool]:
    """Hold the attempt's window while the block runs; yields False when somebody else does."""
    descriptor = os.open(run_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        os.utime(descriptor)
        yield True
    finally:
        os.close(descriptor)


def is_typed_into(run_dir: Path) -> bool:
    """Whether somebody types into the attempt's window at this moment."""
    try:
        descriptor = os.open(run_dir / _LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        if abs(time.time() - os.fstat(descriptor).st_mtime) > LONGEST_SECONDS:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
