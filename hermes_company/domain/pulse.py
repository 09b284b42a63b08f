"""Whether an attempt still does anything: three clocks that must all stand still before it counts as quiet."""

from __future__ import annotations

from dataclasses import dataclass

# A program that waits for a key still wakes now and then; work uses more of the processor than this share of the time.
_IDLE_SHARE = 0.02


@dataclass(frozen=True, kw_only=True, slots=True)
class Pulse:
    """What was seen of an attempt at one moment."""

    # Processor seconds of its whole process tree.
    cpu_seconds: float
    # What its window shows and what its engine reported, as fingerprints.
    screen: str
    signals: int
    # The newest time stamp in its outbox and workdir, nanoseconds.
    files: int


def moved(before: Pulse, after: Pulse, seconds: float) -> bool:
    """Whether anything moved between two looks that lie `seconds` apart."""
    return (
        after.cpu_seconds - before.cpu_seconds > _IDLE_SHARE * seconds
        or after.cpu_seconds < before.cpu_seconds
        or (after.screen, after.signals, after.files) != (before.screen, before.signals, before.files)
    )
