"""When an attempt is over and how: one pure function over what can be seen of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hermes_company.domain.run import Attempt, Outcome, WorkerPhase, WorkerState
from hermes_company.domain.ticket import State
from hermes_company.wording import Text, say

# A launcher that has not won its fence by then never will.
_START_SECONDS = 30.0
_TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFacts:
    """What is seen of one open attempt."""

    # Where its ticket lies; None when it is gone or lies in several folders.
    place: State | None
    worker: WorkerState
    done: bool = False
    blocked: str | None = None
    summary: bool = False
    # The engine says that its turn has ended.
    turn_over: bool = False
    # Seconds since DONE or BLOCKED was first seen; since the process started; since the launch was asked for.
    marker_age: float = 0.0
    running_for: float = 0.0
    launched_for: float = 0.0
    stop_asked: str | None = None
    # How it ends, if the engine reports that its turn failed.
    failed: Decision | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """How the attempt ends."""

    outcome: Outcome
    reason: Text
    # Of a turn that failed: its kind; and until when nothing may start on its engine.
    failure: str = ""
    until: datetime | None = None


def decide(run: Attempt, facts: RunFacts, *, done_grace: float) -> Decision | None:
    """The end that the facts call for; None while it may go on.

    A person's move comes first, then a person's word, then what the agent says, then what its process says, then time.

    Args:
        done_grace: seconds that an engine may still take for its turn once it has written DONE or BLOCKED.
    """
    if facts.place is not State.DOING:
        return _taken_away(facts.place)
    if facts.stop_asked is not None:
        return _end(Outcome.STOPPED, say("Stopped by a person. {words}", words=facts.stop_asked))
    over = facts.worker.phase in (WorkerPhase.EXITED, WorkerPhase.VANISHED)
    if facts.done or facts.blocked is not None:
        if over or facts.turn_over or facts.marker_age >= done_grace:
            return _by_marker(facts)
    elif facts.failed is not None:
        return facts.failed
    elif over:
        return _without_marker(facts.worker)
    if facts.worker.phase is WorkerPhase.NOT_STARTED and facts.launched_for > _START_SECONDS:
        return _end(Outcome.DIED, say("Its process never started."))
    if facts.running_for > run.timeout_minutes * 60:
        return _end(Outcome.TIMED_OUT, say("It ran over its {minutes:g} minutes.", minutes=run.timeout_minutes))
    return None


def _end(outcome: Outcome, reason: Text) -> Decision:
    return Decision(outcome=outcome, reason=reason)


def _taken_away(place: State | None) -> Decision:
    if place is None:
        return _end(Outcome.TAKEN_AWAY, say("A person took the ticket away while it ran."))
    return _end(Outcome.TAKEN_AWAY, say("A person moved the ticket to {state} while it ran.", state=place.value))


def _by_marker(facts: RunFacts) -> Decision:
    if facts.blocked is not None:
        return _end(Outcome.BLOCKED, say("{words}", words=facts.blocked))
    if not facts.summary:
        return _end(Outcome.NO_DELIVERABLE, say("DONE was written, but summary.md is missing or empty."))
    return _end(Outcome.FINISHED, say("DONE and a summary."))


def _without_marker(worker: WorkerState) -> Decision:
    if worker.refusal:
        detail = worker.refusal_detail or worker.refusal
        return _end(Outcome.REFUSED, say("It could not be started: {detail}", detail=detail))
    if worker.exit_code == _TRY_LATER:
        return _end(Outcome.PAUSED, say("Its process asked to be tried later (exit status 75)."))
    if worker.exit_signal:
        return _end(Outcome.DIED, say("Its process was ended by signal {signal}.", signal=worker.exit_signal))
    if worker.exit_code is None:
        return _end(Outcome.DIED, say("Its process is gone without a trace."))
    return _end(Outcome.DIED, say("Its process ended with status {code} without DONE or BLOCKED.", code=worker.exit_code))
