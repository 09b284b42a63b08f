"""`logs/events.jsonl`: append-only, one JSON object a line, a `seq` that only grows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hermes_company.ports.clock import Clock
from hermes_company.ports.events import Event

_TAIL = 65_536


class EventLog:
    """`Events` in one file. Several may read; only the holder of the company's lock appends.

    Args:
        path: the log file; made at the first append.
        clock: the time stamps.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._seq: int | None = None
        # Every event up to this `seq` lies before this byte: who asks again need not read the log from its beginning.
        self._read_up_to = (0, 0)

    def append(
        self,
        kind: str,
        *,
        ticket: str | None = None,
        agent: str | None = None,
        attempt: int | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Event:
        """See `Events.append`: one write, one fsync. A torn last line of a crashed writer is closed off first."""
        seq = self.last_seq() if self._seq is None else self._seq
        event = Event(
            seq=seq + 1,
            at=self._clock.now().isoformat(timespec="milliseconds"),
            kind=kind,
            ticket=ticket,
            agent=agent,
            attempt=attempt,
            data=dict(data or {}),
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            line = (b"" if _ends_a_line(descriptor) else b"\n") + _encode(event)
            written = os.write(descriptor, line)
            if written != len(line):
                raise OSError(f"event log: {written} of {len(line)} bytes written")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._seq = event.seq
        return event

    def last_seq(self) -> int:
        """The greatest `seq` written; 0 for an empty log."""
        try:
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                reach = _TAIL
                while True:
                    file.seek(max(0, size - reach))
                    for line in reversed(file.read().split(b"\n")[1 if reach < size else 0 :]):
                        event = _decode(line)
                        if event:
                            return event.seq
                    if reach >= size:
                        return 0
                    reach *= 8
        except FileNotFoundError:
            return 0

    def after(self, seq: int) -> Iterator[Event]:
        """See `Events.after`. Lines that are no event (torn by a crash, edited by hand) are passed over."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            last, place = self._read_up_to
            if last > seq or place > os.fstat(file.fileno()).st_size:
                last = place = 0
            file.seek(place)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                place += len(line)
                event = _decode(line)
                if event:
                    last = max(last, event.seq)
                    if event.seq > seq:
                        yield event
            self._read_up_to = (last, place)


def _ends_a_line(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _encode(event: Event) -> bytes:
    known = {"seq": event.seq, "at": event.at, "kind": event.kind}
    for name in ("ticket", "agent", "attempt"):
        if getattr(event, name) is not None:
            known[name] = getattr(event, name)
    return json.dumps({**known, **({"data": event.data} if event.data else {})}, ensure_ascii=False).encode() + b"\n"


def _decode(line: bytes) -> Event | None:
    try:
        raw = json.loads(line)
        return Event(
            seq=int(raw["seq"]),
            at=str(raw["at"]),
            kind=str(raw["kind"]),
            ticket=raw.get("ticket"),
            agent=raw.get("agent"),
            attempt=raw.get("attempt"),
            data=raw.get("data") or {},
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
