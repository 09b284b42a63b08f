"""`hc why`: one true sentence about a ticket, and the way out."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "why", help="Say why a ticket is where it is, and the way out.", shows=True)
def why(door: Door, ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")]) -> None:
    """One ticket explained."""
    from hermes_company.cli.refusals import last_refusals, refusal_note, refusals_json
    from hermes_company.cli.seeing import explain, look, why_json

    found = explain(door.company, look(door.company), ticket)
    refused = last_refusals(door.company, ticket)
    if door.as_json:
        door.json({**why_json(found), "refused": refusals_json(refused)})
        return
    where = f"{found.path}:{found.line}" if found.path and found.line else found.path or ""
    lies = found.state.value if found.state else where
    door.line(f"{found.ticket}  {lies}")
    if found.path and found.state:
        door.line(f"  {where}")
    door.line(f"  {found.reason.in_lang(door.lang)}")
    for flag in (*found.flags, *([refusal_note(refused)] if refused else [])):
        door.line(f"  ! {' '.join(flag.in_lang(door.lang).split())}")
    door.line(f"  → {found.remedy.in_lang(door.lang)}")
