"""`hc events`: what happened, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door

if TYPE_CHECKING:
    from hermes_company.ports.events import Event

app = Commands()
# The log is only looked at: where nothing tells of a change, this often is enough for eyes and scripts.
_LOOK_SECONDS = 0.2


@command(app, "events", help="Show what happened, in order.", shows=True)
def events(
    door: Door,
    after: Annotated[int, Option("--after", metavar="SEQ", help="Only those after this number.")] = 0,
    ticket: Annotated[str, Option("--ticket", metavar="TICKET", help="Only those of one ticket.")] = "",
    follow: Annotated[bool, Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
) -> None:
    """One line an event; with --json one JSON object a line."""
    import time

    log = door.company.events
    while True:
        for event in log.after(after):
            after = event.seq
            if ticket in ("", event.ticket):
                _show(door, event)
        if not follow:
            return
        time.sleep(_LOOK_SECONDS)


def _show(door: Door, event: Event) -> None:
    from hermes_company.cli.lines import event_json, event_line

    door.line(event_json(event) if door.as_json else event_line(event, door.lang))
