"""Whether the system would tell of changes in folders: tried out, because limits count what every program of a user watches.

Watchdog notices a limit only at the first folder and says nothing of the others, which it then never hears of.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterable
from pathlib import Path

from hermes_company.wording import Text, say

_IN_CREATE = 0x100
_LIMITS = frozenset({errno.ENOSPC, errno.ENOMEM, errno.EMFILE, errno.ENFILE})


def watching_problem(roots: Iterable[Path]) -> Text | None:
    """What keeps these folders and all below them from being watched; None also where the system has no inotify."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        return None
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        return say("no further watcher may be made: {problem}", problem=os.strerror(ctypes.get_errno()))
    try:
        for root in roots:
            for folder, _, _ in os.walk(root):
                watched = libc.inotify_add_watch(descriptor, os.fsencode(folder), _IN_CREATE)
                if watched < 0 and ctypes.get_errno() in _LIMITS:
                    return say("no further folder may be watched than those up to {folder}", folder=folder)
    finally:
        os.close(descriptor)
    return None
