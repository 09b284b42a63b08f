"""What engines report of themselves, in one vocabulary whatever the engine calls it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hermes_company.domain.failure import Failure


class SignalKind(StrEnum):
    """One structured report of an engine."""

    SESSION_STARTED = "session_started"  # the engine is up; carries its conversation id
    PROMPT_SUBMITTED = "prompt_submitted"  # the prompt arrived; carries its sha256
    TOOL_USED = "tool_used"  # heartbeat
    ANSWERED = "answered"  # heartbeat: the model has answered, told by the transcript
    TURN_ENDED = "turn_ended"
    TURN_FAILED = "turn_failed"  # carries the error's class
    NOTICE = "notice"  # the engine waits for a person
    SESSION_ENDED = "session_ended"
    GUARD_ASKED = "guard_asked"  # a call waits for a person; carries the question's id as `error` and the call as `detail`
    GUARD_REFUSED = "guard_refused"  # a tool call was refused; carries the rule as `error` and the call, redacted, as `detail`


# `Signal.detail` of a turn that ended only for the moment: it was sent on with what is missing, or what still runs in the
# background will wake it.
NUDGED = "nudged"
BACKGROUND = "background"


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One line of `signals.jsonl`."""

    kind: SignalKind
    at: datetime
    session_id: str | None = None
    transcript: str | None = None
    prompt_sha256: str | None = None
    error: str | None = None
    detail: str | None = None
    # Of a turn that failed: how, and what the engine said of it.
    failure: Failure | None = None

    @property
    def ends_work(self) -> bool:
        """Whether the engine has nothing more to do after this."""
        ended = self.kind in (SignalKind.TURN_ENDED, SignalKind.SESSION_ENDED)
        return ended and self.detail not in (NUDGED, BACKGROUND)
