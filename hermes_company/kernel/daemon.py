"""`hc run`: signals set a flag, something wakes, tick, wait."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from hermes_company.kernel.loop import Kernel
from hermes_company.ports.waking import Waker

_STOPPING = (signal.SIGINT, signal.SIGTERM)


class Daemon:
    """Runs the loop until it is asked to stop. Agents go on without it; the next loop takes them up again.

    Args:
        kernel: the loop; the caller holds the company's lock.
        waker: what ends a pause early.
        programs: one round of the userspace programs; never raises.
        shown: called after every round, for the live board.
    """

    def __init__(
        self, kernel: Kernel, waker: Waker, programs: Callable[[], None], shown: Callable[[], None] = lambda: None
    ) -> None:
        self._kernel = kernel
        self._waker = waker
        self._programs = programs
        self._shown = shown
        self._stopping = False

    def stop(self) -> None:
        """Ask for the end after the present tick."""
        self._stopping = True

    def run(self) -> None:
        """Recover, then tick until stopped."""
        self._kernel.recover()
        with self._signals():
            while not self._stopping:
                next_in = self.once()
                if not self._stopping:
                    self._waker.wait(next_in)

    def once(self) -> float:
        """One round. The programs come last, as nobody is to wait for them. After a person's judgement or the end of an attempt
        they run between the halves of the tick too: a ticket that starts now finds what was learned and spent a moment ago.

        Returns:
            Seconds until the next round is due.
        """
        if self._kernel.settle():
            self._programs()
        ticked = self._kernel.dispatch()
        self._programs()
        self._shown()
        return ticked.next_in

    @contextmanager
    def _signals(self) -> Iterator[None]:
        def asked(_number: int, _frame: FrameType | None) -> None:
            self._stopping = True

        before = {number: signal.signal(number, asked) for number in _STOPPING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
