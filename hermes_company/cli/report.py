"""The company on one page: for `hc status`, and for the live board of `hc run`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING

from hermes_company.cli.seeing import Snapshot, Why, explain, look, open_questions, troubles, waiting, why_json
from hermes_company.cli.words import columns, sentence, shorten, since
from hermes_company.domain.agent import UnreadableAgent
from hermes_company.domain.run import Attempt
from hermes_company.domain.settings import Budgets
from hermes_company.domain.ticket import State, Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.company_lock import Holder
from hermes_company.ports.board import TicketGone
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_MOST_IN_JSON = 1_000
# Below this width a title would leave no room for the sentence beside it.
_ROOM_FOR_TITLES = 90


class Style(StrEnum):
    """What a line is, for those who colour it."""

    HEAD = "head"
    PLAIN = "plain"
    TROUBLE = "trouble"


Line = tuple[Style, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentRow:
    """One agent and what it does."""

    name: str
    engine: str
    role: str
    # `busy`, `idle`, or `unusable` with the problem.
    status: str
    runs: tuple[Attempt, ...] = ()
    problem: Text | None = None
    remedy: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """A ticket with its title and why it is where it is."""

    title: str
    why: Why


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The company at one moment, in the parts that people look for."""

    name: str
    root: str
    now: datetime
    loop: Holder | None
    counts: dict[State, int]
    agents: tuple[AgentRow, ...]
    running: tuple[Attempt, ...]
    waiting: tuple[Item, ...]
    # What a person has to do something about: at work and conspicuous, in review, blocked.
    people: tuple[Item, ...]
    troubles: tuple[Why, ...]
    # Budgets that are used up or nearly so: a code, and the sentence.
    budgets: tuple[tuple[str, Text], ...]
    # How to look at the agents at work; None when there is nothing to see.
    attach: str | None

    def to_json(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "name": self.name,
            "root": self.root,
            "at": self.now.isoformat(timespec="seconds"),
            "loop": {"pid": self.loop.pid, "host": self.loop.host, "since": self.loop.since} if self.loop else None,
            "counts": {state.value: count for state, count in self.counts.items()},
            "agents": [agent_json(row) for row in self.agents],
            "running": [run_json(run) for run in self.running],
            "waiting": [{"title": item.title, **why_json(item.why)} for item in self.waiting],
            "people": [{"title": item.title, **why_json(item.why)} for item in self.people],
            "unreadable": [why_json(why) for why in self.troubles],
            "budgets": [{"code": code, "says": says.in_lang("en")} for code, says in self.budgets],
            "attach": self.attach,
        }


def make_report(company: Company, seen: Snapshot | None = None, *, most: int = _MOST_IN_JSON) -> Report:
    """The company now. Lists end after `most` entries; the counts say how many there are."""
    in_the_loop = seen is not None
    seen = seen or look(company)
    busy = bool(seen.loop or seen.running)
    return Report(
        name=company.settings.name or company.layout.root.name,
        root=str(company.layout.root),
        now=seen.now,
        loop=seen.loop,
        counts={state: sum(1 for lies in seen.view.states.values() if lies is state) for state in State},
        agents=tuple(agent_rows(seen)),
        running=tuple(sorted(seen.running.values(), key=lambda run: run.taken_at)),
        waiting=tuple(Item(title=ticket.title, why=why) for ticket, why in waiting(company, seen, most)),
        people=tuple(islice(_people(company, seen), most)),
        troubles=tuple(troubles(seen)[:most]),
        budgets=tuple(_budgets(company, seen, in_the_loop)),
        attach=" ".join(company.workers.attach_command(None)) if busy else None,
    )


def _budgets(company: Company, seen: Snapshot, in_the_loop: bool) -> Iterator[tuple[str, Text]]:
    if company.settings.budgets == Budgets():
        return
    from hermes_company.cli.costing import tight_budgets  # few companies have budgets

    for finding in tight_budgets(company, seen.view.states, in_the_loop=in_the_loop):
        yield finding.code, finding.says


def agent_rows(seen: Snapshot) -> Iterator[AgentRow]:
    """Every agent, in the order of the names."""
    for name, agent in seen.facts.agents.items():
        runs = tuple(run for run in seen.running.values() if run.agent == name)
        if isinstance(agent, UnreadableAgent):
            where = f"{agent.path}:{agent.line}" if agent.line else agent.path
            problem = say("{where}: {reason}", where=where, reason=agent.reason)
            yield AgentRow(name=name, engine="", role="", status="unusable", runs=runs, problem=problem, remedy=agent.remedy)
            continue
        refusal = seen.facts.engines.get(agent.engine)
        yield AgentRow(
            name=name,
            engine=agent.engine,
            role=agent.role,
            status="busy" if runs else "unusable" if refusal else "idle",
            runs=runs,
            problem=refusal.fact if refusal else None,
            remedy=refusal.remedy if refusal else None,
        )


def _people(company: Company, seen: Snapshot) -> Iterator[Item]:
    asking = [run.ticket for run in seen.running.values() if open_questions(company, seen, run.ticket, State.DOING)]
    conspicuous = sorted({*asking, *(run.ticket for run in seen.running.values() if run.flags)})
    lying = [(ticket, State.DOING) for ticket in conspicuous]
    lying += [(ticket, state) for state in (State.REVIEW, State.BLOCKED) for ticket in seen.tickets(state)]
    for ticket, state in lying:
        try:
            yield Item(title=title_of(company, ticket, state), why=explain(company, seen, ticket))
        except (TicketGone, Refusal):
            continue  # moved while we look: the next look shows it where it is then


def title_of(company: Company, ticket: str, state: State) -> str:
    """The ticket's title, or its id where it can't be read."""
    content = company.board.read(ticket, state)
    return content.title if isinstance(content, Ticket) else ticket


def agent_json(row: AgentRow) -> dict[str, object]:
    """One agent for `--json`."""
    return {
        "name": row.name,
        "engine": row.engine,
        "role": row.role,
        "status": row.status,
        "tickets": [{"ticket": run.ticket, "since": run.taken_at.isoformat()} for run in row.runs],
        "problem": row.problem.in_lang("en") if row.problem else None,
        "remedy": row.remedy.in_lang("en") if row.remedy else None,
    }


def run_json(run: Attempt) -> dict[str, object]:
    """One attempt for `--json`."""
    return {
        "ticket": run.ticket,
        "attempt": run.number,
        "agent": run.agent,
        "engine": run.engine,
        "phase": run.phase.value,
        "title": run.title,
        "since": run.taken_at.isoformat(),
        "closed": run.closed_at.isoformat() if run.closed_at else None,
        "outcome": run.outcome.value if run.outcome else None,
        "reason": run.reason.in_lang("en") if run.reason else None,
        "flags": [flag.in_lang("en") for flag in run.flags],
        "moved_to": run.moved_to.value if run.moved_to else None,
        "receipts": {name: at.isoformat() if at else None for name, at in run.receipts.items()},
        "failure": run.failure or None,
        "paused_until": run.paused_until.isoformat() if run.paused_until else None,
        "resumes": run.resumes,
        "feedback": run.feedback,
        "window": run.window,
        "workdir": run.workdir,
        "outbox": run.outbox,
    }


def report_lines(report: Report, lang: Lang, *, width: int | None, most: int) -> Iterator[Line]:
    """The report for people.

    Args:
        width: of the terminal, in columns; None where lines need not fit.
        most: entries a list; the rest is counted.
    """
    yield Style.HEAD, _fit(f"{report.name}  {_loop(report).in_lang(lang)}", width)
    yield Style.PLAIN, _fit("   ".join(f"{state} {count}" for state, count in report.counts.items()), width)
    if not report.agents:
        yield Style.PLAIN, _fit(say("Nobody works here yet: `hc agent add NAME --engine …`.").in_lang(lang), width)
    yield from _list(say("Agents"), [agent_row(row, report.now, lang) for row in report.agents], lang, width, most)
    total = report.counts[State.TODO]
    rows = [_item_row(item, item.why.reason.in_lang(lang), width) for item in report.waiting]
    yield from _list(say("Waiting ({count})", count=max(total, len(rows))), rows, lang, width, most)
    rows = [_item_row(item, _asks(item.why, lang), width) for item in report.people]
    waits = (
        report.counts[State.REVIEW]
        + report.counts[State.BLOCKED]
        + sum(1 for item in report.people if item.why.state is State.DOING)
    )
    yield from _list(say("For a person ({count})", count=waits), rows, lang, width, most)
    yield from _troubles(report, lang, width, most)
    yield from _list(say("Budgets"), [("!", says.in_lang(lang)) for _, says in report.budgets], lang, width, most)
    if report.attach:
        yield Style.HEAD, ""
        yield Style.PLAIN, _fit(say("To watch the agents: {command}", command=report.attach).in_lang(lang), width)


def _loop(report: Report) -> Text:
    if report.loop is None:
        return say("nobody runs it: `hc run`")
    began = since(datetime.fromisoformat(report.loop.since), report.now)
    return say("run by process {pid} on {host} {since}", pid=report.loop.pid, host=report.loop.host, since=began)


def agent_row(row: AgentRow, now: datetime, lang: Lang) -> tuple[str, ...]:
    """One agent as the cells of a line."""
    if row.runs:
        work = "; ".join(f"{run.ticket} {since(run.taken_at, now).in_lang(lang)} {run.title}" for run in row.runs)
    else:
        work = row.problem.in_lang(lang) if row.problem else row.role
    status = {"busy": say("busy"), "idle": say("idle"), "unusable": say("can't work")}[row.status]
    return row.name, row.engine, status.in_lang(lang), work


def _item_row(item: Item, sentence: str, width: int | None) -> tuple[str, ...]:
    if width is None or width >= _ROOM_FOR_TITLES:
        return item.why.ticket, shorten(item.title, 28), sentence
    return item.why.ticket, sentence


def _asks(why: Why, lang: Lang) -> str:
    flagged = "! " if why.flags else ""
    if why.state is State.DOING:
        return f"{flagged}{sentence(lang, *why.flags, why.remedy)}"
    if why.state is State.REVIEW:
        return f"{flagged}{say('in review: `hc review show {ticket}`', ticket=why.ticket).in_lang(lang)}"
    return f"{flagged}{say('blocked: {reason}', reason=why.reason).in_lang(lang)}"


def _troubles(report: Report, lang: Lang, width: int | None, most: int) -> Iterator[Line]:
    rows = []
    for why in report.troubles:
        where = f"{why.path}:{why.line}" if why.path and why.line else why.path or why.ticket
        rows.append((where, f"{why.reason.in_lang(lang)} {why.remedy.in_lang(lang)}"))
    for row in report.agents:
        if row.status == "unusable" and row.problem and row.remedy:
            rows.append((row.name, f"{row.problem.in_lang(lang)} {row.remedy.in_lang(lang)}"))
    for style, line in _list(say("Needs correction ({count})", count=len(rows)), rows, lang, width, most):
        yield Style.TROUBLE if style is Style.PLAIN and line else style, line


def _list(head: Text, rows: Sequence[Sequence[str]], lang: Lang, width: int | None, most: int) -> Iterator[Line]:
    if not rows:
        return
    yield Style.PLAIN, ""
    yield Style.HEAD, head.in_lang(lang)
    for line in columns(rows[:most], most=width):
        yield Style.PLAIN, line
    if len(rows) > most:
        yield Style.PLAIN, "  " + say("… and {count} more", count=len(rows) - most).in_lang(lang)


def _fit(text: str, width: int | None) -> str:
    return text if width is None else shorten(text, width)
