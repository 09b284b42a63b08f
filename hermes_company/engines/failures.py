"""Why a turn failed, from what the engines themselves keep of an error.

Claude Code names a class (`StopFailure` hook) and its sentence, Codex a kind and the HTTP status (`task_complete` in its
transcript). A model or a tool that quotes such a sentence is in neither of these places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from hermes_company.domain.failure import Failure, FailureKind
from hermes_company.domain.redaction import redact
from hermes_company.engines.reset_time import reset_time

_MOST_SAID = 300
_CLAUDE = {
    "rate_limit": FailureKind.LIMIT,
    "overloaded": FailureKind.OVERLOADED,
    "authentication_failed": FailureKind.LOGIN,
    "oauth_org_not_allowed": FailureKind.LOGIN,
    "billing_error": FailureKind.BILLING,
    "model_not_found": FailureKind.MODEL,
}
# Claude Code calls everything between itself and an answer `server_error`: one without a status never reached a server.
_STATUS = re.compile(r"\bAPI Error: (\d{3})\b")
_CODEX = {
    "usage_limit_exceeded": FailureKind.LIMIT,
    "unauthorized": FailureKind.LOGIN,
    "server_overloaded": FailureKind.OVERLOADED,
    "internal_server_error": FailureKind.OVERLOADED,
}
# Codex has no word for a model that an account may not use.
_NO_MODEL = re.compile(r"\bmodel\b.*\b(?:not supported|does not exist|not found)\b", re.IGNORECASE)


def claude(error: str, said: str, at: datetime) -> Failure:
    """The failure that a class and a sentence of Claude Code speak of."""
    kind = _CLAUDE.get(error, FailureKind.OTHER)
    if error == "server_error":
        kind = FailureKind.OVERLOADED if _STATUS.search(said) else FailureKind.NETWORK
    return _failure(kind, said, at)


def codex(info: object, said: str, at: datetime) -> Failure:
    """The failure that `codex_error_info` and its message speak of."""
    if isinstance(info, Mapping):
        # {"http_connection_failed": {"http_status_code": 401}}: what it was doing, and what the server said.
        status = next((value.get("http_status_code") for value in info.values() if isinstance(value, Mapping)), None)
        kind = _by_status(status) if isinstance(status, int) else FailureKind.NETWORK
    else:
        kind = _CODEX.get(str(info), FailureKind.OTHER)
    if kind is FailureKind.OTHER and _NO_MODEL.search(said):
        kind = FailureKind.MODEL
    return _failure(kind, said, at)


def _by_status(status: int) -> FailureKind:
    known = {401: FailureKind.LOGIN, 402: FailureKind.BILLING, 403: FailureKind.LOGIN, 404: FailureKind.MODEL}
    known[429] = FailureKind.LIMIT
    return known.get(status, FailureKind.OVERLOADED if status >= 500 else FailureKind.OTHER)


def _failure(kind: FailureKind, said: str, at: datetime) -> Failure:
    until = reset_time(said, at) if kind is FailureKind.LIMIT else None
    return Failure(kind=kind, said=redact(" ".join(said.split())).text[:_MOST_SAID], until=until)
