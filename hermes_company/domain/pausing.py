"""What follows from a turn that failed: back off and go on in the same conversation, or stop at once and say the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from hermes_company.domain.breaker import EngineNote
from hermes_company.domain.failure import Failure, FailureKind
from hermes_company.domain.run import Attempt, Outcome
from hermes_company.domain.settling import Decision
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.wording import Lang, Text, say

_FIRST_PAUSE = 300.0
_LONGEST_PAUSE = 3_600.0
# The engine as a whole can't work: nothing else is started on it for a while.
_OF_THE_ENGINE = frozenset(
    {FailureKind.LIMIT, FailureKind.OVERLOADED, FailureKind.NETWORK, FailureKind.LOGIN, FailureKind.BILLING}
)
# Of whether work went on after a failure.
_SAYS_NOTHING = frozenset({SignalKind.NOTICE, SignalKind.SESSION_ENDED})
# Over by itself after a while.
_PASSES = frozenset({FailureKind.LIMIT, FailureKind.OVERLOADED, FailureKind.NETWORK})


def standing_failure(signals: Sequence[Signal], told: Sequence[Signal]) -> Failure | None:
    """The failure that an attempt's engine stands at; None when nothing failed or it went on after that.

    Args:
        signals: what the engine reported of this attempt.
        told: what its transcript says besides. What is older than the attempt is older than its reports, too.
    """
    ends = [*islice((s for s in reversed(signals) if s.kind not in _SAYS_NOTHING), 1), *told[-1:]]
    last = max(ends, key=lambda s: s.at, default=None)
    return last.failure if last and last.kind is SignalKind.TURN_FAILED else None


def end_by(failure: Failure, run: Attempt, note: EngineNote, now: datetime) -> Decision:
    """How an attempt ends whose turn failed.

    Args:
        note: what is remembered of its engine: without a time of its own, each pause is twice as long as the last one.
    """
    why = _why(failure, run.engine)
    until = failure.until or _backed_off(note, now) if failure.kind in _OF_THE_ENGINE else None
    if failure.kind in _PASSES and until:
        moment = until.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        reason = say("{why} The same conversation goes on at {moment}.", why=why, moment=moment)
        return Decision(outcome=Outcome.PAUSED, reason=reason, failure=failure.kind.value, until=until)
    if failure.kind is FailureKind.OTHER:
        return Decision(outcome=Outcome.DIED, reason=why, failure=failure.kind.value)
    reason = say("{why} {remedy}", why=why, remedy=_remedy(failure, run))
    return Decision(outcome=Outcome.REFUSED, reason=reason, failure=failure.kind.value, until=until)


def breaker_after(run: Attempt, note: EngineNote, reason: Text, lang: Lang) -> EngineNote:
    """What is remembered of the engine when such an attempt is closed: nothing starts on it until that is over.

    Safe to repeat for the same attempt.
    """
    if run.paused_until is None or (note.until and note.until >= run.paused_until):
        return note
    why = reason.values.get("why")
    words = (why if isinstance(why, Text) else reason).in_lang(lang)
    return EngineNote(opened=note.opened + 1, until=run.paused_until, reason=words, kind=run.failure)


def _backed_off(note: EngineNote, now: datetime) -> datetime:
    if note.kind and note.until and note.is_open(now):
        return note.until  # several attempts that meet the same trouble at once are one trouble
    opened = note.opened if note.kind else 0
    return now + timedelta(seconds=min(_FIRST_PAUSE * 2.0 ** min(opened, 10), _LONGEST_PAUSE))


def _why(failure: Failure, engine: str) -> Text:
    words = {"engine": engine, "said": failure.said}
    return {
        FailureKind.LIMIT: say("{engine} has reached its limit. It says: “{said}”.", **words),
        FailureKind.OVERLOADED: say("The servers of {engine} can't take more work now. It says: “{said}”.", **words),
        FailureKind.NETWORK: say("{engine} can't reach its servers: look at the network. It says: “{said}”.", **words),
        FailureKind.LOGIN: say("{engine} is not logged in, or its login is not accepted. It says: “{said}”.", **words),
        FailureKind.BILLING: say("Nothing is left on the account of {engine}. It says: “{said}”.", **words),
        FailureKind.MODEL: say("{engine} has no such model, or not for this login. It says: “{said}”.", **words),
        FailureKind.OTHER: say("Its turn failed. It says: “{said}”.", **words),
    }[failure.kind]


def _remedy(failure: Failure, run: Attempt) -> Text:
    if failure.kind is FailureKind.MODEL:
        again = say("`hc task retry {ticket}`", ticket=run.ticket)
        return say("Correct `model` in the profile of {agent}, then {again}.", agent=run.agent, again=again)
    again = say("then `hc engine resume {engine}` and `hc task retry {ticket}`", engine=run.engine, ticket=run.ticket)
    if failure.kind is FailureKind.LOGIN:
        return say("Log in with its own program, or correct the key where the company is started; {again}.", again=again)
    return say("Add funds or change the plan there; {again}.", again=again)


def go_on(ticket: str, outbox: str, token: str) -> Text:
    """What a conversation is told that is resumed after a pause."""
    return say(
        "What stopped you is over. Go on with ticket {ticket} where you stopped; everything that was said still holds.\n\n"
        "When the work is done, write `{outbox}/summary.md`, then `{outbox}/DONE` with exactly this line (it is a new "
        "one):\n\n   {token}\n\nIf you can't go on without a person, write `{outbox}/BLOCKED` with the reason instead.\n",
        ticket=ticket,
        outbox=outbox,
        token=token,
    )
