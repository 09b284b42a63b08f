"""What every command is handed: which company, which language, how to answer. And how a function becomes a command."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from hermes_company.cli.words import harmless, sentence
from hermes_company.errors import Refusal
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_Command = TypeVar("_Command", bound=Callable[..., None])
_C1 = re.compile("[\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Door:
    """The person's side of one command.

    Args:
        environ: the caller's environment.
        cwd: the folder that the person stands in.
        lang: the language to answer in.
        root: `--root`.
        as_json: whether to answer for programs.
    """

    environ: Mapping[str, str]
    cwd: Path
    lang: Lang
    root: Path | None = None
    as_json: bool = False

    @cached_property
    def company(self) -> Company:
        """The company that is meant.

        Raises:
            Refusal: `company-not-found`.
        """
        from hermes_company.bootstrap import open_company

        return open_company(self.root, self.environ, self.cwd)

    @property
    def columns(self) -> int | None:
        """The terminal's width; None when nobody looks at a terminal."""
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def words(self, *texts: Text) -> str:
        """Sentences in the person's language."""
        return sentence(self.lang, *texts)

    def tell(self, *texts: Text) -> None:
        """Print sentences on a line of their own."""
        self.line(self.words(*texts))

    def line(self, text: str = "", *, bold: bool = False) -> None:
        """Print one or more lines; bold only where a terminal shows it."""
        text = harmless(text)
        typer.echo(typer.style(text, bold=True) if bold and text and not self.environ.get("NO_COLOR") else text)

    def warn(self, *texts: Text) -> None:
        """Print sentences where they don't mix with the answer."""
        typer.echo(harmless(f"! {self.words(*texts)}"), err=True)

    def ask(self, question: Text) -> bool:
        """A person's yes or no; Enter alone is a no.

        Raises:
            Refusal: `consent-not-given`: nobody is there to answer.
        """
        try:
            return typer.confirm(harmless(self.words(question)))
        except typer.Abort:
            raise Refusal(
                "consent-not-given",
                fact=say("Nobody answered."),
                cause=say("Without a yes it is not done."),
                remedy=say("Answer in a terminal, or agree to all of it with --yes."),
            ) from None

    def json(self, value: object) -> None:
        """Print a JSON document."""
        typer.echo(to_json(value))


def to_json(value: object) -> str:
    """`value` as JSON for programs and eyes; what a terminal would act on is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _C1.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


_Root = Annotated[
    Path | None, typer.Option("--root", metavar="FOLDER", help="The company's folder (else HC_ROOT, else the one around you).")
]
_Language = Annotated[Literal["en", "zh"] | None, typer.Option("--lang", help="Language of the answer.")]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def _parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def command(
    app: typer.Typer, name: str, *, help: str, shows: bool = False, root: bool = True
) -> Callable[[_Command], _Command]:
    """Register `function(door, …)` as a command with `--root` and `--lang`; what shows something takes `--json` as well."""
    return _register(lambda run: app.command(name, help=help)(run), shows=shows, root=root)


def default_command(app: typer.Typer, *, shows: bool = False) -> Callable[[_Command], _Command]:
    """Register `function(door, …)` as what a group does when no command of it is named."""

    def when_alone(run: Callable[..., None]) -> None:
        app.callback(invoke_without_command=True)(run)

    return _register(when_alone, shows=shows, group=True)


def _register(
    add: Callable[[Callable[..., None]], object], *, shows: bool, group: bool = False, root: bool = True
) -> Callable[[_Command], _Command]:
    def register(function: _Command) -> _Command:
        def run(ctx: typer.Context, **given: Any) -> None:
            door: Door = ctx.obj
            given.pop("lang")  # counted already: errors before this point speak that language too
            root, as_json = given.pop("root", None), given.pop("as_json", False)
            ctx.obj = replace(door, root=root or door.root, as_json=as_json or door.as_json)
            if not (group and ctx.invoked_subcommand):
                function(ctx.obj, **given)

        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        common = [_parameter("lang", _Language, None)]
        if root:
            common.insert(0, _parameter("root", _Root, None))
        if shows:
            common.append(_parameter("as_json", _Json, False))
        context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        run.__signature__ = inspect.Signature([context, *keyword, *common])  # type: ignore[attr-defined]
        add(run)
        return function

    return register
