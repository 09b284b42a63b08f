"""Engines' transcripts, read on as they grow. An agent may write them: looked at as a stranger's files."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.signals import Signal

if TYPE_CHECKING:
    from hermes_company.ports.engine import Narrator

# At one look; the rest comes at the next ones.
_MOST_BYTES = 8_388_608


class TranscriptTail:
    """One transcript, for one engine."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._read = 0
        self._told: list[Signal] = []

    def told(self, engine: Narrator) -> Sequence[Signal]:
        """What it says so far. Nothing is read when it has not grown; a line without its end waits."""
        try:
            if os.stat(self.path, follow_symlinks=False).st_size <= self._read:  # noqa: PTH116 - once a second an attempt
                return self._told
            fresh = _read_on(Path(self.path), self._read)
        except OSError:
            # Not there yet, or no longer: it only says more than the reports do.
            return self._told
        whole = fresh[: fresh.rfind(b"\n") + 1]
        if not whole and len(fresh) == _MOST_BYTES:
            whole = fresh  # no engine writes such a line
        self._read += len(whole)
        for line in whole.splitlines():
            signal = _signal(line, engine)
            if signal:
                self._told.append(signal)
        return self._told


def _read_on(path: Path, offset: int) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        return os.pread(descriptor, _MOST_BYTES, offset)
    finally:
        os.close(descriptor)


def _signal(line: bytes, engine: Narrator) -> Signal | None:
    if not any(word in line for word in engine.transcript_words):
        return None
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return engine.read_transcript(parsed) if isinstance(parsed, Mapping) else None
