"""`hc chat`: a ticket's conversation in the person's own terminal."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "chat", help="Open the conversation of a ticket here; leaving the engine hands it back.")
def chat(door: Door, ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")]) -> None:
    """The ticket is not started meanwhile."""
    from hermes_company.cli.chatting import talk

    talk(door, ticket)
