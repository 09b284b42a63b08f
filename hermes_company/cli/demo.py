"""`hc demo`: a company at work, from the first ticket to the first experience."""

from __future__ import annotations

from typing import Annotated, Literal

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "demo", help="See a company at work, in a folder of its own that is removed afterwards.", root=False)
def demo(
    door: Door,
    engine: Annotated[
        Literal["shell", "claude-code", "codex"],
        Option("--engine", help="Who does the work: shell needs no account, the others use your own login."),
    ] = "shell",
    keep: Annotated[bool, Option("--keep", help="Leave the folder where it is.")] = False,
    yes: Annotated[bool, Option("--yes", help="Don't ask before using your own login.")] = False,
) -> None:
    """Real files, real processes, real events; whatever does not come in time ends it with the reason."""
    from hermes_company.cli.demo_story import tell_story

    tell_story(door, engine=engine, keep=keep, yes=yes)
