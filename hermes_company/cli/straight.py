"""The straight way: command lines that are plainly right are run without Typer.

Typer takes 45 ms to import and its pydantic some 70 more for every command that is run; agents call `hc` all day. What is not
understood here, help and whatever is wrong included, is Typer's: it has the words for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from inspect import Parameter
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from hermes_company.cli.commands import GROUPS, SINGLE, Command, Option, commands_of

# Spelt as everybody would; about anything else Typer may have an opinion.
_NUMBERS = {int: re.compile(r"-?[0-9]{1,9}"), float: re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?")}


# The command that is meant and what it is given; None when only Typer can tell.
Reader = Callable[[Sequence[str]], tuple[Command, dict[str, Any]] | None]


class _NotPlain(Exception):
    """Nothing for us."""


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a value goes."""

    name: str
    # What one value of it is.
    kind: Any
    # Whether it takes several values.
    several: bool


def understand(argv: Sequence[str]) -> tuple[Command, dict[str, Any]] | None:
    """See `Reader`."""
    if not argv:
        return None
    noun, *words = argv
    if noun not in (*SINGLE, *GROUPS):
        return None
    name = noun
    if noun in GROUPS:
        name = words.pop(0) if words and not words[0].startswith("-") else ""
    command = commands_of(noun).get(name)
    try:
        return (command, _given(command.parameters(), words)) if command else None
    except _NotPlain:
        return None


def _given(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    """Every parameter's value, defaults included."""
    options, arguments = _slots(parameters)
    given: dict[str, Any] = {}
    left = iter(words)
    plain: list[str] = []
    for word in left:
        if word == "--":
            plain += left
        elif word == "-" or not word.startswith("-"):
            plain.append(word)
        else:
            slot, value = _option(options, word, left)
            given[slot.name] = [*given.get(slot.name, ()), value] if slot.several else value
    for slot in arguments:
        if plain and slot.several:
            given[slot.name], plain = [_value(slot.kind, word) for word in plain], []
        elif plain:
            given[slot.name] = _value(slot.kind, plain.pop(0))
    whole = {parameter.name: given.get(parameter.name, parameter.default) for parameter in parameters}
    if plain or Parameter.empty in whole.values():
        raise _NotPlain
    return whole


def _option(options: dict[str, _Slot], word: str, left: Iterator[str]) -> tuple[_Slot, Any]:
    flag, equals, value = word.partition("=")
    slot = options.get(flag)
    if slot is None or (equals and not flag.startswith("--")):
        raise _NotPlain
    if slot.kind is bool:
        if equals:
            raise _NotPlain
        return slot, True
    if not equals:
        try:
            value = next(left)
        except StopIteration:
            raise _NotPlain from None
    return slot, _value(slot.kind, value)


def _slots(parameters: Sequence[Parameter]) -> tuple[dict[str, _Slot], list[_Slot]]:
    """Options by the way they are spelt, and arguments in their order."""
    options: dict[str, _Slot] = {}
    arguments: list[_Slot] = []
    for parameter in parameters:
        annotated, mark = get_args(parameter.annotation)
        if get_origin(annotated) in (Union, UnionType):
            annotated = next(kind for kind in get_args(annotated) if kind is not NoneType)
        several = get_origin(annotated) is list
        slot = _Slot(parameter.name, get_args(annotated)[0] if several else annotated, several)
        if isinstance(mark, Option):
            options |= dict.fromkeys(mark.flags, slot)
        else:
            arguments.append(slot)
    return options, arguments


def _value(kind: Any, word: str) -> Any:
    if kind in (str, Path):
        return kind(word)
    if get_origin(kind) is Literal and word in get_args(kind):
        return word
    if kind in _NUMBERS and _NUMBERS[kind].fullmatch(word):
        return kind(word)
    if isinstance(kind, type) and issubclass(kind, Enum) and word in {member.value for member in kind}:
        return kind(word)
    raise _NotPlain
