"""`hc approvals`: what waits for a person's yes."""

from __future__ import annotations

from hermes_company.cli.commands import Commands, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "approvals", help="Show what waits for your yes, and what you have approved for good.", shows=True)
def approvals(door: Door) -> None:
    """Tickets that are not to start before, and questions in the middle of the work."""
    from hermes_company.cli.answering import pending_json, pending_lines, pendings

    found = pendings(door.company)
    if door.as_json:
        door.json(pending_json(door.company, found))
        return
    for line in pending_lines(door.company, found, door.lang, door.columns):
        door.line(line)
