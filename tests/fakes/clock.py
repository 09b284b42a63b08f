"""A clock that moves only when it is told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class FakeClock:
    """`Clock` under the test's control.

    Args:
        now: the wall clock at the start; aware, as the real one is.
        boottime: seconds since boot at the start.
    """

    def __init__(self, now: datetime = datetime(2026, 5, 1, 9, 0, tzinfo=UTC), boottime: float = 1_000.0) -> None:
        if now.tzinfo is None:
            raise ValueError("a clock's time is aware")
        self._now = now.astimezone(UTC)
        self._boottime = boottime
        self._slept = 0.0

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self._now

    def boottime(self) -> float:
        """See `Clock.boottime`."""
        return self._boottime

    def awake(self) -> float:
        """See `Clock.awake`."""
        return self._boottime - self._slept

    def advance(self, seconds: float) -> None:
        """Let time pass: both clocks move. Boot time never goes back."""
        if seconds < 0:
            raise ValueError("time does not pass backwards; `jump` sets the wall clock")
        self.jump(seconds)
        self._boottime += seconds

    def sleep(self, seconds: float) -> None:
        """Close the lid for that long: time passes and nothing happens."""
        self.advance(seconds)
        self._slept += seconds

    def jump(self, seconds: float) -> None:
        """Set the wall clock, forwards or back, as a person or NTP does; boot time stays."""
        self._now += timedelta(seconds=seconds)
