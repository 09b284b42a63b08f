"""What attempts at work have used so far: counted again now and then, as long as nothing is in the book yet."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_company.domain.usage import AttemptUsage
from hermes_company.ports.clock import Clock
from hermes_company.userspace.cost.counting import Counter

# Counting reads a whole transcript. The longer that takes, the more seldom it is done, within these bounds.
_SHORTEST_PAUSE_SECONDS = 15.0
_LONGEST_PAUSE_SECONDS = 30.0
_ASK_SHARE = 200.0


class LiveUsage:
    """Counts running attempts, seldom.

    Args:
        counter: reads the transcripts.
        clock: when it is time again, in boot time.
    """

    def __init__(self, counter: Counter, clock: Clock) -> None:
        self._counter = counter
        self._clock = clock
        # By ticket and attempt: what it has used, and when to count again.
        self._counted: dict[tuple[str, int], tuple[AttemptUsage | None, float]] = {}

    def renew(self, ticket: str, attempt: int, agent: str, engine: str) -> bool:
        """Count the attempt if it is time for that; whether it was."""
        began = self._clock.boottime()
        known = self._counted.get((ticket, attempt))
        if known and began < known[1]:
            return False
        entry = self._counter.count(ticket, attempt, agent, engine)
        now = self._clock.boottime()
        pause = min(max(_SHORTEST_PAUSE_SECONDS, (now - began) * _ASK_SHARE), _LONGEST_PAUSE_SECONDS)
        self._counted[ticket, attempt] = (entry.usage if entry else None, now + pause)
        return True

    def forget(self, ticket: str, attempt: int) -> None:
        """It is in the book now."""
        self._counted.pop((ticket, attempt), None)

    def all(self) -> Iterable[AttemptUsage]:
        """What the attempts at work have used, as far as it was counted."""
        return [usage for usage, _ in self._counted.values() if usage]
