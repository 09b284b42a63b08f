"""The machine's clocks."""

from __future__ import annotations

import time
from datetime import UTC, datetime

_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    """`Clock` of this machine."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return datetime.now(UTC)

    def boottime(self) -> float:
        """See `Clock.boottime`."""
        return time.clock_gettime(_BOOT)

    def awake(self) -> float:
        """See `Clock.awake`."""
        return time.monotonic()
