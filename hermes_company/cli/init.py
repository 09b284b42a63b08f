"""`hc init`: a new company."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door
from hermes_company.wording import say

app = Commands()


@command(app, "init", help="Make a new company in a new or empty folder.", root=False)
def init(
    door: Door,
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The new company's folder; `.` for the one you are in.")],
    name: Annotated[str, Option("--name", help="The company's name, else the folder's.")] = "",
    samples: Annotated[bool, Option("--with-samples", help="With two sample agents.")] = False,
) -> None:
    """Make the company and say what to do next."""
    from hermes_company.folders.company_files import init_company

    made = init_company(door.cwd / folder.expanduser(), environ=door.environ, lang=door.lang, name=name, samples=samples)
    door.tell(say("The company lies in {root}.", root=made.layout.root))
    door.tell(say("Its tmux server is {socket}; company.yaml has all settings.", socket=made.socket))
    if made.committed:
        door.tell(say("It is a git repository with a first commit."))
    elif made.git:
        door.tell(say("It is a git repository; nothing is committed yet."))
    door.line()
    door.tell(say("Next:"))
    here = made.layout.root == door.cwd.resolve()
    hire = "hc agent add worker --engine shell" if not samples else "hc agent list"
    steps = [f"cd {folder}"] if not here else []
    for step in (*steps, hire, f'hc task new "{door.words(say("A first ticket"))}" --file -', "hc run"):
        door.line(f"  {step}")
