"""Server-sent events, as all these APIs stream their answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def encode(events: Iterable[Mapping[str, Any]]) -> bytes:
    """One event a block; its name is its `type`."""
    return b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events)


def encode_data(events: Iterable[Mapping[str, Any]], end: str = "") -> bytes:
    """One event a block, without names; `end` is the word behind the last one."""
    blocks = [json.dumps(event) for event in events] + ([end] if end else [])
    return b"".join(f"data: {block}\n\n".encode() for block in blocks)
