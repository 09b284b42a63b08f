"""Server-sent events, as both APIs stream their answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def encode(events: Iterable[Mapping[str, Any]]) -> bytes:
    """One event a block; its name is its `type`."""
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)
