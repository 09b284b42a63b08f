"""Questions of agents and people's answers: `.hc/runs/<ticket>/approvals/`, `.hc/allowed.json`, `.hc/answered/`.

The guard writes the questions (`engines/guard_ask.py`); the files are described in `docs/reference/files.md`.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hermes_company.domain.names import is_ticket_id
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import read_head, stamp_of
from hermes_company.ports.approvals import Answer, Notice, Question

_MOST_BYTES = 65_536
# A folder this young may change again under the same time stamp.
_RACY_NS = 20_000_000
# The answer about a ticket itself.
_TICKET = "ticket.json"


class QuestionFiles:
    """`Questions` on real folders, and what people do there."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        # The time stamp of the folder of notices when it was last seen to be empty, or missing.
        self._empty_at = 0

    def of(self, ticket: str) -> Sequence[Question]:
        """See `Questions.of`. What can't be read is no question."""
        try:
            files = [p for p in self._layout.approvals(ticket).iterdir() if p.suffix == ".json" and p.stem.isdecimal()]
        except FileNotFoundError:
            return ()
        numbers = sorted(int(p.stem) for p in files)
        return [question for number in numbers if (question := self._question(ticket, number))]

    def find(self, identity: str) -> Question | None:
        """The question of that id (`TASK-7/1`)."""
        ticket, _, number = identity.rpartition("/")
        if not is_ticket_id(ticket) or not number.isdecimal():
            return None
        return self._question(ticket, int(number))

    def answer(self, question: Question, answer: Answer) -> None:
        """Answer it, and leave the loop a notice."""
        folder = self._layout.approvals(question.ticket)
        write_atomic(folder / f"{question.number}.answer.json", json.dumps(asdict(answer), ensure_ascii=False), mode=0o600)
        self._leave(question.ticket, question.number, question.attempt, answer, {"call": question.what})

    def answer_ticket(self, ticket: str, answer: Answer) -> None:
        """Keep the answer about a ticket that has to be approved before it starts, and leave the loop a notice."""
        folder = self._layout.approvals(ticket)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(folder / _TICKET, json.dumps(asdict(answer), ensure_ascii=False), mode=0o600)
        self._leave(ticket, None, None, answer, {})

    def of_ticket(self, ticket: str) -> Answer | None:
        """The last answer about a ticket itself."""
        return _answer(_read(self._layout.approvals(ticket) / _TICKET))

    def allowed(self) -> Mapping[str, Mapping[str, Any]]:
        """What is approved for good, by `Question.anywhere`."""
        raw = _read(self._layout.allowed)
        entries = raw if isinstance(raw, list) else []
        return {str(entry["key"]): entry for entry in entries if isinstance(entry, dict) and "key" in entry}

    def allow(self, question: Question, answer: Answer) -> None:
        """Approve its command for all agents from now on."""
        entry = {"key": question.anywhere, "rule": question.rule, "what": question.what, "by": answer.by, "asked": question.id}
        self._write_allowed({**self.allowed(), question.anywhere: entry})

    def disallow(self, question: Question) -> bool:
        """Take that back; whether there was anything to take back."""
        before = self.allowed()
        if question.anywhere in before:
            self._write_allowed({key: entry for key, entry in before.items() if key != question.anywhere})
        return question.anywhere in before

    def notices(self) -> Sequence[Notice]:
        """See `Questions.notices`."""
        stamp = stamp_of(self._layout.answered)
        if stamp in (0, self._empty_at):
            return ()
        paths = sorted(path for path in self._layout.answered.iterdir() if path.suffix == ".json")
        if not paths and time.time_ns() - stamp > _RACY_NS:
            self._empty_at = stamp
        return [notice for path in paths if (notice := _notice(path))]

    def drop(self, notice: Notice) -> None:
        """See `Questions.drop`."""
        notice.path.unlink(missing_ok=True)

    def _leave(self, ticket: str, number: int | None, attempt: int | None, answer: Answer, data: Mapping[str, object]) -> None:
        question = f"{ticket}/{number}" if number else None
        raw = {
            "kind": "approval.given" if answer.given else "approval.denied",
            "ticket": ticket,
            "number": number,
            "data": {**data, "question": question, "attempt": attempt, "words": answer.words, "by": answer.by},
        }
        self._layout.answered.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._layout.answered / f"{time.time_ns():020d}-{os.getpid()}.json"
        write_atomic(path, json.dumps(raw, ensure_ascii=False), mode=0o600)

    def _write_allowed(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        write_atomic(self._layout.allowed, json.dumps(list(entries.values()), ensure_ascii=False, indent=1) + "\n", mode=0o600)

    def _question(self, ticket: str, number: int) -> Question | None:
        folder = self._layout.approvals(ticket)
        raw = _read(folder / f"{number}.json")
        try:
            return Question(
                ticket=ticket,
                number=number,
                attempt=int(raw["attempt"]),
                rule=str(raw["rule"]),
                what=str(raw["what"]),
                folder=raw["folder"],
                call=str(raw["call"]),
                at=datetime.fromtimestamp(raw["at"], UTC),
                until=datetime.fromtimestamp(raw["until"], UTC),
                anywhere=str(raw["anywhere"]),
                answer=_answer(_read(folder / f"{number}.answer.json")),
                taken=(folder / f"{number}.taken").exists(),
            )
        except (KeyError, TypeError, ValueError):
            return None


def _notice(path: Path) -> Notice | None:
    raw = _read(path)
    try:
        return Notice(path, str(raw["kind"]), str(raw["ticket"]), raw["number"], dict(raw["data"]))
    except (KeyError, TypeError, ValueError):
        return None


def _answer(raw: Any) -> Answer | None:
    if not isinstance(raw, dict):
        return None
    return Answer(given=raw.get("given") is True, words=str(raw.get("words", "")), by=str(raw.get("by", "")))


def _read(path: Path) -> Any:
    """The JSON in a file; None where there is none that can be read."""
    try:
        return json.loads(read_head(path, _MOST_BYTES) or b"null")
    except ValueError:
        return None
