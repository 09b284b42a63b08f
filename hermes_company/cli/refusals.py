"""What the guard refused during an attempt, for those who look at its ticket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from hermes_company.cli.words import clock_time
from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

# In `hc task show`; `hc events` has them all.
_MOST_LINES = 5


def refusals(company: Company, run: Attempt) -> list[Signal]:
    """The guard's refusals during an attempt, oldest first."""
    engine = company.engines.get(run.engine)
    signals = company.runs.signals(run.ticket, run.number, engine) if engine else ()
    return [signal for signal in signals if signal.kind is SignalKind.GUARD_REFUSED]


def last_refusals(company: Company, ticket: str) -> list[Signal]:
    """Those of the ticket's last attempt."""
    history = company.runs.history(ticket)
    return refusals(company, history[-1]) if history else []


def refusal_note(found: Sequence[Signal]) -> Text:
    """One sentence about them all."""
    last = found[-1]
    return say(
        "The guard refused {count} of its calls, last by {rule}: {call}", count=len(found), rule=last.error, call=last.detail
    )


def refusal_lines(found: Sequence[Signal], now: datetime, lang: Lang) -> Iterator[str]:
    """The last of them, a line each."""
    if len(found) > _MOST_LINES:
        earlier = say("The guard refused {count} calls before these.", count=len(found) - _MOST_LINES)
        yield f"  ! {earlier.in_lang(lang)}"
    for signal in found[-_MOST_LINES:]:
        line = say(
            "{moment} refused by {rule}: {call}", moment=clock_time(signal.at, now), rule=signal.error, call=signal.detail
        )
        yield f"  ! {' '.join(line.in_lang(lang).split())}"


def refusals_json(found: Sequence[Signal]) -> list[dict[str, object]]:
    """All of them for `--json`."""
    return [{"at": signal.at.isoformat(), "rule": signal.error, "call": signal.detail} for signal in found]
