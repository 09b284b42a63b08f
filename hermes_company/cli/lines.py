"""Events as lines for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from hermes_company.cli.words import harmless, one_line, outcome_words
from hermes_company.ports.events import Event
from hermes_company.wording import Lang, Text, say

_MOST_COLUMNS = 400


def event_line(event: Event, lang: Lang) -> str:
    """One event on one line: local time, ticket, what happened."""
    moment = datetime.fromisoformat(event.at).astimezone().strftime("%H:%M:%S")
    tell = _TELLERS.get(event.kind, _anything)
    words = one_line(tell(event).in_lang(lang))[:_MOST_COLUMNS]
    return harmless(f"{moment}  {event.ticket or '-'}  {words}")


def event_json(event: Event) -> str:
    """One event on one line, for programs: as the log has it."""
    fields = {"seq": event.seq, "at": event.at, "kind": event.kind}
    more = {"ticket": event.ticket, "agent": event.agent, "attempt": event.attempt}
    known = {name: value for name, value in more.items() if value is not None}
    return json.dumps({**fields, **known, "data": dict(event.data)}, ensure_ascii=False)


def _anything(event: Event) -> Text:
    data = json.dumps(dict(event.data), ensure_ascii=False) if event.data else ""
    return Text("{kind} {data}", {"kind": event.kind, "data": data})


def _added(event: Event) -> Text:
    return say("new in {state}", state=event.data.get("to"))


def _moved(event: Event) -> Text:
    places = {"source": event.data.get("from"), "target": event.data.get("to")}
    if event.data.get("by") == "person":
        return say("{source} → {target}, by a person", **places)
    if event.data.get("to") == "doing":
        return say("{source} → {target}: claimed for {agent}", agent=event.agent, **places)
    return Text("{source} → {target}", places)


def _approved(event: Event) -> Text:
    return say("{source} → done: accepted", source=event.data.get("from"))


def _rejected(event: Event) -> Text:
    places = {"source": event.data.get("from"), "target": event.data.get("to")}
    if event.data.get("feedback"):
        return say("{source} → {target}: sent back, “{words}”", words=event.data["feedback"], **places)
    return say("{source} → {target}: sent back", **places)


def _removed(event: Event) -> Text:
    return say("its file is gone")


def _told(event: Event) -> Text:
    values = {"agent": event.agent, "words": event.data.get("words")}
    if event.data.get("how") == "typed":
        return say("{agent} was told in its window: “{words}”", **values)
    return say("{agent} is to be told: “{words}”", **values)


def _chat(event: Event) -> Text:
    return say("a person talked with {agent} for {seconds} s", agent=event.agent, seconds=event.data.get("seconds"))


def _started(event: Event) -> Text:
    values = {"number": event.attempt, "engine": event.data.get("engine"), "window": event.data.get("window")}
    if event.data.get("resumes"):
        return say("attempt {number}: {engine} goes on in window {window}", **values)
    return say("attempt {number}: {engine} started in window {window}", **values)


def _adopted(event: Event) -> Text:
    return say("attempt {number}: taken up again, {agent} is still at it", number=event.attempt, agent=event.agent)


def _closed(event: Event) -> Text:
    outcome, reason = outcome_words(str(event.data.get("outcome"))), event.data.get("reason") or ""
    return say("attempt {number}: {outcome}. {reason}", number=event.attempt, outcome=outcome, reason=reason)


def _stuck(event: Event) -> Text:
    pids = ", ".join(map(str, event.data.get("pids") or ()))
    return say("attempt {number}: processes survive their end: {pids}", number=event.attempt, pids=pids)


def _quiet(event: Event) -> Text:
    return say("attempt {number}: nothing has moved for {minutes} min", number=event.attempt, minutes=event.data.get("minutes"))


def _asks(event: Event) -> Text:
    asks = Text.from_json(event.data.get("asks"))
    return say("attempt {number}: it asks {asks}; `hc attach {agent}`", number=event.attempt, asks=asks, agent=event.agent)


def _engine_paused(event: Event) -> Text:
    until = datetime.fromisoformat(str(event.data.get("until"))).astimezone().strftime("%H:%M:%S")
    engine, reason = event.data.get("engine"), event.data.get("reason")
    return say("engine {engine} is paused until {until}: {reason}", engine=engine, until=until, reason=reason)


def _fault(event: Event) -> Text:
    return say("fault of hc: {problem}", problem=event.data.get("problem"))


def _program_failed(event: Event) -> Text:
    return say(
        "{program} failed and is tried again: {problem}", program=event.data.get("program"), problem=event.data.get("problem")
    )


def _archived(event: Event) -> Text:
    return say("experience kept ({status})", status=event.data.get("status"))


def _not_archived(event: Event) -> Text:
    return say("no experience kept: {reason}", reason=Text.from_json(event.data.get("reason")))


_TELLERS: dict[str, Callable[[Event], Text]] = {
    "ticket.added": _added,
    "ticket.moved": _moved,
    "ticket.approved": _approved,
    "ticket.rejected": _rejected,
    "ticket.removed": _removed,
    "ticket.told": _told,
    "ticket.chat": _chat,
    "attempt.started": _started,
    "attempt.adopted": _adopted,
    "attempt.closed": _closed,
    "attempt.stuck": _stuck,
    "attempt.quiet": _quiet,
    "attempt.asks": _asks,
    "engine.paused": _engine_paused,
    "kernel.fault": _fault,
    "program.failed": _program_failed,
    "memory.archived": _archived,
    "memory.skipped": _not_archived,
}
