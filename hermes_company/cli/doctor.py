"""`hc doctor`: everything examined, with the way out; `--fix` repairs what can be repaired without asking anybody."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door, Ended, bad_usage
from hermes_company.wording import say

app = Commands()


@command(app, "doctor", help="Examine the company: what is wrong, and the way out.", shows=True)
def doctor(
    door: Door,
    fix: Annotated[bool, Option("--fix", help="Repair what can be repaired without losing anything.")] = False,
    engine: Annotated[str, Option("--engine", metavar="ENGINE", help="The engine that --live proves.")] = "",
    live: Annotated[bool, Option("--live", help="Prove that engine by one real turn; uses your login or key.")] = False,
) -> None:
    """Exit status 1 when something is bad."""
    from hermes_company.cli.examining import Seen, examine, repair

    if live != bool(engine) or (live and fix):
        raise bad_usage(say("--live goes with --engine ENGINE, and both without --fix."), "hc doctor")
    if live:
        from hermes_company.cli.proving import prove

        door.warn(say("{engine} is asked for one turn now; it counts as any use of your login or key.", engine=engine))
        seen = Seen(prove(door.company, engine), [])
    else:
        repairs = repair(door.company) if fix else []
        seen = Seen(examine(door.company), repairs)
    if door.as_json:
        door.json(seen.to_json())
    else:
        for line in seen.lines(door.lang):
            door.line(line)
    if seen.bad:
        raise Ended(1)
