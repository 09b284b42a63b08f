"""The diary: what each agent did, a line an event, for people to read: `logs/<agent>/YYYY-MM-DD.md`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from pathlib import Path
from string import Formatter

from hermes_company.domain.names import is_agent_name
from hermes_company.domain.redaction import redact
from hermes_company.ports.events import Event
from hermes_company.ports.runs import Runs
from hermes_company.wording import Lang, Text, say

_TAIL_BYTES = 4_096
_MAX_CHARS = 300
_SEQ = re.compile(rb"\(#(\d+)\)[ \t]*$")

_SENTENCES: Mapping[str, Text] = {
    "attempt.started": say("started attempt {attempt} with {engine}: {title}"),
    "attempt.adopted": say("attempt {attempt} goes on under a new orchestrator"),
    "attempt.stuck": say("attempt {attempt} could not be ended: processes survive"),
    "ticket.approved": say("was accepted"),
    "ticket.rejected": say("was sent back: {feedback}"),
    "ticket.moved": say("moved from {from} to {to}"),
    "ticket.added": say("lies in {to}"),
    "ticket.removed": say("was removed"),
    "approval.asked": say("asks ({question}): {call}"),
    "approval.given": say("{by} approved: {call}"),
    "approval.denied": say("{by} denied: {call}"),
    "guard.refused": say("was refused by {rule}: {call}"),
    "guard.changed": say("changed {path} while it ran"),
    "memory.archived": say("its experience was filed ({status}; lessons: {lessons}, patterns: {patterns})"),
    "memory.distilled": say("{kept} lessons were distilled, {dropped} dropped"),
    "memory.skipped": say("nothing was filed: {reason}"),
}
_OUTCOMES: Mapping[str, Text] = {
    "finished": say("finished attempt {attempt}; it waits for review"),
    "blocked": say("attempt {attempt} is blocked: {reason}"),
    "died": say("attempt {attempt} ended without a result: {reason}"),
    "timed_out": say("attempt {attempt} ran out of time"),
    "stopped": say("attempt {attempt} was stopped: {reason}"),
    "taken_away": say("a person took attempt {attempt} away"),
    "refused": say("attempt {attempt} was not started: {reason}"),
    "no_deliverable": say("attempt {attempt} said DONE but left nothing to review: {reason}"),
    "paused": say("attempt {attempt} pauses: {reason}"),
    "budget": say("attempt {attempt} was ended for its budget: {reason}"),
    "lost": say("attempt {attempt} was lost: {reason}"),
}


class Diary:
    """A program that writes what happened into the diary of the agent whom it concerns. Events of nobody are left out.

    Args:
        logs: `<company>/logs`.
        lang: the diary's language.
        runs: tells whose ticket it is, where an event does not.
        zone: the readers' time zone; None is the machine's.
    """

    name = "diary"

    def __init__(self, logs: Path, *, lang: Lang, runs: Runs, zone: tzinfo | None = None) -> None:
        self._logs = logs
        self._lang = lang
        self._runs = runs
        self._zone = zone

    def handle(self, event: Event) -> None:
        """See `Program.handle`. An event whose number the file has already is not written again."""
        agent = event.agent or self._owner(event.ticket)
        if agent is None or not is_agent_name(agent):
            return
        at = datetime.fromisoformat(event.at).astimezone(self._zone)
        path = self._logs / agent / f"{at:%Y-%m-%d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        said = redact(" ".join(self._say(event).split())).text[:_MAX_CHARS]
        subject = f"{event.ticket} " if event.ticket else ""
        _append(path, f"# {at:%Y-%m-%d} {agent}", f"- {at:%H:%M:%S} {subject}{said} (#{event.seq})", event.seq)

    def _owner(self, ticket: str | None) -> str | None:
        history = self._runs.history(ticket) if ticket else ()
        return history[-1].agent if history else None

    def _say(self, event: Event) -> str:
        data = event.data
        known = _OUTCOMES.get(str(data.get("outcome"))) if event.kind == "attempt.closed" else _SENTENCES.get(event.kind)
        if known is None:
            return event.kind
        values = {name: _shown(data.get(name), self._lang) for name in _names(known)} | {"attempt": event.attempt or ""}
        return Text(known.template, values).in_lang(self._lang).rstrip(": ：")


def _names(sentence: Text) -> list[str]:
    """What the sentence has places for; an event that does not say it leaves the place empty."""
    return [name for _, name, _, _ in Formatter().parse(sentence.template) if name]


def _shown(value: object, lang: Lang) -> object:
    if isinstance(value, dict) and "template" in value:
        return Text.from_json(value).in_lang(lang)
    return "" if value is None else value


def _append(path: Path, header: str, line: str, seq: int) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        tail = os.pread(descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        written = [int(m[1]) for m in map(_SEQ.search, tail.splitlines()) if m]
        if written and max(written) >= seq:
            return
        start = f"{header}\n\n" if not size else "" if tail.endswith(b"\n") else "\n"
        os.write(descriptor, f"{start}{line}\n".encode())
    finally:
        os.close(descriptor)
