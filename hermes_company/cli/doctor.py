"""`hc doctor`: everything examined, with the way out; `--fix` repairs what can be repaired without asking anybody."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door, Ended

app = Commands()


@command(app, "doctor", help="Examine the company: what is wrong, and the way out.", shows=True)
def doctor(
    door: Door,
    fix: Annotated[bool, Option("--fix", help="Repair what can be repaired without losing anything.")] = False,
) -> None:
    """Exit status 1 when something is bad."""
    from hermes_company.cli.examining import Seen, examine, repair

    repairs = repair(door.company) if fix else []
    seen = Seen(examine(door.company), repairs)
    if door.as_json:
        door.json(seen.to_json())
    else:
        for line in seen.lines(door.lang):
            door.line(line)
    if seen.bad:
        raise Ended(1)
