"""What wakes the loop. A wake-up is a hint and carries no facts; a tick looks for itself."""

from __future__ import annotations

from typing import Protocol


class Waker(Protocol):
    """Waits until something may have happened."""

    def wait(self, seconds: float) -> None:
        """Return at the first hint, or after `seconds`. Hints that came since the last call count."""
