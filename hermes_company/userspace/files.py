"""Reading files that agents and people may have written: regular files only, never through a link, never without end."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from hermes_company.wording import Text, say


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about a file that a person should know. It was passed over; nothing else was held up."""

    path: str
    problem: Text


class Unreadable(Exception):
    """A file that is not read, and why."""

    def __init__(self, reason: Text) -> None:
        super().__init__(str(reason))
        self.reason = reason


def read_head(path: Path, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of a regular file, and whether that was all of it.

    Raises:
        FileNotFoundError: there is nothing of that name.
        Unreadable: a link, a folder, a pipe, or not permitted.
    """
    try:
        # Without O_NONBLOCK a FIFO of that name would hold us up for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise Unreadable(say("{problem}", problem=problem.strerror or str(problem))) from None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Unreadable(say("it is not a regular file"))
        data = file.read(limit + 1)
    return data[:limit], len(data) <= limit


def read_text(path: Path, limit: int) -> str:
    """The whole text of a regular UTF-8 file of at most `limit` bytes; a byte order mark is dropped.

    Raises:
        FileNotFoundError: there is nothing of that name.
        Unreadable: as `read_head`; larger than `limit`; not UTF-8.
    """
    data, whole = read_head(path, limit)
    if not whole:
        raise Unreadable(say("it is larger than {limit} bytes", limit=limit))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Unreadable(say("line {line} is not UTF-8", line=line)) from None
