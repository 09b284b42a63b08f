"""`.hc/runs`: the records of attempts, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_company.domain.breaker import EngineNote
from hermes_company.domain.run import RECEIPTS, Attempt, Outcome, Phase
from hermes_company.domain.signals import Signal
from hermes_company.domain.ticket import State, Trust
from hermes_company.folders.atomic import create_exclusive, write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import read_head, stamp_of
from hermes_company.folders.transcript_tail import TranscriptTail
from hermes_company.ports.runs import Damaged, TicketNote
from hermes_company.wording import Text

if TYPE_CHECKING:
    from hermes_company.ports.engine import Engine, Narrator

RECORD = "run.json"
SIGNALS = "signals.jsonl"
STOP = "stop.json"
FEEDBACK = "feedback.md"
BLAME = "blamed"
_MOST_SIGNALS_BYTES = 8_388_608
_MOST_TEXT_BYTES = 65_536


class RunFiles:
    """`Runs` on real folders."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._signals: dict[Path, tuple[int, list[Signal]]] = {}
        self._transcripts: dict[Path, TranscriptTail] = {}

    def open(self, attempt: Attempt) -> None:
        """See `Runs.open`. The entry in `.hc/open` comes first, so that no intent is ever overlooked."""
        folder = self.folder(attempt.ticket, attempt.number)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._layout.open_runs.mkdir(parents=True, exist_ok=True)
        # Only the intent has to survive a power cut, in which no process survives that the list would be needed for.
        write_atomic(self._layout.open_runs / attempt.ticket, str(attempt.number), mode=0o600, durable=False)
        create_exclusive(folder / RECORD, _encode(attempt), mode=0o600)

    def save(self, attempt: Attempt) -> None:
        """See `Runs.save`."""
        self._write_record(attempt, durable=False)

    def close(self, attempt: Attempt) -> None:
        """See `Runs.close`."""
        self._write_record(attempt, durable=True)
        self._signals.pop(self.folder(attempt.ticket, attempt.number), None)
        self._transcripts.pop(self.folder(attempt.ticket, attempt.number), None)
        (self._layout.open_runs / attempt.ticket).unlink(missing_ok=True)

    def forget(self, attempt: Attempt) -> None:
        """See `Runs.forget`."""
        (self.folder(attempt.ticket, attempt.number) / RECORD).unlink(missing_ok=True)
        (self._layout.open_runs / attempt.ticket).unlink(missing_ok=True)

    def opened(self) -> Sequence[Attempt | Damaged]:
        """See `Runs.opened`. An entry without a record is an intent that was never written."""
        try:
            entries = sorted(p for p in self._layout.open_runs.iterdir() if not p.name.startswith("."))
        except FileNotFoundError:
            return []
        found: list[Attempt | Damaged] = []
        for entry in entries:
            number = _number(read_head(entry, 32))
            try:
                attempt = self._load(entry.name, number)
            except (ValueError, KeyError, TypeError) as problem:
                found.append(Damaged(ticket=entry.name, number=number, problem=str(problem)))
                continue
            if attempt:
                found.append(attempt)
        return found

    def history(self, ticket: str) -> Sequence[Attempt]:
        """See `Runs.history`."""
        attempts = []
        for number in self._numbers(ticket):
            try:
                attempt = self._load(ticket, number)
            except (ValueError, KeyError, TypeError):
                continue
            if attempt:
                attempts.append(attempt)
        return attempts

    def next_number(self, ticket: str) -> int:
        """See `Runs.next_number`."""
        used = [n for n in self._numbers(ticket) if (self.folder(ticket, n) / RECORD).exists()]
        return max(used, default=0) + 1

    def note(self, ticket: str) -> TicketNote:
        """See `Runs.note`. An unreadable note is as good as none: it only delays or forgives retries."""
        raw = read_head(self._layout.ticket_runs(ticket) / "ticket.json", _MOST_TEXT_BYTES)
        try:
            note = json.loads(raw or b"{}")
            retry_at = note.get("retry_at")
            return TicketNote(
                forgiven=int(note.get("forgiven", 0)),
                anew=int(note.get("anew", 0)),
                retry_at=datetime.fromisoformat(retry_at) if retry_at else None,
            )
        except (ValueError, TypeError, AttributeError):
            return TicketNote()

    def remember(self, ticket: str, note: TicketNote) -> None:
        """See `Runs.remember`."""
        folder = self._layout.ticket_runs(ticket)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        retry_at = note.retry_at.isoformat() if note.retry_at else None
        raw = {"forgiven": note.forgiven, "anew": note.anew, "retry_at": retry_at}
        write_atomic(folder / "ticket.json", json.dumps(raw), mode=0o600)

    def engine(self, name: str) -> EngineNote:
        """See `Runs.engine`. An unreadable note is as good as none: the breaker fills again."""
        raw = read_head(self._layout.engine_note(name), _MOST_TEXT_BYTES)
        try:
            note = json.loads(raw or b"{}")
            until = note.get("until")
            return EngineNote(
                failures=tuple(map(str, note.get("failures", ()))),
                tickets=tuple(map(str, note.get("tickets", ()))),
                opened=int(note.get("opened", 0)),
                until=datetime.fromisoformat(until) if until else None,
                reason=str(note.get("reason", "")),
                kind=str(note.get("kind", "")),
            )
        except (ValueError, TypeError, AttributeError):
            return EngineNote()

    def remember_engine(self, name: str, note: EngineNote) -> None:
        """See `Runs.remember_engine`."""
        path = self._layout.engine_note(name)
        if note == EngineNote():
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(mode=0o700, exist_ok=True)
        raw = {**asdict(note), "until": note.until.isoformat() if note.until else None}
        write_atomic(path, json.dumps(raw, ensure_ascii=False), mode=0o600)

    def folder(self, ticket: str, number: int) -> Path:
        """See `Runs.folder`."""
        return self._layout.run(ticket, number)

    def stamp(self, ticket: str, number: int) -> int:
        """See `Runs.stamp`."""
        return stamp_of(self.folder(ticket, number))

    def write(self, ticket: str, number: int, name: str, text: str) -> Path:
        """See `Runs.write`."""
        path = self.folder(ticket, number) / name
        write_atomic(path, text, mode=0o600, durable=False)
        return path

    def signals(self, ticket: str, number: int, engine: Engine) -> Sequence[Signal]:
        """See `Runs.signals`. Only what was appended since the last look is parsed."""
        folder = self.folder(ticket, number)
        read, known = self._signals.get(folder, (0, []))
        path = folder / SIGNALS
        try:
            if path.stat().st_size <= read:
                return known
            with path.open("rb") as file:
                file.seek(read)
                fresh = file.read(_MOST_SIGNALS_BYTES)
        except FileNotFoundError:
            return known
        whole = fresh[: fresh.rfind(b"\n") + 1]
        signals = [*known, *_parse_signals(whole, engine)]
        self._signals[folder] = (read + len(whole), signals)
        return signals

    def told(self, ticket: str, number: int, path: str, engine: Narrator) -> Sequence[Signal]:
        """See `Runs.told`."""
        folder = self.folder(ticket, number)
        tail = self._transcripts.get(folder)
        if tail is None or tail.path != path:
            tail = self._transcripts[folder] = TranscriptTail(path)
        return tail.told(engine)

    def stop_asked(self, ticket: str, number: int) -> str | None:
        """See `Runs.stop_asked`."""
        raw = read_head(self.folder(ticket, number) / STOP, _MOST_TEXT_BYTES)
        return None if raw is None else raw.decode("utf-8", "replace").strip()

    def ask_stop(self, ticket: str, number: int, reason: str) -> None:
        """Leave a request to stop for the kernel; repeating it changes nothing."""
        write_atomic(self.folder(ticket, number) / STOP, reason, mode=0o600)

    def feedback(self, ticket: str, number: int) -> str | None:
        """See `Runs.feedback`."""
        raw = read_head(self.folder(ticket, number) / FEEDBACK, _MOST_TEXT_BYTES)
        return None if raw is None else raw.decode("utf-8", "replace").strip() or None

    def blamed(self, ticket: str, number: int) -> Sequence[str]:
        """See `Runs.blamed`."""
        raw = read_head(self.folder(ticket, number) / BLAME, _MOST_TEXT_BYTES)
        return (raw or b"").decode("utf-8", "replace").split()

    def give_feedback(self, ticket: str, number: int, words: str, *, blamed: Sequence[str] = ()) -> None:
        """Keep a reviewer's words with the attempt they are about, and the ids of the notes that misled its agent."""
        blame = self.folder(ticket, number) / BLAME
        if blamed:
            write_atomic(blame, "\n".join(blamed) + "\n", mode=0o600)
        else:
            blame.unlink(missing_ok=True)
        write_atomic(self.folder(ticket, number) / FEEDBACK, words, mode=0o600)

    def _write_record(self, attempt: Attempt, *, durable: bool) -> None:
        path = self.folder(attempt.ticket, attempt.number) / RECORD
        write_atomic(path, _encode(attempt), mode=0o600, durable=durable)

    def _numbers(self, ticket: str) -> list[int]:
        try:
            return sorted(int(p.name) for p in self._layout.ticket_runs(ticket).iterdir() if p.name.isdecimal())
        except FileNotFoundError:
            return []

    def _load(self, ticket: str, number: int) -> Attempt | None:
        raw = read_head(self.folder(ticket, number) / RECORD, _MOST_TEXT_BYTES * 4)
        return None if raw is None else _decode(json.loads(raw))


def _number(raw: bytes | None) -> int:
    return int(raw) if raw and raw.strip().isdigit() else 0


def _parse_signals(raw: bytes, engine: Engine) -> list[Signal]:
    signals = []
    for line in raw.splitlines():
        try:
            fields_of_line = json.loads(line)
        except ValueError:
            continue
        signal = engine.read_signal(fields_of_line) if isinstance(fields_of_line, Mapping) else None
        if signal:
            signals.append(signal)
    return signals


def _encode(attempt: Attempt) -> str:
    record: dict[str, Any] = {}
    for field in fields(attempt):
        value = getattr(attempt, field.name)
        if isinstance(value, datetime):
            value = value.isoformat()
        elif isinstance(value, Text):
            value = value.to_json()
        elif isinstance(value, tuple):
            value = [item.to_json() if isinstance(item, Text) else item for item in value]
        if value is not None:
            record[field.name] = value
    return json.dumps(record, ensure_ascii=False, default=str)


_MOMENTS = ("taken_at", "lease_expires", "closed_at", "paused_until", *(f"{name}_at" for name in RECEIPTS))


def _decode(raw: Any) -> Attempt:
    if not isinstance(raw, dict):
        raise TypeError("not a record")
    values: dict[str, Any] = {f.name: raw[f.name] for f in fields(Attempt) if f.name in raw}
    for name in _MOMENTS:
        if name in values:
            values[name] = datetime.fromisoformat(values[name])
    for name, kind in (("phase", Phase), ("outcome", Outcome), ("claimed_from", State), ("moved_to", State), ("trust", Trust)):
        if name in values:
            values[name] = kind(values[name])
    if "reason" in values:
        values["reason"] = Text.from_json(values["reason"])
    if "packs" in values:
        values["packs"] = tuple(map(str, values["packs"]))
    if "flags" in values:
        values["flags"] = tuple(Text.from_json(flag) for flag in values["flags"])
    return Attempt(**values)
