"""`hc approve`: a person's yes."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "approve", help="Say yes: to a ticket that waits for it, or to what an agent asks.", shows=True)
def approve(
    door: Door,
    ids: Annotated[list[str], Argument(metavar="ID…", help="Of `hc approvals`: TASK-7, or TASK-7/1 for a question.")],
    always: Annotated[
        bool, Option("--always", help="To this very command of all agents from now on; `hc deny` takes it back.")
    ] = False,
    message: Annotated[str, Option("--message", "-m", help="A word on it; it is kept with the answer.")] = "",
) -> None:
    """The run goes on with it, or the ticket starts."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.answering import approve as act

    each(door, ids, lambda identity: act(door.company, identity, message, always=always))
