"""`hc review`: what waits for a person, and the two answers to it."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command, default_command
from hermes_company.cli.door import Door
from hermes_company.cli.words import columns
from hermes_company.wording import say

app = Commands()

_Ids = Annotated[list[str], Argument(metavar="TICKET…", help="One or more ids.")]


@default_command(app, shows=True)
def list_reviews(door: Door) -> None:
    """What waits for a person."""
    from hermes_company.cli.reviewing import review_json, reviews

    found = reviews(door.company)
    if door.as_json:
        door.json([review_json(door.company, item) for item in found])
        return
    if not found:
        door.tell(say("Nothing waits for you."))
    rows = [(item.ticket, item.agent, "!" if item.flags else "", item.title) for item in found]
    for line in columns(rows, most=door.columns, indent=0):
        door.line(line)
    if found:
        door.tell(say("`hc review show {ticket}` shows what was handed in.", ticket=found[0].ticket))


@command(app, "show", help="Show what was handed in: summary, files, what to look at.", shows=True)
def show(door: Door, ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")]) -> None:
    """One ticket in review (or after it)."""
    from hermes_company.cli.reviewing import review_json, review_lines, review_of

    item = review_of(door.company, ticket)
    if door.as_json:
        door.json(review_json(door.company, item))
        return
    for line in review_lines(door.company, item, door.lang):
        door.line(line)


@command(app, "approve", help="Accept: the ticket goes to done, its experience may be used.", shows=True)
def approve(
    door: Door,
    tickets: _Ids,
    message: Annotated[str, Option("--message", "-m", help="A word on it; it is kept with the attempt.")] = "",
) -> None:
    """The same as `mv tasks/review/ID.md tasks/done/`."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.reviewing import approve as act
    from hermes_company.cli.reviewing import record_skills

    try:
        each(door, tickets, lambda ticket: act(door.company, ticket, message))
    finally:
        record_skills(door, tickets, "approve")


@command(app, "reject", help="Send back with your feedback; the same conversation goes on.", shows=True)
def reject(
    door: Door,
    tickets: _Ids,
    message: Annotated[str, Option("--message", "-m", help="What is to be done differently.")],
    anew: Annotated[bool, Option("--anew", help="Begin again from nothing instead.")] = False,
    blame: Annotated[
        list[str] | None, Option("--blame", metavar="NOTE", help="A note that misled its agent; may be said more than once.")
    ] = None,
) -> None:
    """The same as writing the feedback and `mv tasks/review/ID.md tasks/doing/`."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.curating import record, require_notes
    from hermes_company.cli.reviewing import record_skills
    from hermes_company.cli.reviewing import reject as act

    blamed = blame or []
    require_notes(door.company, blamed)
    try:
        each(door, tickets, lambda ticket: act(door.company, ticket, message, anew=anew, blamed=blamed))
    finally:
        if blamed:
            record(door, f"memory: blame {' '.join(blamed)} in {' '.join(tickets)}")
        record_skills(door, tickets, "reject")
