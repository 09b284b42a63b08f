"""Reading small text files that people keep in the company, without being led out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hermes_company.wording import Text, say

MAX_BYTES = 65_536


class UnreadableFile(Exception):
    """Why a file of the company was not read, and in which line (1-based) where that is known."""

    def __init__(self, reason: Text, line: int | None = None) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.line = line


def read_people_file(root: Path, path: Path) -> str:
    """The text of `path`, which must lie below the resolved `root` once links are followed. A BOM is dropped.

    Raises:
        FileNotFoundError: there is nothing of that name.
        UnreadableFile: outside the root, not a regular file, over 64 KB, not UTF-8, not permitted.
    """
    try:
        resolved = path.resolve(strict=True)
        if not resolved.is_relative_to(root):
            raise UnreadableFile(say("it is a link out of the company"))
        data = _read_regular(resolved)
    except FileNotFoundError:
        raise
    except (OSError, RuntimeError) as problem:  # RuntimeError: links in a circle (Python < 3.13)
        reason = problem.strerror if isinstance(problem, OSError) else None
        raise UnreadableFile(say("it can't be opened ({problem})", problem=reason or str(problem))) from None
    return _decode(data)


def _read_regular(path: Path) -> bytes:
    # Without O_NONBLOCK a FIFO of that name would hold the loop up for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnreadableFile(say("it is not a regular file"))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise UnreadableFile(say("it is larger than {limit} bytes", limit=MAX_BYTES))
    return data


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        # utf-8-sig counts its positions from behind the BOM, which holds no line end.
        line = data.count(b"\n", 0, problem.start) + 1
        raise UnreadableFile(say("it is not UTF-8 text"), line) from None
