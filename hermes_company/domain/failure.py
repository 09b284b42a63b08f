"""What kept an engine's turn from being carried out, told apart by what is to be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class FailureKind(StrEnum):
    """Why a turn failed. Each kind has its remedy and its rule (`pausing.py`)."""

    LIMIT = "limit"  # usage or rate limit
    OVERLOADED = "overloaded"  # the model's servers can't take it now
    NETWORK = "network"  # they could not be reached
    LOGIN = "login"  # no login, or one that they don't accept
    BILLING = "billing"  # nothing left to pay with
    MODEL = "model"  # there is no such model, or not for this login
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A turn that failed, from the engine's own structured report: never from text that a model or a tool wrote."""

    kind: FailureKind
    # The engine's words on it.
    said: str = ""
    # When a limit ends, where the engine says so.
    until: datetime | None = None
