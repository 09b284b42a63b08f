"""What the engines' transcripts tell that their hooks don't. Each function takes one parsed line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from hermes_company.domain.signals import Signal, SignalKind

CLAUDE_WORDS = (b'"type":"assistant"',)
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
    """A line of Codex."""
    payload = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(payload, Mapping):
        return None
    answers = payload.get("type") in _CODEX_ANSWERS or payload.get("role") == "assistant"
    return _signal(SignalKind.ANSWERED, line) if answers else None


def _signal(kind: SignalKind, line: Mapping[str, object]) -> Signal | None:
    try:
        at = datetime.fromisoformat(str(line.get("timestamp")))
    except ValueError:
        return None
    return Signal(kind=kind, at=at) if at.tzinfo else None
