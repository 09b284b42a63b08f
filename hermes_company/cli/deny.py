"""`hc deny`: a person's no."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "deny", help="Say no: the agent goes on without it; a ticket is parked in blocked.", shows=True)
def deny(
    door: Door,
    ids: Annotated[list[str], Argument(metavar="ID…", help="Of `hc approvals`: TASK-7, or TASK-7/1 for a question.")],
    message: Annotated[str, Option("--message", "-m", help="Why, or what to do instead; the agent is told.")] = "",
) -> None:
    """Takes back what was approved for good, too."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.answering import deny as act

    each(door, ids, lambda identity: act(door.company, identity, message))
