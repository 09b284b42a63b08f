"""`hc say`: a word to whoever works, or worked, on a ticket."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()


@command(app, "say", help="Tell the agent of a ticket something: in its window, or when its conversation goes on.", shows=True)
def say(
    door: Door,
    ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")],
    words: Annotated[str, Argument(metavar="[WORDS]", help="What it is to be told; `-` reads standard input.")] = "",
    file: Annotated[str, Option("--file", metavar="FILE", help="Take the words from a file; `-` reads standard input.")] = "",
) -> None:
    """Typed where its engine is at work; else kept as feedback, and the ticket goes back to work."""
    from hermes_company.cli.saying import tell, words_of
    from hermes_company.folders.watch import ring

    told = tell(door.company, ticket, words_of(words, file, door.cwd))
    ring(door.company.layout.doorbell)
    if door.as_json:
        door.json(told.to_json())
        return
    door.tell(*told.says)
