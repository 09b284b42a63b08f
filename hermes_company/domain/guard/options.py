"""Options and operands of a command, as most programs read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


def names(text: str) -> frozenset[str]:
    """The words of a text, as a set to look things up in."""
    return frozenset(text.split())


class Options(NamedTuple):
    """Which options were given, the values of those that take one, and what else there was."""

    given: frozenset[str]
    values: tuple[tuple[str, str], ...]
    operands: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Whether one of these options was given."""
        return not self.given.isdisjoint(names)

    def of(self, *names: str) -> list[str]:
        """The values of these options."""
        return [value for name, value in self.values if name in names]


def read_options(words: Sequence[str], valued: Iterable[str] = (), *, first_only: bool = False) -> Options:
    """Sort a command's words.

    Args:
        words: without the command's name.
        valued: letters and long names (without dashes) of the options that take a value.
        first_only: options end at the first operand, as for programs that start another one.
    """
    takes = frozenset(valued)
    given: set[str] = set()
    values: list[tuple[str, str]] = []
    operands: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            given.add(name)
            if equals or (name in takes and rest):
                values.append((name, value if equals else rest.pop(0)))
        elif word.startswith("-") and len(word) > 1:
            _read_letters(word[1:], takes, rest, given, values)
        else:
            operands.append(word)
            if first_only:
                operands += rest
                break
    return Options(frozenset(given), tuple(values), tuple(operands))


def _read_letters(letters: str, takes: frozenset[str], rest: list[str], given: set[str], values: list[tuple[str, str]]) -> None:
    if letters in takes and len(letters) > 1:
        given.add(letters)
        values += [(letters, rest.pop(0))] if rest else []
        return
    for place, letter in enumerate(letters):
        given.add(letter)
        if letter in takes:
            value = letters[place + 1 :] or (rest.pop(0) if rest else "")
            values.append((letter, value))
            return
