"""Starting one engine's process. On the launcher's path.

Not by fork: for this interpreter that costs more than all the rest of a start, and code of ours would run in the child.
"""

from __future__ import annotations

import errno
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_A_FOLDER = 66
NOT_EXECUTABLE = 126
NOT_FOUND = 127
# The engine would inherit what we, and tmux, ignore.
_RESET = frozenset(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}


class Refused:
    """Why nothing was started."""

    __slots__ = ("code", "detail", "status")

    def __init__(self, code: str, detail: str, status: int) -> None:
        self.code = code
        self.detail = detail
        self.status = status


def start(argv: list[bytes], env: Mapping[bytes, bytes], workdir: bytes) -> int | Refused:
    """Start `argv` in `workdir` with exactly that environment, in a process group of its own.

    Returns:
        The process id, once the program is in place; or why it could not be.
    """
    try:
        os.chdir(workdir)
    except OSError as problem:
        return Refused("workdir-missing", f"{os.fsdecode(workdir)}: {problem.strerror}", NOT_A_FOLDER)
    try:
        program = _program(argv[0], env)
        return os.posix_spawn(program, argv, env, setpgroup=0, setsigmask=(), setsigdef=_RESET)
    except OSError as problem:
        detail = f"{os.fsdecode(argv[0])}: {problem.strerror}"
        if problem.errno in (errno.ENOENT, errno.ENOTDIR):
            return Refused("program-missing", detail, NOT_FOUND)
        return Refused("program-unusable", detail, NOT_EXECUTABLE)
    finally:
        os.chdir("/")


def _program(word: bytes, env: Mapping[bytes, bytes]) -> bytes:
    """The file that a word names: itself if it is a path, else the first executable of that name on the engine's PATH."""
    if b"/" in word:
        return word
    candidates = [os.path.join(folder, word) for folder in env.get(b"PATH", os.defpath.encode()).split(b":")]  # noqa: PTH118
    return next((path for path in candidates if os.path.isfile(path) and os.access(path, os.X_OK)), word)  # noqa: PTH113
