"""All commands put together for Typer: help in the person's language, and words for every way of wrong usage."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from hermes_company import __version__
from hermes_company.cli import usage
from hermes_company.cli.commands import GROUPS, SINGLE, Command, Commands, Option, commands_of
from hermes_company.cli.door import Door, bad_usage, put
from hermes_company.wording import Lang, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

_ABOUT = "A company that runs itself on a folder tree: drop a ticket, and Claude Code or Codex does it in tmux."
_Version = Annotated[bool, typer.Option("--version", help="Show the version.")]

# Where a Typer keeps its click differs from version to version; its own BadParameter leads there.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def run(argv: Sequence[str], door: Door) -> int:
    """Run a command line by way of Typer; its exit status.

    Raises:
        Refusal: `bad-usage`, or what the command refuses.
    """
    try:
        status = build(door.lang)(args=list(argv), prog_name="hc", standalone_mode=False, obj=door)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except _UsageError as problem:
        return _wrong_usage(problem)
    return status if isinstance(status, int) else 0


def _wrong_usage(problem: Any) -> int:
    words = problem.format_message()
    if not words or "\n" in words:  # a group without a command: what click has to say is the whole help
        put(problem.ctx.get_help() if problem.ctx else words, error=True)
        return 2
    raise bad_usage(usage.problem(words), problem.ctx.command_path if problem.ctx else "hc") from None


def build(lang: Lang) -> Any:
    """The whole command line as one callable, as `typer.main.get_command` makes it."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.callback(invoke_without_command=True, help=_ABOUT)(_hc)
    for word in SINGLE:
        app.add_typer(group(commands_of(word)))
    for word, about in GROUPS.items():
        app.add_typer(group(commands_of(word)), name=word, help=about)
    root = typer.main.get_command(app)
    if lang != "en":
        for part in parts(root):
            part.help = Text(part.help).in_lang(lang)
            if hasattr(part, "context_class"):
                usage.framed(part, lang)
    return root


def _hc(ctx: typer.Context, *, version: _Version = False) -> None:
    if version:
        put(f"hc {__version__}")
    elif ctx.invoked_subcommand is None:
        put(ctx.get_help())


def group(commands: Commands) -> typer.Typer:
    """The commands of one file, for Typer."""
    app = typer.Typer(no_args_is_help=commands.get("") is None)
    for command in commands:
        if command.name:
            app.command(command.name, help=command.help)(_runner(command))
        else:
            app.callback(invoke_without_command=True)(_runner(command))
    return app


def _runner(command: Command) -> Callable[..., None]:
    def run(ctx: typer.Context, **given: Any) -> None:
        ctx.obj = command.door(ctx.obj, given)
        if command.name or not ctx.invoked_subcommand:
            command.run(ctx.obj, given)

    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    own = [parameter.replace(annotation=_for_typer(parameter.annotation)) for parameter in command.parameters()]
    run.__signature__ = inspect.Signature([context, *own])  # type: ignore[attr-defined]
    return run


def _for_typer(annotation: Any) -> Any:
    kind, mark = get_args(annotation)
    if isinstance(mark, Option):
        return Annotated[kind, typer.Option(*mark.flags, metavar=mark.metavar, help=mark.help)]
    return Annotated[kind, typer.Argument(metavar=mark.metavar, help=mark.help)]


def parts(command: Any) -> Iterator[Any]:
    """The command, its parameters and everything below it: all that says in `help` what it is for."""
    yield command
    for parameter in command.params:
        if getattr(parameter, "help", None):
            yield parameter
    for below in getattr(command, "commands", {}).values():
        yield from parts(below)
