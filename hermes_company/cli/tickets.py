"""Tickets as lists and in full: what `hc task list` and `hc task show` answer with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.refusals import refusal_lines, refusals, refusals_json
from hermes_company.cli.report import run_json
from hermes_company.cli.seeing import Snapshot, Why, explain, look, why_json
from hermes_company.cli.words import clock_time, columns, duration, outcome_words, receipt_words
from hermes_company.domain.run import Attempt
from hermes_company.domain.ticket import State, Ticket, Trust
from hermes_company.ports.board import TicketGone
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

# What an attempt's folder may hold, and what a person looks for in it.
_RUN_FILES = ("prompt.md", "injected.json", "signals.jsonl", "pane.log", "feedback.md", "approval.md")


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One ticket in a list."""

    id: str
    state: State
    title: str
    priority: str
    # Who works on it or is to; empty where that is open.
    agent: str


def list_rows(company: Company, seen: Snapshot, states: Sequence[State]) -> Iterator[Row]:
    """The readable tickets in these folders, by folder and id."""
    for state in states:
        for ticket in seen.tickets(state):
            try:
                content = company.board.read(ticket, state)
            except TicketGone:
                continue
            if isinstance(content, Ticket):
                run = seen.running.get(ticket)
                agent = run.agent if run else content.owner or ""
                yield Row(id=ticket, state=state, title=content.title, priority=content.priority.value, agent=agent)


def row_json(row: Row) -> dict[str, object]:
    """One ticket in a list for `--json`."""
    return {"id": row.id, "state": row.state.value, "title": row.title, "priority": row.priority, "agent": row.agent or None}


def show_json(company: Company, ticket: str) -> dict[str, object]:
    """A ticket in full for `--json`.

    Raises:
        Refusal: `ticket-unknown`.
    """
    seen = look(company)
    why = explain(company, seen, ticket)
    content = _content(company, why)
    return {
        "id": ticket,
        "state": why.state.value if why.state else None,
        "file": str(company.layout.ticket(ticket, why.state)) if why.state else why.path,
        "why": why_json(why),
        "front_matter": dict(_front(content)) if content else None,
        "body": content.body if content else None,
        "attempts": [_attempt_json(company, run) for run in company.runs.history(ticket)],
        "attach": _attach(company, seen, ticket),
    }


def show_lines(company: Company, ticket: str, lang: Lang, width: int | None) -> Iterator[str]:
    """A ticket in full for people.

    Raises:
        Refusal: `ticket-unknown`.
    """
    seen = look(company)
    why = explain(company, seen, ticket)
    content = _content(company, why)
    yield f"{ticket}  {content.title if content else ''}".rstrip()
    yield f"  {why.reason.in_lang(lang)}"
    yield f"  → {why.remedy.in_lang(lang)}"
    for flag in why.flags:
        yield f"  ! {flag.in_lang(lang)}"
    yield ""
    rows = [("file", str(company.layout.ticket(ticket, why.state)) if why.state else why.path or "")]
    rows += [(key, value if isinstance(value, str) else ", ".join(map(str, value))) for key, value in _front(content)]
    yield from columns(rows, most=width, indent=0)
    for run in company.runs.history(ticket):
        yield ""
        yield from _attempt_lines(company, seen, run, lang, width)
    attach = _attach(company, seen, ticket)
    if attach:
        yield ""
        yield say("To watch it: {command}", command=attach).in_lang(lang)
    if content and content.body.strip():
        yield ""
        yield content.body.strip()


def _content(company: Company, why: Why) -> Ticket | None:
    if why.state is None:
        return None
    content = company.board.read(why.ticket, why.state)
    return content if isinstance(content, Ticket) else None


def _front(content: Ticket | None) -> Iterator[tuple[str, str | list[str]]]:
    """What the ticket says of itself, without what it leaves to the defaults."""
    if content is None:
        return
    for key in ("owner", "priority", "workdir", "project", "created_by"):
        value = getattr(content, key)
        if value:
            yield key, str(value)
    for key in ("needs", "skills", "skill_pack", "expects"):
        if getattr(content, key):
            yield key, list(getattr(content, key))
    for key in ("created", "not_before"):
        moment = getattr(content, key)
        if moment:
            yield key, moment.isoformat()
    if content.timeout_minutes:
        yield "timeout_minutes", f"{content.timeout_minutes:g}"
    if content.hold:
        yield "hold", "true"
    if content.trust is not Trust.TRUSTED:
        yield "trust", content.trust.value
    if content.approve:
        yield "approve", content.approve.value


def _attempt_json(company: Company, run: Attempt) -> dict[str, object]:
    return {**run_json(run), "refused": refusals_json(refusals(company, run)), "files": _files(company, run)}


def _attempt_lines(company: Company, seen: Snapshot, run: Attempt, lang: Lang, width: int | None) -> Iterator[str]:
    end = run.closed_at or seen.now
    outcome = outcome_words(run.outcome) if run.outcome else say("still open")
    head: Text = say(
        "Attempt {number}  {outcome}  {agent}, {engine}, from {moment} for {elapsed}",
        number=run.number,
        outcome=outcome,
        agent=run.agent,
        engine=run.engine,
        moment=clock_time(run.taken_at, seen.now),
        elapsed=duration((end - run.taken_at).total_seconds()),
    )
    yield head.in_lang(lang)
    if run.reason:
        yield f"  {run.reason.in_lang(lang)}"
    for flag in run.flags:
        yield f"  ! {flag.in_lang(lang)}"
    yield f"  {say('Receipts: {steps}', steps=_receipts(run, seen.now, lang)).in_lang(lang)}"
    yield from refusal_lines(refusals(company, run), seen.now, lang)
    if run.feedback:
        yield f"  {say('Feedback it was given: {words}', words=' '.join(run.feedback.split())).in_lang(lang)}"
    yield from columns(list(_files(company, run).items()), most=width)


def _receipts(run: Attempt, now: datetime, lang: Lang) -> str:
    """The five receipts on one line; `-` for what was not reported."""
    given = ((receipt_words(name), clock_time(at, now) if at else "-") for name, at in run.receipts.items())
    return "  ".join(f"{word.in_lang(lang)} {moment}" for word, moment in given)


def _files(company: Company, run: Attempt) -> dict[str, str]:
    """Where to look: what lies in the attempt's folder, and what the agent handed in."""
    folder = company.runs.folder(run.ticket, run.number)
    found = {name: str(folder / name) for name in _RUN_FILES if (folder / name).is_file()}
    return {"outbox": run.outbox, **_summary(run), **found} if run.outbox else found


def _summary(run: Attempt) -> dict[str, str]:
    """The attempt's summary; that of an earlier attempt was put aside when the next one began."""
    outbox = Path(run.outbox)
    for path in (outbox / ".attempts" / str(run.number) / "summary.md", outbox / "summary.md"):
        if path.is_file():
            return {"summary.md": str(path)}
    return {}


def _attach(company: Company, seen: Snapshot, ticket: str) -> str | None:
    run = seen.running.get(ticket)
    return " ".join(company.workers.attach_command(run.window)) if run and run.window else None
