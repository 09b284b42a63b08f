"""Command lines that are plainly right are run without Typer, and mean what Typer would have taken them for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_company.cli.app import group
from hermes_company.cli.commands import GROUPS, SINGLE, Command, Commands, Option, commands_of
from hermes_company.cli.door import Door
from hermes_company.cli.straight import understand
from tests.support.person import Person, loaded_by

# What a command must do without to be quick: each costs between 5 and 100 ms.
HEAVY = {"typer", "pydantic", "rich", "jinja2", "watchdog", "filelock", "sqlite3", "yaml", "importlib.metadata", "subprocess"}
COMMANDS = [(word, command) for word in (*SINGLE, *GROUPS) for command in commands_of(word) if command.name]
QUICK = ["task new Count", "status --json", "why TASK-1", "why TASK-1 --json", "events"]
OTHERS = [
    *("", "--help", "--version", "nope", "task", "task nope", "task --help", "task new", "task new a b", "task new a --help"),
    *("task new a --nope", "task new a --owner", "task new a --hold=yes", "task new a --priority HIGH", "status --lang fr"),
    *("task new a --timeout-minutes x", "task stop", "task stop a -mb", "task stop a -m=b", "events --after +1"),
    *("review --root x show a", "run --plain --one"),
]


@pytest.mark.parametrize("line", QUICK)
def test_what_agents_call_loads_nothing_heavy(person: Person, line: str) -> None:
    """Making a ticket, and asking about tickets, takes neither Typer nor any other library."""
    person.drop("TASK-1", "---\ntitle: Wait\nneeds: [TASK-2]\n---\n")
    person.drop("TASK-2")

    assert HEAVY & loaded_by(line.split(), person.here) == set()


@pytest.mark.parametrize("line", OTHERS)
def test_the_rest_is_left_to_typer(line: str) -> None:
    """Help, whatever is wrong, and what could be meant otherwise."""
    assert understand(line.split()) is None


def test_both_ways_of_saying_it() -> None:
    """Options before, behind and between the words, with `=` or without; behind `--` everything is a word."""
    for line in ("--owner a --hold x", "x --hold --owner=a", "--owner=a --hold -- x"):
        understood = understand(["task", "new", *line.split()])
        assert understood
        command, found = understood
        assert (command.name, found["title"], found["owner"], found["hold"], found["needs"]) == ("new", "x", "a", True, "")


def test_what_can_be_said_more_than_once() -> None:
    """Several words become a list, and so does an option that comes again; of any other option the last one counts."""
    stopped = understand(["task", "stop", "a", "b", "-m", "one", "--message", "two"])
    prepared = understand(["agent", "prepare", "ann", "--workdir", "a", "--workdir", "b"])

    assert stopped
    assert (stopped[1]["tickets"], stopped[1]["message"]) == (["a", "b"], "two")
    assert prepared
    assert (prepared[1]["workdir"], prepared[1]["yes"]) == ([Path("a"), Path("b")], False)


def recording(command: Command, seen: list[dict[str, Any]]) -> Command:
    """The same command, which only keeps what it is given."""

    @functools.wraps(command.function)
    def function(door: Door, **given: Any) -> None:
        seen.append(given)

    return replace(command, function=function)


@functools.cache
def by_typer(place: int) -> tuple[Callable[..., Any], list[dict[str, Any]]]:
    """One of the commands as Typer runs it, and what it is given."""
    seen: list[dict[str, Any]] = []
    commands = Commands()
    commands.add(recording(COMMANDS[place][1], seen))
    return typer.main.get_command(group(commands)), seen


def flags(command: Command) -> list[str]:
    """All ways to spell its options."""
    marks = [parameter.annotation.__metadata__[0] for parameter in command.parameters()]
    return [flag for mark in marks if isinstance(mark, Option) for flag in mark.flags]


VALUES = [
    "",
    "-",
    "--",
    "a",
    "b c",
    "-1",
    "1",
    "1.5",
    "1e3",
    " 1",
    "high",
    "todo",
    "zh",
    "shell",
    "~/x",
    "a=b",
    "落地页",
    "--json",
]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_typer_would_have_understood_the_same(data: st.DataObject) -> None:
    """Whatever is run the straight way, Typer would have run with the same values."""
    place = data.draw(st.integers(min_value=0, max_value=len(COMMANDS) - 1))
    word, command = COMMANDS[place]
    words = st.sampled_from(VALUES) | st.sampled_from(flags(command))
    joined = st.builds("{}={}".format, st.sampled_from(flags(command)), st.sampled_from(VALUES))
    line = data.draw(st.lists(words | joined, max_size=5))
    understood = understand([word, *line] if word in SINGLE else [word, command.name, *line])
    if understood is None:
        return
    run, seen = by_typer(place)
    seen.clear()
    run(args=line, standalone_mode=False, obj=Door({}, Path(), "en"))

    own = {name: value for name, value in understood[1].items() if name not in ("root", "lang", "as_json")}
    assert seen == [own]
