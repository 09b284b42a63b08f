"""`.hc/told`: that people talked to agents, on its way into the event log, which only the loop appends to."""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.safe_read import read_head
from hermes_company.ports.events import Draft, Events

_KINDS = ("ticket.told", "ticket.chat")
_NAME = re.compile(r"\d{20}-[0-9a-f]{8}\.json")
_MOST_BYTES = 65_536
_RACY_NANOSECONDS = 50_000_000


class Told:
    """Left by whoever says something, told by the loop.

    Args:
        folder: where it lies meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = str(folder)
        # The folder's time stamp when all of it was told.
        self._read = -1

    def leave(self, ticket: str, agent: str, attempt: int, data: Mapping[str, Any], *, kind: str = "ticket.told") -> None:
        """Let the loop tell that somebody said something, or talked."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        record = {"kind": kind, "ticket": ticket, "agent": agent, "attempt": attempt, "data": dict(data)}
        # In the order in which they were said.
        name = f"{time.time_ns():020}-{secrets.token_hex(4)}.json"
        write_atomic(self._folder / name, json.dumps(record, ensure_ascii=False), mode=0o600, durable=False)

    def tell(self, events: Events) -> None:
        """Put what lies there into the event log, then take it away: after a crash in between it is told again."""
        try:
            stamp = os.stat(self._path).st_mtime_ns  # noqa: PTH116 - asked at every look of the loop
        except FileNotFoundError:
            return
        if stamp == self._read:
            return
        found = [self._folder / name for name in sorted(os.listdir(self._path)) if _NAME.fullmatch(name)]  # noqa: PTH208
        events.append_all([draft for path in found if (draft := _draft(path))])
        for path in found:
            path.unlink(missing_ok=True)
        # A folder this young may change again under the same time stamp.
        if not found and time.time_ns() - stamp > _RACY_NANOSECONDS:
            self._read = stamp


def _draft(path: Path) -> Draft | None:
    """The event; None for a file that is none of ours."""
    try:
        raw = json.loads(read_head(path, _MOST_BYTES) or b"")
        return Draft(
            kind=_KINDS[_KINDS.index(raw["kind"])],
            ticket=str(raw["ticket"]),
            agent=str(raw["agent"]),
            attempt=int(raw["attempt"]),
            data=dict(raw["data"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
