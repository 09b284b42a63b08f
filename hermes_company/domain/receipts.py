"""Five receipts an attempt: what is proved of its way from a started process to what was handed in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice

from hermes_company.domain.run import Outcome
from hermes_company.domain.settling import Decision
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.wording import say

_WORK = frozenset({SignalKind.TOOL_USED, SignalKind.ANSWERED, SignalKind.GUARD_ASKED, SignalKind.GUARD_REFUSED})
_BEGUN = _WORK | {SignalKind.TURN_ENDED}


def reported(signals: Sequence[Signal], told: Sequence[Signal], since: datetime) -> dict[str, datetime]:
    """What the engine's reports prove.

    Args:
        signals: the attempt's own.
        told: what its transcript says besides; it may be older than the attempt.
        since: when the attempt began.
    """
    submitted = next((signal.at for signal in signals if signal.kind is SignalKind.PROMPT_SUBMITTED), None)
    begun = [
        *islice((signal.at for signal in signals if signal.kind in _BEGUN), 1),
        *islice((signal.at for signal in told if signal.kind in _BEGUN and signal.at >= since), 1),
    ]
    last = [
        *islice((signal.at for signal in reversed(signals) if signal.kind in _WORK), 1),
        *islice((signal.at for signal in reversed(told) if signal.kind in _WORK and signal.at >= since), 1),
    ]
    found = {"submitted": submitted} if submitted else {}
    # Heartbeats are told in whole seconds: none is earlier than what it follows.
    if begun:
        found["started"] = max(min(begun), submitted or since)
    if last:
        found["progressing"] = max(*last, found["started"])
    return found


def not_submitted(seconds: float) -> Decision:
    """The end of an attempt whose engine never took the prompt."""
    reason = say(
        "Not submitted: its engine did not report the prompt within {seconds:.0f} s. What its window shows is below; a "
        "question on its screen is the usual cause (`hc agent prepare`).",
        seconds=seconds,
    )
    return Decision(outcome=Outcome.TIMED_OUT, reason=reason)


def not_started(seconds: float) -> Decision:
    """The end of an attempt whose model never answered."""
    reason = say(
        "Not started: the prompt arrived, but no answer of the model and no tool was reported within {seconds:.0f} s. Look "
        "whether its model can be reached.",
        seconds=seconds,
    )
    return Decision(outcome=Outcome.TIMED_OUT, reason=reason)
