"""What a command is: a function, and in its signature all that there is to say about its options and arguments.

Two readers build on that: Typer (`app.py`: help, completion of what is missing, every message about wrong usage), and
`straight.py`, which runs what is plainly right without Typer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from hermes_company.cli.door import Door

_Function = TypeVar("_Function", bound=Callable[..., None])


class Option:
    """`--name VALUE`, or `--name` for a bool; in the annotation of a parameter: `Annotated[str, Option(…)]`.

    Args:
        flags: how it is spelt, e.g. `--message`, `-m`.
        help: what it is for; in the catalogue in every language.
        metavar: what help shows for its value.
    """

    def __init__(self, *flags: str, help: str, metavar: str | None = None) -> None:
        self.flags = flags
        self.help = help
        self.metavar = metavar


class Argument:
    """A word without a name. See `Option`."""

    def __init__(self, *, help: str, metavar: str) -> None:
        self.help = help
        self.metavar = metavar


_Root = Annotated[
    Path | None, Option("--root", metavar="FOLDER", help="The company's folder (else HC_ROOT, else the one around you).")
]
_Language = Annotated[Literal["en", "zh"] | None, Option("--lang", help="Language of the answer.")]
_Json = Annotated[bool, Option("--json", help="Answer in JSON.")]


def _parameter(name: str, annotation: Any, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@dataclass(frozen=True)
class Command:
    """One command.

    Args:
        name: behind the group's; empty for what a group does when no command of it is named.
        function: takes the door, then what stands in its signature.
        shows: whether it answers for programs too.
        root: whether it is about a company.
    """

    name: str
    help: str
    function: Callable[..., None]
    shows: bool
    root: bool

    def parameters(self) -> list[Parameter]:
        """Its own options and arguments, then those that all have, with their annotations evaluated."""
        own = list(inspect.signature(self.function, eval_str=True).parameters.values())[1:]
        common = [_parameter("lang", _Language, None)]
        if self.root:
            common.insert(0, _parameter("root", _Root, None))
        if self.shows:
            common.append(_parameter("as_json", _Json, False))
        return [*(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own), *common]

    def door(self, before: Door, given: Mapping[str, Any]) -> Door:
        """The door that the options common to all lead to."""
        # `--lang` is counted already: errors before this point speak that language too.
        return replace(before, root=given.get("root") or before.root, as_json=given.get("as_json", False) or before.as_json)

    def run(self, door: Door, given: Mapping[str, Any]) -> None:
        """Do it, with all that was given."""
        own = {name: value for name, value in given.items() if name not in ("root", "lang", "as_json")}
        self.function(door, **own)


class Commands:
    """The commands of one file, in the order of help."""

    def __init__(self) -> None:
        self._known: dict[str, Command] = {}

    def __iter__(self) -> Iterator[Command]:
        return iter(self._known.values())

    def add(self, command: Command) -> None:
        """Take one more."""
        self._known[command.name] = command

    def get(self, name: str) -> Command | None:
        """The command of that name; that of the empty name is what a group does by itself."""
        return self._known.get(name)


def command(app: Commands, name: str, *, help: str, shows: bool = False, root: bool = True) -> Callable[[_Function], _Function]:
    """Register `function(door, …)` as a command with `--root` and `--lang`; what shows something takes `--json` as well."""

    def register(function: _Function) -> _Function:
        app.add(Command(name, help, function, shows, root))
        return function

    return register


def default_command(app: Commands, *, shows: bool = False) -> Callable[[_Function], _Function]:
    """Register `function(door, …)` as what a group does when no command of it is named."""
    return command(app, "", help="", shows=shows)


# Files of this folder by the word behind `hc`, in the order of help: those of one command, and groups with what they are about.
SINGLE = (
    "init",
    "run",
    "attach",
    "say",
    "chat",
    "status",
    "why",
    "approvals",
    "approve",
    "deny",
    "events",
    "cost",
    "doctor",
    "demo",
)
GROUPS = {
    "agent": "Who works in the company.",
    "engine": "What agents work with.",
    "task": "Make, see and steer tickets.",
    "review": "See what waits for you, approve it or send it back.",
    "memory": "Look into what was learned.",
    "skill": "See, approve and change the company's skills.",
}


def commands_of(word: str) -> Commands:
    """The commands of one of these files."""
    found: Commands = import_module(f"hermes_company.cli.{word}").app
    return found
