"""DONE is a claim that is checked, once, when the attempt ends: what is missing goes to the reviewer as flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hermes_company.domain.expecting import lacking
from hermes_company.domain.run import Attempt, Outcome
from hermes_company.domain.settling import Decision
from hermes_company.domain.signals import BACKGROUND, Signal, SignalKind
from hermes_company.domain.ticket import Ticket, Unreadable
from hermes_company.kernel.parts import Parts


def checked(
    parts: Parts, run: Attempt, decision: Decision, ticket: Ticket | Unreadable | None, signals: Sequence[Signal]
) -> Attempt:
    """The attempt with what its claim lacks; as it is when it was not handed in."""
    if decision.outcome is not Outcome.FINISHED:
        return run
    expects = ticket.expects if isinstance(ticket, Ticket) else ()
    folders = [Path(folder) for folder in dict.fromkeys((run.workdir, run.outbox)) if folder]
    ends = [signal for signal in signals if signal.kind is SignalKind.TURN_ENDED]
    found = lacking(
        parts.outbox.not_found(expects, folders) if expects else (),
        bare=parts.outbox.has_bare_summary(run.agent, run.ticket),
        unsettled=bool(ends) and ends[-1].detail == BACKGROUND,
    )
    return replace(run, flags=(*run.flags, *(flag for flag in found if flag not in run.flags)))
