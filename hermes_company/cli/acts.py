"""What a person does to tickets: each once or many times with the same result, for one ticket or for several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hermes_company.cli.boundary import show_refusal
from hermes_company.cli.door import Door, Ended
from hermes_company.cli.seeing import Snapshot, living_loop, look, unknown_ticket
from hermes_company.domain.run import Attempt
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import replace_existing
from hermes_company.folders.safe_read import read_head
from hermes_company.folders.ticket_edit import with_hold
from hermes_company.folders.ticket_file import MAX_TICKET_BYTES, BadTicket
from hermes_company.folders.watch import ring
from hermes_company.ports.board import PlaceTaken, TicketGone
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


@dataclass(frozen=True, slots=True)
class Did:
    """What came of it: whether anything changed, a sentence, and what the person should know besides."""

    changed: bool
    says: Text
    warnings: tuple[Text, ...] = ()


def each(door: Door, tickets: Sequence[str], act: Callable[[str], Did], *, what: str = "ticket") -> None:
    """Do it to every ticket; one that is refused does not keep the others from it. Rings the doorbell.

    Args:
        what: what they are called in `--json`.

    Raises:
        Ended: with the status of the worst refusal.
    """
    results: list[dict[str, object]] = []
    worst = 0
    for ticket in dict.fromkeys(tickets):
        try:
            did = act(ticket)
        except Refusal as problem:
            worst = max(worst, problem.status)
            results.append({what: ticket, "error": problem.to_json()})
            if not door.as_json:
                show_refusal(problem, door.lang, as_json=False)
        else:
            results.append({what: ticket, "changed": did.changed, "says": did.says.in_lang("en")})
            if not door.as_json:
                door.tell(did.says)
            for warning in did.warnings:
                door.warn(warning)
    ring(door.company.layout.doorbell)
    if door.as_json:
        door.json(results)
    if worst:
        raise Ended(worst)


def stop_run(company: Company, ticket: str, words: str) -> Did:
    """Ask for the end of its run. The loop ends it and moves the ticket to blocked."""
    seen, state = where(company, ticket)
    run = seen.running.get(ticket)
    if run is None:
        return Did(False, say("{ticket} does not run; it is in {state}.", ticket=ticket, state=state.value))
    if company.runs.stop_asked(ticket, run.number) is not None:
        return Did(False, say("{ticket}: its end was asked for already.", ticket=ticket))
    company.runs.ask_stop(ticket, run.number, words)
    return Did(True, will(company, say("{ticket} is being ended and goes to blocked.", ticket=ticket)))


def retry(company: Company, ticket: str) -> Did:
    """Forgive its failures: a blocked ticket is queued again, one in a pause no longer waits."""
    seen, state = where(company, ticket)
    if state in (State.REVIEW, State.DONE):
        raise Refusal(
            "ticket-not-failed",
            fact=say("{ticket} is in {state}.", ticket=ticket, state=state.value),
            cause=say("Nothing failed that could be tried again."),
            remedy=say("Send it back with your feedback: `hc review reject {ticket} -m …`.", ticket=ticket),
        )
    if ticket in seen.running:
        return Did(False, say("{ticket} runs.", ticket=ticket))
    if state is State.BLOCKED:
        # What this move means, the loop knows: failures are forgiven, and it begins anew.
        move(company, ticket, State.BLOCKED, State.TODO)
        return Did(True, say("{ticket} is queued again.", ticket=ticket))
    note = company.runs.note(ticket)
    forgiven = replace(note, forgiven=company.runs.next_number(ticket) - 1, retry_at=None)
    if forgiven == note:
        return Did(False, say("{ticket} waits for no pause.", ticket=ticket))
    company.runs.remember(ticket, forgiven)
    return Did(True, say("{ticket} no longer waits for its pause to end.", ticket=ticket))


def set_hold(company: Company, ticket: str, *, held: bool) -> Did:
    """Set or remove `hold: true` in the ticket's front matter; every other byte stays.

    Raises:
        Refusal: see `rewrite`.
    """
    if not rewrite(company, ticket, lambda raw: with_hold(raw, held)):
        already = say("{ticket} is on hold already.", ticket=ticket)
        return Did(False, already if held else say("{ticket} is not on hold.", ticket=ticket))
    return Did(True, say("{ticket} is on hold.", ticket=ticket) if held else say("{ticket} may start.", ticket=ticket))


def rewrite(company: Company, ticket: str, edit: Callable[[bytes], bytes]) -> bool:
    """Replace a ticket's bytes by what `edit` makes of them; whether that changed any.

    Raises:
        Refusal: `ticket-unknown`, `ticket-twice`, the file's own problem, `ticket-moved`, `ticket-not-written`.
    """
    _, state = where(company, ticket)
    path = company.layout.ticket(ticket, state)
    raw = read_head(path, MAX_TICKET_BYTES + 1)
    if raw is None:
        raise _moved(ticket)
    try:
        changed = edit(raw)
    except BadTicket as problem:
        cause = say("It was left as it is.")
        raise Refusal(problem.code, fact=problem.reason, cause=cause, remedy=problem.remedy) from None
    if changed == raw:
        return False
    if not replace_existing(path, changed, expected=raw):
        raise _not_written(ticket) if read_head(path, MAX_TICKET_BYTES + 1) == raw else _moved(ticket)
    return True


def cancel(company: Company, ticket: str) -> Did:
    """End its run, if there is one, and park it in blocked."""
    seen, state = where(company, ticket)
    if state is State.BLOCKED:
        return Did(False, say("{ticket} is in blocked already.", ticket=ticket))
    if state is State.DONE:
        raise Refusal(
            "ticket-done",
            fact=say("{ticket} is done and accepted.", ticket=ticket),
            cause=say("There is nothing left to cancel."),
            remedy=say("`mv tasks/done/{ticket}.md tasks/blocked/` parks it all the same.", ticket=ticket),
        )
    move(company, ticket, state, State.BLOCKED)
    if ticket in seen.running:
        return Did(True, will(company, say("{ticket} is parked in blocked; its run is being ended.", ticket=ticket)))
    return Did(True, say("{ticket} is parked in blocked.", ticket=ticket))


def where(company: Company, ticket: str) -> tuple[Snapshot, State]:
    """The company now, and the one folder that the ticket lies in.

    Raises:
        Refusal: `ticket-unknown`, `ticket-twice`.
    """
    seen = look(company)
    if ticket in seen.view.conflicts:
        places = ", ".join(seen.view.conflicts[ticket])
        raise Refusal(
            "ticket-twice",
            fact=say("Several files have this name: {places}.", places=places),
            cause=say("Nobody could tell which one is meant."),
            remedy=say("Keep one and rename or delete the others."),
        )
    state = seen.view.states.get(ticket)
    if state is None:
        raise unknown_ticket(ticket, seen.view)
    return seen, state


def last_attempt(company: Company, ticket: str) -> Attempt | None:
    """Its newest attempt."""
    history = company.runs.history(ticket)
    return history[-1] if history else None


def who(company: Company) -> str:
    """The person, as far as the machine knows."""
    return company.environ.get("USER") or company.environ.get("LOGNAME") or "person"


def move(company: Company, ticket: str, source: State, target: State) -> None:
    """A person's move, as `mv` would do it.

    Raises:
        Refusal: `ticket-moved`, `ticket-twice`.
    """
    try:
        company.board.move(ticket, source, target)
    except TicketGone:
        raise _moved(ticket) from None
    except PlaceTaken:
        raise Refusal(
            "ticket-twice",
            fact=say("A file of that name lies in {state} already: {ticket}.", state=target.value, ticket=ticket),
            cause=say("One of the two would be lost."),
            remedy=say("Keep one and rename or delete the other."),
        ) from None


def _not_written(ticket: str) -> Refusal:
    return Refusal(
        "ticket-not-written",
        fact=say("{ticket} was not changed: this file system can't exchange two files.", ticket=ticket),
        cause=say("Without that, an edit of yours at the same moment could be lost."),
        remedy=say("Change the file yourself."),
        status=75,
    )


def _moved(ticket: str) -> Refusal:
    return Refusal(
        "ticket-moved",
        fact=say("{ticket} was moved or edited at this very moment.", ticket=ticket),
        cause=say("What was looked at is no longer so."),
        remedy=say("Look again: `hc why {ticket}`.", ticket=ticket),
        status=75,
    )


def will(company: Company, says: Text) -> Text:
    """Who carries it out: the loop, where one runs."""
    if living_loop(company):
        return says
    return say("{says} The next `hc run` does that: nobody runs the company at the moment.", says=says)
