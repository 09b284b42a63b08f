"""The engine's process tree: waited for, ended, and proved to be gone. On the launcher's path."""

from __future__ import annotations

import os
import signal
import sys
import time

from hermes_company.terminal import processes

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_AWAITED = frozenset({*_STOP_SIGNALS, signal.SIGCHLD, signal.SIGALRM})
_CHECK_SECONDS = 0.05
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends, so that none can leave the tree (Linux).

    Elsewhere an orphan escapes from here; `Workers.end` finds it by its token.
    """
    if sys.platform != "linux":
        return
    import ctypes

    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def await_signals() -> None:
    """Hold signals back for `sigwait`, which takes them one at a time: none is lost, and no code runs in a handler."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    for number in _AWAITED:
        # A signal that is ignored need not be kept for `sigwait`. exec sets a handler back to the default.
        signal.signal(number, lambda _number, _frame: None)
    # Taking the terminal back from the background would stop us otherwise.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def be_stoppable() -> None:
    """While no attempt runs, a signal ends this process in good order. One that came too late is not held against it.

    A hang-up is never too late: the window is gone, and with it the reason to stay.
    """
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in _AWAITED - {signal.SIGHUP}:
        signal.signal(number, signal.SIG_IGN)
    for number in _AWAITED:
        signal.signal(number, _leave if number in _STOP_SIGNALS else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


class Tree:
    """The engine and all that came from it."""

    def __init__(self, engine: int) -> None:
        self._engine = engine
        self._status: int | None = None
        # The first signal that asked us to stop.
        self.stopped_by: signal.Signals | None = None

    def wait(self) -> None:
        """Return when the engine has ended by itself or a signal asks for the end."""
        while self._any_left() and self._status is None and self.stopped_by is None:
            self._await_signal()

    def end(self, grace: float) -> int:
        """TERM what is left; after `grace` seconds KILL it. Returns, when nothing is left, the engine's wait status."""
        deadline = time.monotonic() + grace
        asked: set[int] = set()
        while self._any_left():
            late = time.monotonic() >= deadline
            for pid in processes.descendants(os.getpid()):
                if late:
                    processes.send(pid, signal.SIGKILL)
                elif pid not in asked:
                    asked.add(pid)
                    processes.terminate(pid)
            signal.setitimer(signal.ITIMER_REAL, _CHECK_SECONDS)
            self._await_signal()
        if self._status is None:
            raise ChildProcessError(f"the engine, process {self._engine}, was never ours")
        return self._status

    def _await_signal(self) -> None:
        number = signal.sigwait(_AWAITED)
        if number in _STOP_SIGNALS and self.stopped_by is None:
            self.stopped_by = signal.Signals(number)

    def _any_left(self) -> bool:
        """Collect the dead. As we adopt orphans, to have no child proves that there is no descendant either."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._engine:
                self._status = status
