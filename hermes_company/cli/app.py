"""All commands put together, and their help in the person's language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hermes_company import __version__
from hermes_company.cli import agent, attach, demo, doctor, engine, events, init, memory, review, run, skill, status, task, why
from hermes_company.wording import Lang, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABOUT = "A company that runs itself on a folder tree: drop a ticket, and Claude Code or Codex does it in tmux."
_Version = Annotated[bool, typer.Option("--version", help="Show the version.")]
_GROUPS = {
    "agent": (agent.app, "Who works in the company."),
    "engine": (engine.app, "What agents work with."),
    "task": (task.app, "Make, see and steer tickets."),
    "review": (review.app, "See what waits for you, approve it or send it back."),
    "memory": (memory.app, "Look into what was learned."),
    "skill": (skill.app, "Look at the company's skills."),
}
_SINGLE = (init.app, run.app, attach.app, status.app, why.app, events.app, doctor.app, demo.app)


def build(lang: Lang) -> Any:
    """The whole command line as one callable, as `typer.main.get_command` makes it."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.callback(invoke_without_command=True, help=_ABOUT)(_hc)
    for single in _SINGLE:
        app.add_typer(single)
    for name, (group, help_text) in _GROUPS.items():
        app.add_typer(group, name=name, help=help_text)
    root = typer.main.get_command(app)
    if lang != "en":
        for part in parts(root):
            part.help = Text(part.help).in_lang(lang)
    return root


def _hc(ctx: typer.Context, *, version: _Version = False) -> None:
    if version:
        typer.echo(f"hc {__version__}")
    elif ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def parts(command: Any) -> Iterator[Any]:
    """The command, its parameters and everything below it: all that says in `help` what it is for."""
    yield command
    for parameter in command.params:
        if getattr(parameter, "help", None):
            yield parameter
    for below in getattr(command, "commands", {}).values():
        yield from parts(below)
