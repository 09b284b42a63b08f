"""The archive: a finished attempt's summary becomes notes, pending until a person accepts the ticket."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from hermes_company.domain.names import is_agent_name, is_ticket_id
from hermes_company.domain.redaction import redact
from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State, Trust
from hermes_company.ports.events import Event, Events
from hermes_company.userspace.files import Unreadable, read_head
from hermes_company.userspace.memory.approval import accept, reject, reopen
from hermes_company.userspace.memory.guards import suspicious
from hermes_company.userspace.memory.lessons import DISTILLING, Lessons, Origin, failure, failure_id
from hermes_company.userspace.memory.note import Kind, Note, Status, one_line
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.memory.secrets import Redact
from hermes_company.userspace.memory.summary import MAX_BYTES, Section, Summary, parse_summary
from hermes_company.userspace.memory.told import ToldNote
from hermes_company.wording import Lang, Text, say

Told = Callable[[str, int], tuple[ToldNote, ...] | None]
_MAX_ITEMS = 20
_MAX_REASON = 300
_ID = re.compile(r"(?<![\w-])[\w][\w.-]*[\w](?![\w-])")
_FAILURES: Mapping[str, Text] = {
    Outcome.BLOCKED: say("The attempt was blocked."),
    Outcome.TIMED_OUT: say("The attempt ran out of time."),
    Outcome.DIED: say("The attempt's process ended without a result."),
    Outcome.NO_DELIVERABLE: say("The attempt said that it was done and had handed nothing in."),
}


class Archive:
    """A program that files what attempts taught. Everything it does can be done again without a difference.

    Args:
        book: the notes.
        events: told what was archived, as `memory.archived` and `memory.skipped`.
        lang: the language of the few sentences that the archive itself writes.
        told: which notes an attempt's prompt carried; None where no record says.
        failure_days: how long what a failed attempt teaches is shown; 0: it leaves nothing.
        redact: takes secrets out of what is to be stored. What it raises holds the event up until it can be done.
    """

    name = "archive"

    def __init__(
        self,
        book: NoteBook,
        events: Events,
        *,
        lang: Lang,
        told: Told = lambda ticket, attempt: None,
        failure_days: int = 30,
        redact: Redact = redact,
    ) -> None:
        self._book = book
        self._lessons = Lessons(book)
        self._events = events
        self._lang = lang
        self._told = told
        self._failure_days = failure_days
        self._redact = redact

    def handle(self, event: Event) -> None:
        """See `Program.handle`."""
        ticket = event.ticket
        if ticket is None or not is_ticket_id(ticket) or ticket.startswith(DISTILLING):
            return
        if event.kind == "attempt.closed" and event.agent and is_agent_name(event.agent):
            self._closed(event, self._origin(event))
        elif event.kind == "ticket.approved":
            accept(self._book, ticket, self._failures(ticket))
        elif event.kind == "ticket.rejected":
            reject(self._book, ticket, self._failures(ticket), blamed=_strings(event.data.get("blame")))
        elif event.kind == "ticket.moved" and event.data.get("from") == State.DONE:
            reopen(self._book, ticket, self._failures(ticket))

    def _origin(self, event: Event) -> Origin:
        data: Mapping[str, Any] = event.data
        title = one_line(self._redact(str(data.get("title") or event.ticket)).text)[:200]
        return Origin(
            ticket=str(event.ticket),
            attempt=event.attempt or 0,
            agent=str(event.agent),
            project=str(data["project"]) if data.get("project") else None,
            title=title,
            engine=str(data.get("engine") or ""),
            packs=_strings(data.get("packs")),
            created=event.at[:10],
            untrusted=data.get("trust") == Trust.UNTRUSTED,
        )

    def _closed(self, event: Event, origin: Origin) -> None:
        outcome = event.data.get("outcome")
        if outcome == Outcome.FINISHED:
            self._finished(event, origin)
        elif outcome in _FAILURES and self._failure_days:
            self._failed(origin, str(outcome), event.data.get("reason"))

    def _finished(self, event: Event, origin: Origin) -> None:
        try:
            data, whole = read_head(Path(str(event.data.get("outbox"))) / "summary.md", MAX_BYTES)
        except FileNotFoundError:
            self._skipped(event, say("there is no summary.md"))
            return
        except Unreadable as problem:
            self._skipped(event, problem.reason)
            return
        digest = hashlib.sha256(data).hexdigest()
        known = self._book.get(origin.agent, Kind.EXPERIENCE, origin.ticket)
        if known and known.source_sha256 == digest:
            return
        text = data.decode("utf-8-sig", errors="replace")
        if not text.strip():
            self._skipped(event, say("its summary.md is empty"))
            return
        # The last line of a text that was cut may be half a secret, which no rule would know.
        self._write(origin, text if whole else text[: text.rfind("\n") + 1], digest, known)

    def _write(self, origin: Origin, text: str, digest: str, known: Note | None) -> None:
        clean = self._redact(text)
        body = clean.text.encode()[:MAX_BYTES].decode(errors="ignore")
        summary = parse_summary(body)
        lessons = self._file(Kind.LESSON, summary.items(Section.PITFALLS), origin)
        patterns = self._file(Kind.PATTERN, summary.items(Section.PATTERNS), origin)
        rules = suspicious(f"{origin.title}\n{body}")
        status = Status.QUARANTINED if rules else Status.THIN if summary.thin else Status.PENDING
        told = self._told(origin.ticket, origin.attempt)
        # An earlier, rejected summary's lessons stay with the ticket; its patterns do not.
        earlier = [i for i in known.lessons if i.startswith("L-")] if known else []
        fields = {
            "id": origin.ticket,
            **origin.fields(),
            "status": status.value,
            "quarantine": rules,
            "source_sha256": digest,
            "redactions": clean.count,
            "redacted": clean.rules,
            "injected": [note.id for note in told or ()],
            "used": _used(summary, told),
            "lessons": tuple(dict.fromkeys([*earlier, *lessons, *patterns])),
            "helpful": known.helpful if known else 0,
            "harmful": known.harmful if known else 0,
            "helpful_in": known.helpful_in if known else (),
            "harmful_in": known.harmful_in if known else (),
        }
        # Last: it is what says that the ticket is archived.
        self._book.create(origin.agent, Kind.EXPERIENCE, origin.ticket, fields=fields, body=f"# {origin.title}\n\n{body}")
        self._archived(origin, status, rules, lessons=len(lessons), patterns=len(patterns), redactions=clean.count)

    def _file(self, kind: Kind, items: tuple[str, ...], origin: Origin) -> list[str]:
        return [self._lessons.add(kind, item, origin) for item in items[:_MAX_ITEMS]]

    def _failed(self, origin: Origin, outcome: str, reason: object) -> None:
        note_id = failure_id(origin.ticket, outcome)
        expires = (date.fromisoformat(origin.created) + timedelta(days=self._failure_days)).isoformat()
        said = self._redact(Text.from_json(reason).in_lang(self._lang) if reason else "").text
        body = f"{_FAILURES[outcome].in_lang(self._lang)} {one_line(said)[:_MAX_REASON]}".strip()
        rules = suspicious(body)
        fields = {
            "id": note_id,
            **failure(origin, outcome, expires).fields(),
            "status": Status.QUARANTINED.value if rules else Status.PENDING.value,
            "quarantine": rules,
            "seen_in": (origin.ticket,),
        }
        known = self._book.get(origin.agent, Kind.LESSON, note_id)
        if known is None or known.created < origin.created:
            self._book.create(origin.agent, Kind.LESSON, note_id, fields=fields, body=body)

    def _failures(self, ticket: str) -> list[str]:
        return [failure_id(ticket, outcome) for outcome in _FAILURES]

    def _skipped(self, event: Event, problem: Text) -> None:
        self._events.append(
            "memory.skipped", ticket=event.ticket, agent=event.agent, attempt=event.attempt, data={"reason": problem.to_json()}
        )

    def _archived(self, origin: Origin, status: Status, rules: tuple[str, ...], **counts: int) -> None:
        data = {"status": status.value, "quarantine": list(rules), **counts}
        self._events.append("memory.archived", ticket=origin.ticket, agent=origin.agent, attempt=origin.attempt, data=data)


def _used(summary: Summary, told: tuple[ToldNote, ...] | None) -> tuple[str, ...]:
    """The ids of notes that the agent says it used: those that it was told, by their id or the ticket that they come from."""
    words = (word for item in summary.items(Section.USED) for word in _ID.findall(item))
    said = dict.fromkeys(word for word in words if is_ticket_id(word) and any(c.isdigit() for c in word))
    if told is not None:
        shown = [note.id for note in told if note.id in said or note.source in said]
        said = dict.fromkeys([*(word for word in said if any(word in (n.id, n.source) for n in told)), *shown])
    return tuple(said)[:_MAX_ITEMS]


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(v) for v in value) if isinstance(value, list | tuple) else ()
