"""`hc run`: the company runs as long as this does."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "run", help="Run the company: start tickets, watch agents, settle what is done.")
def run(
    door: Door,
    once: Annotated[bool, Option("--once", help="Look once, start what is ready, and end.")] = False,
    plain: Annotated[bool, Option("--plain", help="One line an event instead of the live board.")] = False,
) -> None:
    """Until Ctrl-C; the agents go on without it."""
    from hermes_company.cli.running import run_company

    run_company(door, once=once, plain=plain)
