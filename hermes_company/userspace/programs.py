"""Runs the userspace programs over the event log. One that fails is told about once, paused and tried again; nobody waits."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hermes_company.ports.clock import Clock
from hermes_company.ports.events import Event, Events
from hermes_company.ports.files import WriteText
from hermes_company.ports.memory import Program

_log = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 600.0


@dataclass(slots=True)
class _Progress:
    """How far one program has come."""

    program: Program
    seq: int
    # The event that it fails at and what was told of it; kept, so that a restart does not tell it again.
    failing: int | None = None
    failures: int = 0
    # What its file says.
    saved: str = ""
    # Boot time before which it is not tried again.
    not_before: float = 0.0


class Programs:
    """Each program sees every event once, in order, from where it had come to.

    Args:
        programs: their names are file names.
        events: the log; failures are appended as `program.failed`.
        folder: `.hc/programs`; one `<name>.json` each.
        clock: for the pauses.
        write: replaces a file.
    """

    def __init__(self, programs: Sequence[Program], events: Events, folder: Path, clock: Clock, *, write: WriteText) -> None:
        self._events = events
        self._folder = folder
        self._clock = clock
        self._write = write
        self._progress = [self._read(program) for program in programs]

    def catch_up(self, limit: int = 500) -> None:
        """Hand at most `limit` new events to the programs that are due. Raises nothing that a program or the disk raises."""
        now = self._clock.boottime()
        due = [p for p in self._progress if p.not_before <= now]
        try:
            self._hand_over(due, limit)
            for progress in due:
                self._save(progress)
        except OSError as problem:
            # A full or read-only disk: what was handed over and not recorded comes again, which programs can bear.
            _log.error("programs: %s", problem)
            for progress in due:
                progress.not_before = max(progress.not_before, now + _FIRST_PAUSE_SECONDS)

    def _hand_over(self, due: list[_Progress], limit: int) -> None:
        for event in islice(self._events.after(min((p.seq for p in due), default=0)), limit):
            ready = [p for p in due if p.not_before <= self._clock.boottime()]
            if not ready:
                return
            for progress in ready:
                if progress.seq < event.seq:
                    self._step(progress, event)

    def _step(self, progress: _Progress, event: Event) -> None:
        try:
            progress.program.handle(event)
        except Exception as problem:  # noqa: BLE001 - recorded as an event and in the log; the others go on
            self._failed(progress, event, problem)
        else:
            progress.seq = event.seq
            progress.failing, progress.failures = None, 0

    def _failed(self, progress: _Progress, event: Event, problem: Exception) -> None:
        pause = min(_FIRST_PAUSE_SECONDS * 2**progress.failures, _LONGEST_PAUSE_SECONDS)
        progress.failures += 1
        progress.not_before = self._clock.boottime() + pause
        name = progress.program.name
        if progress.failing is None:
            _log.error("program %s failed at event %d", name, event.seq, exc_info=problem)
            data = {"program": name, "at_seq": event.seq, "problem": f"{type(problem).__name__}: {problem}"}
            self._events.append("program.failed", ticket=event.ticket, data=data)
        progress.failing = event.seq

    def _read(self, program: Program) -> _Progress:
        path = self._file(program.name)
        try:
            text = path.read_text()
            raw = json.loads(text)
            return _Progress(program, int(raw["seq"]), failing=raw.get("failing"), saved=text)
        except FileNotFoundError:
            return _Progress(program, 0)
        except (ValueError, KeyError, TypeError):
            # Programs are idempotent, so beginning anew costs time and nothing else.
            _log.warning("program %s: %s is not readable, beginning anew", program.name, path)
            return _Progress(program, 0)

    def _save(self, progress: _Progress) -> None:
        raw = {"seq": progress.seq, **({"failing": progress.failing} if progress.failing is not None else {})}
        text = json.dumps(raw) + "\n"
        if text != progress.saved:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._write(self._file(progress.program.name), text)
            progress.saved = text

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.json"
