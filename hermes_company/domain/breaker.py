"""When an engine that fails again and again is left alone for a while, instead of burning every ticket on it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hermes_company.domain.failure import FailureKind
from hermes_company.errors import Refusal
from hermes_company.wording import Text, say

# Failures in a row, all alike, that open the breaker.
IN_A_ROW = 3
_FIRST_PAUSE = 300.0
_LONGEST_PAUSE = 3_600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineNote:
    """What is remembered of one engine, `.hc/engines/<name>.json`."""

    # How the last attempts failed: all alike, newest last; empty after a success.
    failures: tuple[str, ...] = ()
    # The tickets that they belonged to.
    tickets: tuple[str, ...] = ()
    # How often in a row the breaker has opened.
    opened: int = 0
    # Nothing starts on the engine before this moment.
    until: datetime | None = None
    # Why, in words.
    reason: str = ""
    # What its turns failed of, where one failure was enough to open it (`failure.py`); empty: several that were alike.
    kind: str = ""

    def is_open(self, now: datetime) -> bool:
        """Whether nothing may start on the engine at this moment."""
        return self.until is not None and self.until > now


def succeeded() -> EngineNote:
    """An engine that did its job: everything is forgotten."""
    return EngineNote()


def failed(note: EngineNote, ticket: str, how: str, now: datetime) -> EngineNote:
    """The note after one more failure.

    It opens at the third failure of the same kind in a row, if more than one ticket is among them: a ticket that fails by
    itself has its own retries. After the pause one more failure of that kind opens it again, for twice as long.

    Args:
        how: what tells this kind of failure from others.
    """
    alike = note.failures and note.failures[-1] == how
    failures = (*note.failures, how)[-IN_A_ROW:] if alike else (how,)
    tickets = (*note.tickets, ticket)[-IN_A_ROW:] if alike else (ticket,)
    opened = note.opened if alike else 0
    changed = replace(note, failures=failures, tickets=tickets, opened=opened)
    if len(failures) < IN_A_ROW or len(set(tickets)) < 2:
        return changed
    pause = min(_FIRST_PAUSE * 2.0**opened, _LONGEST_PAUSE)
    return replace(changed, opened=opened + 1, until=now + timedelta(seconds=pause), reason=how)


def engine_paused(engine: str, note: EngineNote, now: datetime) -> Refusal:
    """Why nothing starts on the engine while its breaker is open."""
    until = note.until or now
    shown = until.astimezone().strftime("%H:%M:%S" if until - now < timedelta(hours=20) else "%Y-%m-%d %H:%M")
    fact = say("The engine {engine} is paused until {until}, {left} more.", engine=engine, until=shown, left=_left(until - now))
    if note.kind:
        cause = say("{words}", words=note.reason)
        if note.kind in (FailureKind.LOGIN, FailureKind.BILLING):
            remedy = say("Put that right, then `hc engine resume {engine}`.", engine=engine)
        else:
            remedy = say("It goes on by itself then; `hc engine resume {engine}` tries at once.", engine=engine)
    else:
        cause = say("Its last {count} attempts failed alike: {reason}", count=len(note.failures), reason=note.reason)
        remedy = say("Find out why (`hc doctor`), or `hc engine resume {engine}` to try at once.", engine=engine)
    return Refusal("engine-paused", fact=fact, cause=cause, remedy=remedy, status=75)


def _left(span: timedelta) -> Text:
    minutes, seconds = divmod(max(0, int(span.total_seconds())), 60)
    if minutes >= 60:
        return say("{hours} h {minutes} min", hours=minutes // 60, minutes=minutes % 60)
    return say("{minutes} min", minutes=minutes) if minutes else say("{seconds} s", seconds=seconds)
