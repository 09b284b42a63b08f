"""Reading what agents wrote: regular files only, never through a link, never more than asked for."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def read_head(path: Path, most: int) -> bytes | None:
    """At most `most` bytes of a regular file; None when there is none (missing, a link, a folder, a device)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    # Asked before it becomes a file object: Python makes none of a folder.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def is_regular(path: Path) -> bool:
    """Whether a regular file lies there (a link to one does not count)."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def stamp_of(folder: Path) -> int:
    """The folder's time stamp in nanoseconds; 0 when it is missing."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
