"""`hc memory`: what the company has learned."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door
from hermes_company.cli.words import columns
from hermes_company.wording import say

app = Commands()


@command(app, "search", help="Search everything that was learned, approved or not.", shows=True)
def search(
    door: Door,
    text: Annotated[str, Argument(metavar="TEXT", help="What it has to do with.")],
    limit: Annotated[int, Option("--limit", help="At most so many.")] = 10,
) -> None:
    """Best first."""
    from hermes_company.cli.remembering import found_rows, judged_json

    found = door.company.retriever.search(text, limit=limit)
    if door.as_json:
        door.json([judged_json(judged) for judged in found])
        return
    for line in columns(found_rows(found), most=door.columns, indent=0):
        door.line(line)
    if not found:
        door.tell(say("Nothing that was learned has to do with it."))


@command(app, "explain", help="Say what a ticket's agent would be told, and why the rest is left out.", shows=True)
def explain(
    door: Door,
    ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")],
    agent: Annotated[str, Option("--agent", metavar="AGENT", help="For whom; else who has or would get it.")] = "",
) -> None:
    """The same judgement as for the prompt."""
    from hermes_company.cli.remembering import explained, found_rows, judged_json

    judged = explained(door.company, ticket, agent)
    if door.as_json:
        door.json([judged_json(item) for item in judged])
        return
    for line in columns(found_rows(judged, verdicts=True), most=door.columns, indent=0):
        door.line(line)
    if not judged:
        door.tell(say("Nothing that was learned has to do with it."))
