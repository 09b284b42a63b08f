"""`logs/events.jsonl`: append-only, one JSON object a line, a `seq` that only grows.

A log that has grown large is put aside as `events-<last seq>.jsonl`; readers find its events there as before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from hermes_company.folders.atomic import rename_noreplace
from hermes_company.ports.clock import Clock
from hermes_company.ports.events import Draft, Event

_TAIL = 65_536
_ROTATE_BYTES = 16_777_216


class EventLog:
    """`Events` in one file. Several may read; only the holder of the company's lock appends.

    Args:
        path: the log file; made at the first append.
        clock: the time stamps.
        rotate_bytes: a log of this size is put aside before the next event.
    """

    def __init__(self, path: Path, clock: Clock, rotate_bytes: int = _ROTATE_BYTES) -> None:
        self._path = path
        self._clock = clock
        self._rotate_bytes = rotate_bytes
        self._seq: int | None = None
        # In the file of this inode, every event up to this `seq` lies before this byte: who asks again need not read the
        # log from its beginning.
        self._read_up_to = (0, 0, 0)

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
        draft = Draft(kind=kind, ticket=ticket, agent=agent, attempt=attempt, data=dict(data or {}))
        return self._write([draft])[0]

    def append_all(self, drafts: Sequence[Draft]) -> None:
        """See `Events.append_all`."""
        if drafts:
            self._write(drafts)

    def _write(self, drafts: Sequence[Draft]) -> list[Event]:
        seq = self.last_seq() if self._seq is None else self._seq
        at = self._clock.now().isoformat(timespec="milliseconds")
        events = [
            Event(seq=number, at=at, kind=d.kind, ticket=d.ticket, agent=d.agent, attempt=d.attempt, data=d.data)
            for number, d in enumerate(drafts, start=seq + 1)
        ]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._rotate(seq)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            lines = (b"" if _ends_a_line(descriptor) else b"\n") + b"".join(map(_encode, events))
            written = os.write(descriptor, lines)
            if written != len(lines):
                # What of it arrived is in the log: the next event counts on from there.
                self._seq = None
                raise OSError(f"event log: {written} of {len(lines)} bytes written")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._seq = events[-1].seq
        return events

    def last_seq(self) -> int:
        """The greatest `seq` written; 0 for an empty log."""
        aside = self._aside()
        return _last_seq(self._path) or (_seq_of(aside[-1]) if aside else 0)

    def after(self, seq: int) -> Iterator[Event]:
        """See `Events.after`. Lines that are no event (torn by a crash, edited by hand) are passed over."""
        for path in self._aside():
            if _seq_of(path) > seq:
                with path.open("rb") as file:
                    yield from (e for line in file if (e := decode(line)) and e.seq > seq)
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            yield from self._after_in(file, seq)

    def _after_in(self, file: BinaryIO, seq: int) -> Iterator[Event]:
        status = os.fstat(file.fileno())
        inode, last, place = self._read_up_to
        if inode != status.st_ino or last > seq or place > status.st_size:
            last = place = 0
        file.seek(place)
        for line in file:
            if not line.endswith(b"\n"):
                break
            place += len(line)
            event = decode(line)
            if event:
                last = max(last, event.seq)
                if event.seq > seq:
                    yield event
        self._read_up_to = (status.st_ino, last, place)

    def _aside(self) -> list[Path]:
        """Logs that were put aside, oldest first."""
        return sorted(self._path.parent.glob(f"{self._path.stem}-*{self._path.suffix}"))

    def _rotate(self, seq: int) -> None:
        try:
            if self._path.stat().st_size < self._rotate_bytes:
                return
        except FileNotFoundError:
            return
        rename_noreplace(self._path, self._path.with_name(f"{self._path.stem}-{seq:012d}{self._path.suffix}"))


def _seq_of(aside: Path) -> int:
    """The last `seq` in a log that was put aside, as its name says."""
    number = aside.stem.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _last_seq(path: Path) -> int:
    """The `seq` of the last whole event in a file; 0 when there is none. Reads from the end."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return 0
    with file:
        size = file.seek(0, os.SEEK_END)
        reach = _TAIL
        while True:
            file.seek(max(0, size - reach))
            for line in reversed(file.read().split(b"\n")[1 if reach < size else 0 :]):
                event = decode(line)
                if event:
                    return event.seq
            if reach >= size:
                return 0
            reach *= 8


def _ends_a_line(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _encode(event: Event) -> bytes:
    known = {"seq": event.seq, "at": event.at, "kind": event.kind}
    for name in ("ticket", "agent", "attempt"):
        if getattr(event, name) is not None:
            known[name] = getattr(event, name)
    return json.dumps({**known, **({"data": event.data} if event.data else {})}, ensure_ascii=False).encode() + b"\n"


def decode(line: bytes) -> Event | None:
    """The event on one line of a log; None for a line that is none."""
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
