"""The company at one moment, and why each of its tickets is where it is. Only looks."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from hermes_company.cli.words import outcome_words, since
from hermes_company.domain.matching import turn
from hermes_company.domain.readiness import Facts
from hermes_company.domain.run import Attempt, Outcome, Phase
from hermes_company.domain.ticket import State, Ticket, Unreadable
from hermes_company.errors import Refusal
from hermes_company.folders.company_lock import Holder, holder
from hermes_company.ports.board import BoardView, TicketGone
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.ports.approvals import Question


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """What is asked for more than once while one answer is made."""

    view: BoardView
    # Open attempts by ticket.
    running: Mapping[str, Attempt]
    facts: Facts
    # Who runs the loop; None when nobody does.
    loop: Holder | None

    @property
    def now(self) -> datetime:
        return self.facts.now

    def tickets(self, state: State) -> list[str]:
        """The ids in that folder, in order."""
        return sorted(ticket for ticket, lies in self.view.states.items() if lies is state)


@dataclass(frozen=True, kw_only=True, slots=True)
class Why:
    """Why a ticket is where it is: one true sentence, and the way out."""

    ticket: str
    # None where it is no ticket that could be in a state.
    state: State | None
    code: str
    reason: Text
    remedy: Text
    until: datetime | None = None
    # Where to look: a file relative to the company's root and, where known, a line.
    path: str | None = None
    line: int | None = None
    flags: tuple[Text, ...] = field(default=())


def look(company: Company, running: Sequence[Attempt] | None = None) -> Snapshot:
    """The company now. The loop itself knows what runs; everybody else reads it."""
    view = company.board.view(fresh=running is None)
    if running is None:
        opened = company.runs.opened()
        running = [run for run in opened if isinstance(run, Attempt) and run.phase is not Phase.CLOSED]
    return Snapshot(
        view=view,
        running={run.ticket: run for run in running},
        facts=company.assessor.facts(view, running),
        loop=living_loop(company),
    )


def living_loop(company: Company) -> Holder | None:
    """Who runs the loop. One that crashed left its name behind: on this machine the process table says so."""
    who = holder(company.layout)
    if who is None or who.host != os.uname().nodename:
        return who
    try:
        os.kill(who.pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # somebody else's process, and alive
    return who


def explain(company: Company, seen: Snapshot, ticket: str) -> Why:
    """Why that ticket is where it is.

    Raises:
        Refusal: `ticket-unknown`.
    """
    if ticket in seen.view.conflicts:
        return _twice(seen, ticket)
    for stranger in seen.view.strangers:
        if stranger.id == ticket:
            return unreadable(stranger, None)
    state = seen.view.states.get(ticket)
    if state is None:
        raise unknown_ticket(ticket, seen.view)
    try:
        content = company.board.read(ticket, state)
    except TicketGone:
        raise _moved(ticket) from None
    asked = open_questions(company, seen, ticket, state)
    if ticket in seen.running and state is State.DOING:
        why = _running(seen, seen.running[ticket], content)
        return replace(why, flags=(*why.flags, *map(_asks, asked)))
    if asked:
        return _waits_for_answer(ticket, state, asked)
    if isinstance(content, Unreadable):
        return unreadable(content, state)
    if state in (State.TODO, State.DOING):
        return _waiting(company, seen, content, state)
    return _settled(company, seen, ticket, state)


def open_questions(company: Company, seen: Snapshot, ticket: str, state: State) -> list[Question]:
    """What its agent has asked and nobody has answered: in the attempt that runs, or that ended with it."""
    if state not in (State.DOING, State.BLOCKED) or not company.layout.approvals(ticket).is_dir():
        return []
    history = company.runs.history(ticket)
    parked = state is State.BLOCKED and bool(history) and history[-1].outcome is Outcome.BLOCKED
    last = history[-1] if parked else seen.running.get(ticket)
    if last is None:
        return []
    from hermes_company.folders.questions import QuestionFiles

    return [q for q in QuestionFiles(company.layout).of(ticket) if q.attempt == last.number and q.answer is None]


def _asks(question: Question) -> Text:
    values = {"what": question.what, "folder": question.folder or "…", "id": question.id}
    return say("It asks whether it may run `{what}` in {folder}: `hc approve {id}`, or `hc deny {id} -m …`.", **values)


def _waits_for_answer(ticket: str, state: State, asked: Sequence[Question]) -> Why:
    reason = say("It waits for a person's answer ({count}).", count=len(asked))
    ids = " ".join(question.id for question in asked)
    remedy = say("`hc approve {ids}`, or `hc deny {ids} -m …`; then its conversation goes on.", ids=ids)
    return Why(ticket=ticket, state=state, code="asks", reason=reason, remedy=remedy, flags=tuple(map(_asks, asked)))


def waiting(company: Company, seen: Snapshot, most: int) -> Iterator[tuple[Ticket, Why]]:
    """What could be started but is not, the most urgent first; at most so many."""
    lying = [
        (ticket, state)
        for state, contents in ((State.DOING, seen.view.doing), (State.TODO, seen.view.todo))
        for ticket in contents.values()
        if isinstance(ticket, Ticket) and ticket.id not in seen.running and ticket.id in seen.view.states
    ]
    ageing = company.settings.ageing_hours
    for ticket, state in sorted(lying, key=lambda item: turn(item[0], seen.now, ageing))[:most]:
        yield ticket, _waiting(company, seen, ticket, state)


def troubles(seen: Snapshot) -> list[Why]:
    """Files in the task folders that nothing will be done with until a person acts."""
    contents = ((State.TODO, seen.view.todo), (State.DOING, seen.view.doing))
    found = [unreadable(c, state) for state, lying in contents for c in lying.values() if isinstance(c, Unreadable)]
    found += [unreadable(stranger, None) for stranger in seen.view.strangers]
    return found + [_twice(seen, ticket) for ticket in sorted(seen.view.conflicts)]


def unreadable(content: Unreadable, state: State | None) -> Why:
    """An unreadable file as the answer to why nothing happens to it."""
    return Why(
        ticket=content.id,
        state=state,
        code=content.code,
        reason=content.reason,
        remedy=content.remedy,
        path=content.path,
        line=content.line,
    )


def unknown_ticket(ticket: str, view: BoardView) -> Refusal:
    """The refusal for an id that no file has."""
    import difflib

    known = {word.casefold(): word for word in (*view.states, *view.conflicts)}
    close = difflib.get_close_matches(ticket.removesuffix(".md").casefold(), known, n=1)
    return Refusal(
        "ticket-unknown",
        fact=say("There is no ticket {ticket}.", ticket=ticket),
        cause=say("No file of that name lies in one of the task folders."),
        remedy=say("Did you mean `{close}`?", close=known[close[0]]) if close else say("`hc task list` shows what there is."),
    )


def _moved(ticket: str) -> Refusal:
    return Refusal(
        "ticket-moved",
        fact=say("{ticket} was moved or deleted at this very moment.", ticket=ticket),
        cause=say("What was looked at is no longer so."),
        remedy=say("Look again: `hc why {ticket}`.", ticket=ticket),
        status=75,
    )


def _twice(seen: Snapshot, ticket: str) -> Why:
    return Why(
        ticket=ticket,
        state=None,
        code="ticket-twice",
        reason=say("Several files have this name: {places}.", places=", ".join(seen.view.conflicts[ticket])),
        remedy=say("Keep one and rename or delete the others."),
    )


def _running(seen: Snapshot, run: Attempt, content: Ticket | Unreadable) -> Why:
    moment = since(run.taken_at, seen.now)
    if run.phase is Phase.ENDING:
        code, outcome = "ending", outcome_words(run.outcome or Outcome.LOST)
        reason = say("Attempt {number} is over ({outcome}); its processes are being ended.", number=run.number, outcome=outcome)
    elif run.phase is Phase.INTENT:
        code, reason = "claimed", say("{agent} is about to start it.", agent=run.agent)
    else:
        code = "running"
        reason = say("{agent} works on it {since}, attempt {number}.", agent=run.agent, since=moment, number=run.number)
    watch = say("`hc attach {agent}` shows it, `hc task stop {ticket}` ends it.", agent=run.agent, ticket=run.ticket)
    unwatched = say("Nobody runs the company at the moment: `hc run` takes it up again.")
    remedy = watch if seen.loop else unwatched
    if run.phase is Phase.ENDING and run.flags:
        remedy = say("The ticket stays where it is until they are gone; `kill -9` with these numbers ends them.")
    flags = (*run.flags, *_edited(run, content))
    return Why(ticket=run.ticket, state=State.DOING, code=code, reason=reason, remedy=remedy, flags=flags)


def _edited(run: Attempt, content: Ticket | Unreadable) -> Iterator[Text]:
    """A running attempt keeps to what it was told; that the file says something else now should be seen."""
    if run.phase is Phase.LAUNCHED and isinstance(content, Ticket) and content.digest != run.digest != "":
        yield say(
            "The ticket was edited since this attempt was told: it works by `.hc/runs/{ticket}/{number}/prompt.md`. "
            "moved to todo, it is ended and begun anew with the edit.",
            ticket=run.ticket,
            number=run.number,
        )


def _waiting(company: Company, seen: Snapshot, ticket: Ticket, state: State) -> Why:
    verdict = company.assessor.judge(ticket, state, seen.facts)
    reason, remedy = verdict.reason, verdict.remedy
    if verdict.agent:
        reason = say("It can start now, with {agent}.", agent=verdict.agent.name)
        if seen.loop:
            remedy = say("Process {pid}, which runs the company, starts it within moments.", pid=seen.loop.pid)
    return Why(ticket=ticket.id, state=state, code=verdict.code, reason=reason, remedy=remedy, until=verdict.until)


def _settled(company: Company, seen: Snapshot, ticket: str, state: State) -> Why:
    history = company.runs.history(ticket)
    last = history[-1] if history else None
    if state is State.DONE:
        reason, remedy = say("It is done and accepted."), say("`hc review reject {ticket} -m …` opens it again.", ticket=ticket)
        return Why(ticket=ticket, state=state, code="done", reason=reason, remedy=remedy)
    if state is State.REVIEW:
        commands = say(
            "`hc review show {ticket}`, then `hc review approve {ticket}` or `hc review reject {ticket} -m …`.", ticket=ticket
        )
        flags = last.flags if last else ()
        reason = say("It waits for a person to look at it.")
        return Why(ticket=ticket, state=state, code="review", reason=reason, remedy=commands, flags=flags)
    # What the last attempt ended with holds until a person sends the ticket on.
    ended = last if last and last.reason and last.number > company.runs.note(ticket).forgiven else None
    parked_by_us = ended and (ended.moved_to is State.BLOCKED or ended.outcome is Outcome.TAKEN_AWAY)
    return Why(
        ticket=ticket,
        state=state,
        code=ended.outcome.value if ended and ended.outcome and parked_by_us else "parked",
        reason=ended.reason if ended and ended.reason and parked_by_us else _parked(company, ticket),
        remedy=say("When that is settled: `hc task retry {ticket}`.", ticket=ticket),
        flags=ended.flags if ended else (),
    )


def _parked(company: Company, ticket: str) -> Text:
    if company.layout.approvals(ticket).is_dir():
        from hermes_company.folders.questions import QuestionFiles

        answer = QuestionFiles(company.layout).of_ticket(ticket)
        if answer and not answer.given:
            return say("{person} did not approve it. {words}", person=answer.by, words=answer.words)
    return say("A person parked it here.")


def why_json(why: Why) -> dict[str, object]:
    """For `--json`: sentences in English, as the codes are."""
    return {
        "ticket": why.ticket,
        "state": why.state.value if why.state else None,
        "code": why.code,
        "reason": why.reason.in_lang("en"),
        "remedy": why.remedy.in_lang("en"),
        "until": why.until.isoformat() if why.until else None,
        "path": why.path,
        "line": why.line,
        "flags": [flag.in_lang("en") for flag in why.flags],
    }
