"""When a ticket that failed is tried again, and when not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hermes_company.domain.run import RULES, Attempt

_LONGEST = 1_800.0


def failures(attempts: Sequence[Attempt], forgiven: int) -> int:
    """How many closed attempts after number `forgiven` used up a retry."""
    return sum(1 for a in attempts if a.number > forgiven and a.outcome and RULES[a.outcome].counts)


def pause(failed: int, base_seconds: float, jitter: float) -> timedelta:
    """The pause before the next try: doubling from `base_seconds`, at most 30 min; `jitter` in 0…1 adds up to a fifth.

    Args:
        failed: attempts that failed so far, at least 1.
    """
    seconds = min(base_seconds * 2.0 ** (failed - 1), _LONGEST)
    return timedelta(seconds=seconds * (1.0 + 0.2 * jitter))
