"""Time, injected."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for people, boot time for durations, and the part of it in which anything could happen."""

    def now(self) -> datetime:
        """The wall clock, aware, UTC. May jump; never used to measure a duration."""

    def boottime(self) -> float:
        """Seconds since boot, sleep included (CLOCK_BOOTTIME; monotonic where the system has no such clock)."""

    def awake(self) -> float:
        """Seconds that the machine was awake since boot. Work is measured with it: nobody works while a machine sleeps."""
