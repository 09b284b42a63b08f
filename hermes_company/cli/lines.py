"""Events as lines for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime

from hermes_company.cli.words import harmless, one_line, outcome_words, receipt_words
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


def _receipt(event: Event) -> Text:
    return say("attempt {number}: {receipt}", number=event.attempt, receipt=receipt_words(str(event.data.get("receipt"))))


def _adopted(event: Event) -> Text:
    return say("attempt {number}: taken up again, {agent} is still at it", number=event.attempt, agent=event.agent)


def _closed(event: Event) -> Text:
    outcome, reason = outcome_words(str(event.data.get("outcome"))), event.data.get("reason") or ""
    said = " ! ".join([reason, *map(str, event.data.get("flags") or ())])
    return say("attempt {number}: {outcome}. {reason}", number=event.attempt, outcome=outcome, reason=said)


def _stuck(event: Event) -> Text:
    pids = ", ".join(map(str, event.data.get("pids") or ()))
    return say("attempt {number}: processes survive their end: {pids}", number=event.attempt, pids=pids)


def _quiet(event: Event) -> Text:
    return say("attempt {number}: nothing has moved for {minutes} min", number=event.attempt, minutes=event.data.get("minutes"))


def _odd_marker(event: Event) -> Text:
    name = event.data.get("name")
    return say("attempt {number}: {name} in the outbox is no regular file and does not count", number=event.attempt, name=name)


def _asks(event: Event) -> Text:
    asks = Text.from_json(event.data.get("asks"))
    return say("attempt {number}: it asks {asks}; `hc attach {agent}`", number=event.attempt, asks=asks, agent=event.agent)


def _engine_paused(event: Event) -> Text:
    until = datetime.fromisoformat(str(event.data.get("until"))).astimezone().strftime("%H:%M:%S")
    engine, reason = event.data.get("engine"), event.data.get("reason")
    return say("engine {engine} is paused until {until}: {reason}", engine=engine, until=until, reason=reason)


def _budget(event: Event) -> Text:
    return Text("{says}", {"says": event.data.get("says")})


def _fault(event: Event) -> Text:
    return say("fault of hc: {problem}", problem=event.data.get("problem"))


def _program_failed(event: Event) -> Text:
    return say(
        "{program} failed and is tried again: {problem}", program=event.data.get("program"), problem=event.data.get("problem")
    )


def _archived(event: Event) -> Text:
    if event.data.get("status") == "thin":
        return say("experience kept (thin): its summary has none of the headings that prompts ask for, nothing of it is told")
    return say("experience kept ({status})", status=event.data.get("status"))


def _not_archived(event: Event) -> Text:
    return say("no experience kept: {reason}", reason=Text.from_json(event.data.get("reason")))


def _drafted(event: Event) -> Text:
    tickets = ", ".join(map(str, event.data.get("tickets") or ()))
    return say("skill {name} is drafted from {tickets} and waits for you", name=event.data.get("name"), tickets=tickets)


def _unfit(event: Event) -> Text:
    problem = next(map(Text.from_json, event.data.get("problems") or ()), Text(""))
    return say("skill {name} stays a draft: {problem}", name=event.data.get("name"), problem=problem)


def _distilled(event: Event) -> Text:
    return say("{kept} lessons distilled, {dropped} dropped", kept=event.data.get("kept"), dropped=event.data.get("dropped"))


def _refused(event: Event) -> Text:
    return say("refused by {rule}: {call}", rule=event.data.get("rule"), call=event.data.get("call"))


def _changed(event: Event) -> Text:
    path = event.data.get("path")
    if event.data.get("put_back"):
        return say("{path} was changed by the agent and put back", path=path)
    return say("{path} changed while the agent ran; it was left", path=path)


def _asked(event: Event) -> Text:
    return say("asks ({question}): {call}", question=event.data.get("question"), call=event.data.get("call"))


def _answered(event: Event) -> Text:
    values = {
        "by": event.data.get("by"),
        "call": event.data.get("call") or event.ticket,
        "words": event.data.get("words") or "",
    }
    if event.kind == "approval.given":
        return say("{by} approved {call}. {words}", **values)
    return say("{by} denied {call}. {words}", **values)


_TELLERS: dict[str, Callable[[Event], Text]] = {
    "ticket.added": _added,
    "ticket.moved": _moved,
    "ticket.approved": _approved,
    "ticket.rejected": _rejected,
    "ticket.removed": _removed,
    "ticket.told": _told,
    "ticket.chat": _chat,
    "attempt.started": _started,
    "attempt.receipt": _receipt,
    "attempt.adopted": _adopted,
    "attempt.closed": _closed,
    "attempt.stuck": _stuck,
    "attempt.quiet": _quiet,
    "attempt.odd_marker": _odd_marker,
    "attempt.asks": _asks,
    "engine.paused": _engine_paused,
    "budget.warning": _budget,
    "budget.used_up": _budget,
    "approval.asked": _asked,
    "approval.given": _answered,
    "approval.denied": _answered,
    "guard.refused": _refused,
    "guard.changed": _changed,
    "kernel.fault": _fault,
    "program.failed": _program_failed,
    "memory.archived": _archived,
    "memory.skipped": _not_archived,
    "skill.drafted": _drafted,
    "skill.unfit": _unfit,
    "memory.distilled": _distilled,
}
