"""What the engines' transcripts tell that their hooks don't. Each function takes one parsed line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.engines import failures

CLAUDE_WORDS = (b'"assistant"',)
CODEX_WORDS = (b'"response_item"', b'"task_complete"')
# What a model sends, as Codex keeps it; `message` also holds what it was told, by role.
_CODEX_ANSWERS = frozenset({"reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"})


def claude(line: Mapping[str, object]) -> Signal | None:
    """A line of Claude Code. What it writes itself in the model's place, e.g. of errors, is no answer."""
    message = line.get("message")
    if line.get("type") != "assistant" or line.get("isApiErrorMessage") or not isinstance(message, Mapping):
        return None
    return None if message.get("model") == "<synthetic>" else _signal(SignalKind.ANSWERED, line)


def codex(line: Mapping[str, object]) -> Signal | None:
    """A line of Codex, which calls no hook when a turn fails."""
    payload = line.get("payload")
    if not isinstance(payload, Mapping):
        return None
    if line.get("type") == "event_msg" and payload.get("type") == "task_complete":
        return _failed(payload.get("error"), line)
    if line.get("type") != "response_item":
        return None
    answers = payload.get("type") in _CODEX_ANSWERS or payload.get("role") == "assistant"
    return _signal(SignalKind.ANSWERED, line) if answers else None


def _failed(error: object, line: Mapping[str, object]) -> Signal | None:
    signal = _signal(SignalKind.TURN_FAILED, line)
    if signal is None or not isinstance(error, Mapping):
        return None
    return replace(signal, failure=failures.codex(error.get("codex_error_info"), str(error.get("message")), signal.at))


def _signal(kind: SignalKind, line: Mapping[str, object]) -> Signal | None:
    try:
        at = datetime.fromisoformat(str(line.get("timestamp")))
    except ValueError:
        return None
    return Signal(kind=kind, at=at) if at.tzinfo else None
