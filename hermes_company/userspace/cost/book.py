"""`.hc/runs/<ticket>/<attempt>/usage.json`: what each attempt used, and how far its transcripts were read for that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from hermes_company.domain.usage import KINDS, AttemptUsage, Row, Tokens
from hermes_company.ports.files import WriteText
from hermes_company.userspace.cost.transcript import Mark
from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.wording import Text, say

NAME = "usage.json"
_MOST_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempt's usage, and where the next attempt that goes on in its conversation reads on."""

    usage: AttemptUsage
    marks: Mapping[str, Mark]


class UsageBook:
    """The files. They are written once; deleting one has it counted again from the transcript, if that is still there.

    Args:
        runs: `.hc/runs`.
        write: replaces a file.
    """

    def __init__(self, runs: Path, *, write: WriteText) -> None:
        self._runs = runs
        self._write = write

    def get(self, ticket: str, attempt: int) -> Entry | None:
        """One attempt's entry; None where there is none. One that can't be read is there with that problem."""
        try:
            return _decode(json.loads(read_text(self._path(ticket, attempt), _MOST_BYTES)))
        except FileNotFoundError:
            return None
        except (Unreadable, ValueError, TypeError, KeyError):
            problem = say("{path} can't be read.", path=str(self._path(ticket, attempt)))
            unknown = AttemptUsage(ticket=ticket, attempt=attempt, agent="?", engine="?", problems=(problem,))
            return Entry(unknown, {})

    def save(self, entry: Entry) -> None:
        """Write one attempt's entry."""
        path = self._path(entry.usage.ticket, entry.usage.attempt)
        self._write(path, json.dumps(_encode(entry), ensure_ascii=False, indent=1) + "\n")

    def of_ticket(self, ticket: str) -> Iterator[Entry]:
        """The ticket's entries, the earliest attempt first."""
        for attempt in _numbers(self._runs / ticket):
            entry = self.get(ticket, attempt)
            if entry:
                yield entry

    def all(self) -> Iterator[AttemptUsage]:
        """What every attempt used, by ticket."""
        try:
            tickets = sorted(path.name for path in self._runs.iterdir())
        except FileNotFoundError:
            return
        for ticket in tickets:
            for entry in self.of_ticket(ticket):
                yield entry.usage

    def _path(self, ticket: str, attempt: int) -> Path:
        return self._runs / ticket / str(attempt) / NAME


def _numbers(folder: Path) -> list[int]:
    try:
        return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal())
    except (FileNotFoundError, NotADirectoryError):
        return []


def _encode(entry: Entry) -> dict[str, Any]:
    usage = entry.usage
    return {
        "ticket": usage.ticket,
        "attempt": usage.attempt,
        "agent": usage.agent,
        "engine": usage.engine,
        "used": [{"day": row.day, "model": row.model, **asdict(row.tokens)} for row in usage.rows],
        "problems": [problem.to_json() for problem in usage.problems],
        "transcripts": [{"path": path, **asdict(mark)} for path, mark in entry.marks.items()],
    }


def _decode(raw: Any) -> Entry:
    usage = AttemptUsage(
        ticket=str(raw["ticket"]),
        attempt=int(raw["attempt"]),
        agent=str(raw["agent"]),
        engine=str(raw["engine"]),
        rows=tuple(Row(day=str(row["day"]), model=str(row["model"]), tokens=_tokens(row)) for row in raw["used"]),
        problems=tuple(Text.from_json(problem) for problem in raw["problems"]),
    )
    return Entry(usage, {str(mark["path"]): _mark(mark) for mark in raw["transcripts"]})


def _mark(raw: Mapping[str, Any]) -> Mark:
    known = {field.name: raw[field.name] for field in fields(Mark)}
    return Mark(**{**known, "total": _tokens(raw["total"])})


def _tokens(raw: Mapping[str, Any]) -> Tokens:
    return Tokens(**{kind: int(raw[kind]) for kind in KINDS})
