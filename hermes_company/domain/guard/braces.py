"""`{a,b}` and `{1..3}`, which a shell writes out before it does anything else with a word."""

from __future__ import annotations

import re

from hermes_company.domain.guard.marks import HOLE
from hermes_company.domain.guard.tree import Literal, Part, Variable, Word

_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.-?\d+)?")
_LETTER = re.compile(r"\w", re.ASCII)
_MOST_WORDS = 256


def write_out(word: Word) -> list[Word]:
    """The words that one with braces stands for; more than a few hundred become one that isn't known."""
    if not any(isinstance(part, Literal) and not part.quoted and "{" in part.text for part in word):
        return [word]
    words = _expand(_single(word))
    return [_glued(parts) for parts in words] if len(words) <= _MOST_WORDS else [(Literal(HOLE),)]


def _single(word: Word) -> list[Part]:
    """The word's parts, unquoted text character by character."""
    parts: list[Part] = []
    for part in word:
        if isinstance(part, Literal) and not part.quoted:
            parts += [Literal(char) for char in part.text]
        else:
            parts.append(part)
    return parts


def _expand(parts: list[Part]) -> list[list[Part]]:
    for start, part in enumerate(parts):
        if part != Literal("{"):
            continue
        end = _closing(parts, start)
        choices = _choices(parts[start + 1 : end]) if end else None
        if choices is not None:
            rests = _expand(parts[end + 1 :])
            return [[*parts[:start], *choice, *rest] for choice in choices for rest in rests][: _MOST_WORDS + 1]
    return [parts]


def _glued(parts: list[Part]) -> Word:
    """A word in one piece again. The names of variables are read only now: `$r{m,}` is `$rm $r`."""
    glued: list[Part] = []
    for part in parts:
        joined = _joined(glued[-1], part) if glued else None
        if joined is None:
            glued.append(part)
        else:
            glued[-1] = joined
    return tuple(glued)


def _joined(last: Part, part: Part) -> Part | None:
    """The two parts as one; None where they stay two."""
    if not isinstance(part, Literal) or part.quoted:
        return None
    if isinstance(last, Literal) and not last.quoted:
        return Literal(last.text + part.text)
    if isinstance(last, Variable) and last.bare and last.name.isidentifier() and _LETTER.fullmatch(part.text):
        return Variable(last.name + part.text, quoted=False, bare=True)
    return None


def _closing(parts: list[Part], start: int) -> int:
    """Where the brace is closed; 0 where it isn't."""
    depth = 0
    for place in range(start, len(parts)):
        depth += (parts[place] == Literal("{")) - (parts[place] == Literal("}"))
        if depth == 0:
            return place
    return 0


def _choices(parts: list[Part]) -> list[list[Part]] | None:
    """What stands between two braces, separated; None where the braces are ordinary characters."""
    choices: list[list[Part]] = [[]]
    depth = 0
    for part in parts:
        depth += (part == Literal("{")) - (part == Literal("}"))
        if part == Literal(",") and depth == 0:
            choices.append([])
        else:
            choices[-1].append(part)
    if len(choices) > 1:
        return [written for choice in choices for written in _expand(choice)]
    found = _RANGE.fullmatch("".join(part.text if isinstance(part, Literal) else HOLE for part in parts))
    return [[Literal(text)] for text in _range(found[1], found[2])] if found else None


def _range(first: str, last: str) -> list[str]:
    if first.lstrip("-").isdigit() != last.lstrip("-").isdigit():
        return [HOLE]
    numbers = first.lstrip("-").isdigit()
    low, high = (int(first), int(last)) if numbers else (ord(first), ord(last))
    if abs(high - low) >= _MOST_WORDS:
        return [HOLE]
    step = 1 if high >= low else -1
    return [str(number) if numbers else chr(number) for number in range(low, high + step, step)]
