"""What the engines' hooks have in common: the command they call, the files it needs and how its lines are read.

Claude Code and Codex call their events by the same names and hand over the same fields.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hermes_company.domain.signals import Signal, SignalKind

# The engine's own limit for one call, in seconds: a stuck hook must not hold a run up.
TIMEOUT_SECONDS = 20

KINDS = {
    "SessionStart": SignalKind.SESSION_STARTED,
    "UserPromptSubmit": SignalKind.PROMPT_SUBMITTED,
    "PostToolUse": SignalKind.TOOL_USED,
    "Stop": SignalKind.TURN_ENDED,
    "StopFailure": SignalKind.TURN_FAILED,
    "Notification": SignalKind.NOTICE,
    "SessionEnd": SignalKind.SESSION_ENDED,
}
# Written by the guard, which no engine calls by that name.
GUARD_REFUSED = "GuardRefused"
GUARD_ASKED = "GuardAsked"
_BY_GUARD = {GUARD_REFUSED: SignalKind.GUARD_REFUSED, GUARD_ASKED: SignalKind.GUARD_ASKED}
# `Signal.detail` of a turn that did not really end: it was sent on with what is missing, or background work wakes it up.
NUDGED = "nudged"
BACKGROUND = "background"


def command(event: str) -> str:
    """What an engine has to call. A nested engine that inherits it outside of a run finds nothing to do."""
    return f'sh "$HC_RUN_DIR/hook.sh" {event}'


def files() -> dict[str, str]:
    """What the command needs in the run folder: name → text."""
    here = Path(__file__).parent
    return {name: (here / name).read_text() for name in ("hook.sh", "hook.py")}


def env() -> dict[str, str]:
    """What the command needs in the engine's environment beside the run's own variables."""
    return {"HC_PYTHON": sys.executable}


def read_signal(line: Mapping[str, object]) -> Signal | None:
    """One parsed line of `signals.jsonl`; None when it is not a report that we know."""
    event = str(line.get("event"))
    kind = _BY_GUARD.get(event) or KINDS.get(event)
    at = line.get("at")
    if kind is None or not isinstance(at, int | float):
        return None
    return Signal(
        kind=kind,
        at=datetime.fromtimestamp(at, UTC),
        session_id=_text(line, "session_id"),
        transcript=_text(line, "transcript_path"),
        prompt_sha256=_text(line, "prompt_sha256"),
        error=_text(line, "error") or _text(line, "rule") or _text(line, "question"),
        detail=_detail(line),
    )


def _text(line: Mapping[str, object], key: str) -> str | None:
    value = line.get(key)
    # Models write halves of characters at times, which no file of ours would take.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None


def _detail(line: Mapping[str, object]) -> str | None:
    if line.get("nudged"):
        return NUDGED
    if line.get("background"):
        return BACKGROUND
    return _text(line, "call") or _text(line, "notification_type") or _text(line, "source") or _text(line, "reason")
