"""Between two attempts the launcher waits in its window, so that the agent's next one need not wait for an interpreter.

A FIFO in the folder of the attempt that has just ended takes the next one's folder. The launcher removes it when it has
taken an order, and only then: that is the receipt. Used at both ends; on the launcher's path.
"""

from __future__ import annotations

import errno
import os
import select
import stat

from hermes_company.terminal import records

_LONGEST_ORDER = select.PIPE_BUF  # up to here a write is whole or not at all
_RECEIPT_MILLISECONDS = 1_000
_NOBODY = frozenset({errno.ENOENT, errno.ENXIO, errno.EPIPE})


class Standby:
    """The waiting end."""

    def __init__(self, run_dir: str) -> None:
        """Be reachable from now on.

        Raises:
            OSError: the file system has no FIFOs.
        """
        self._path = f"{run_dir}/{records.STANDBY}"
        os.mkfifo(self._path, 0o600)
        # For writing too: otherwise it would be at its end before anybody has written.
        self._descriptor = os.open(self._path, os.O_RDWR)

    def wait(self, seconds: float) -> str | None:
        """The next attempt's folder; None when none came in time. Nobody can reach this end afterwards."""
        order = None
        if select.select([self._descriptor], [], [], seconds)[0]:
            order = os.fsdecode(os.read(self._descriptor, _LONGEST_ORDER).partition(b"\0")[0])
            os.unlink(self._path)  # noqa: PTH108
        os.close(self._descriptor)
        return order


def hand_over(last_run_dir: str, run_dir: str) -> bool:
    """Give the launcher that ran `last_run_dir` its next attempt.

    Returns:
        Whether it has taken it. False: nobody waits there, or whoever waited died or hangs; the attempt may be started anew.
    """
    path = f"{last_run_dir}/{records.STANDBY}"
    order = os.fsencode(run_dir) + b"\0"
    if len(order) > _LONGEST_ORDER:
        return False
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as problem:
        if problem.errno in _NOBODY:
            return False
        raise
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return False
        os.write(descriptor, order)
        # Returns when the other end is closed: by a launcher that goes on, or by the system for one that died.
        poll = select.poll()
        poll.register(descriptor, 0)
        poll.poll(_RECEIPT_MILLISECONDS)
    except BrokenPipeError:
        return False
    finally:
        os.close(descriptor)
    return not os.path.lexists(path)
