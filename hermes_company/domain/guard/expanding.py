"""From the words of a script to the words that a program is started with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hermes_company.domain.guard.braces import write_out
from hermes_company.domain.guard.marks import HOLE, STREAM, activate, is_known, matches, settle
from hermes_company.domain.guard.state import State, Value
from hermes_company.domain.guard.tree import Literal, Node, Opaque, Part, Stream, Substitution, Variable, Word

_BLANKS = " \t\n"
# Longer values are not cut by patterns: every length would have to be tried.
_MOST_CUT = 400
_SLICE = re.compile(r"\s*(-?\d+)(?:\s*:\s*(-?\d+))?\s*")
_TILDE = re.compile(r"~(\+|-|[\w.][\w.-]*|)(?=/|\Z)")


class Expander:
    """Expands words in a state.

    Args:
        run: carries a script out in a state, by itself, and tells what it prints.
    """

    def __init__(self, run: Callable[[Node, State], str]) -> None:
        self._run = run
        # What `<(…)` words hold.
        self.streams: list[str] = []

    def fields(self, word: Word, state: State) -> list[str]:
        """The words that one word of a command becomes: none, one or several."""
        fields: list[str] = []
        for plain in write_out(word):
            fields += self._split(plain, state)
        return fields

    def text(self, word: Word, state: State, *, pattern: bool = False) -> str:
        """A word where a shell does not split: in assignments and here-documents. `pattern` keeps `*` and `?` apart."""
        pieces = []
        for place, part in enumerate(word):
            if isinstance(part, Literal):
                text = _literal(word, place, state)
                pieces.append(activate(text) if pattern and not part.quoted else text)
            else:
                pieces.append(" ".join(self._values(part, state)))
        return settle("".join(pieces))

    def _split(self, word: Word, state: State) -> list[str]:
        fields: list[str] = []
        # The field that is still growing.
        current: str | None = None
        for place in range(len(word)):
            for piece in self._pieces(word, place, state):
                if piece is not None:
                    current = (current or "") + piece
                elif current is not None:
                    fields.append(current)
                    current = None
        return [settle(field) for field in (*fields, *([] if current is None else [current]))]

    def _pieces(self, word: Word, place: int, state: State) -> Iterator[str | None]:
        """What one part adds to the field that is growing; None where that field ends."""
        part = word[place]
        if isinstance(part, Literal):
            text = _literal(word, place, state)
            yield text if part.quoted else activate(text)
            return
        separators = _separators(state)
        for number, value in enumerate(self._values(part, state)):
            if number:
                yield None
            if getattr(part, "quoted", False):
                yield value
                continue
            for cut, piece in enumerate(re.split(f"[{re.escape(separators)}]+", value) if separators else [value]):
                if cut:
                    yield None
                if piece:
                    yield activate(piece)

    def _values(self, part: Part, state: State) -> list[str]:
        """What a part stands for: one text, or several for `$@` and lists."""
        if isinstance(part, Substitution):
            return [self._run(part.script, state).rstrip("\n")]
        if isinstance(part, Stream):
            self.streams.append(self._run(part.script, state))
            return [f"{STREAM}{len(self.streams) - 1}"]
        if isinstance(part, Variable):
            return self._variable(part, state)
        if isinstance(part, Opaque):
            for script in part.scripts:
                self._run(script, state)
        return [HOLE]

    def _variable(self, part: Variable, state: State) -> list[str]:
        for script in part.scripts:
            self._run(script, state)
        value = _value(part, state)
        if isinstance(value, tuple):
            return list(self._sliced(part, value, state))
        return [self._operated(part, value, state)]

    def _sliced(self, part: Variable, values: tuple[str, ...], state: State) -> tuple[str, ...]:
        if not part.operator:
            return values
        if part.operator == "len":
            return (str(len(values)),)
        found = _SLICE.fullmatch(self.text(part.argument, state)) if part.operator == ":" else None
        if found is None:
            return (HOLE,)
        start = int(found[1]) - (part.name in "@*")
        return values[start : start + int(found[2])] if found[2] else values[start:]

    def _operated(self, part: Variable, value: str, state: State) -> str:
        operator = part.operator
        if operator in ("", ":?", "?"):
            return value
        if operator in (":-", "-", ":=", "="):
            if value or (operator in ("-", "=") and state.is_set(part.name)):
                return value
            default = self.text(part.argument, state)
            if "=" in operator:
                state.assign(part.name, default)
            return default
        if operator in (":+", "+"):
            return self.text(part.argument, state) if value else ""
        if operator == "!":
            return _single(state.value(value)) if is_known(value) else HOLE
        if not is_known(value) or len(value) > _MOST_CUT:
            return HOLE
        return _changed(operator, value, self.text(part.argument, state, pattern=True))


def _changed(operator: str, value: str, argument: str) -> str:
    """The value of a variable after `%`, `#`, `/`, `:` or `^`."""
    if operator == "len":
        return str(len(value))
    if operator[0] == "#":
        ends = range(len(value) + 1)
        cut = [end for end in ends if matches(argument, value[:end])]
        return value[(cut[-1] if operator == "##" else cut[0]) :] if cut else value
    if operator[0] == "%":
        starts = range(len(value), -1, -1)
        cut = [start for start in starts if matches(argument, value[start:])]
        return value[: cut[-1] if operator == "%%" else cut[0]] if cut else value
    if operator[0] in "^,":
        change = str.upper if operator[0] == "^" else str.lower
        return change(value) if len(operator) == 2 else change(value[:1]) + value[1:]
    if operator == ":":
        found = _SLICE.fullmatch(argument)
        return _slice(value, int(found[1]), found[2]) if found else HOLE
    old, _, new = argument.partition("/")
    if operator in ("/", "//") and old and is_known(old) and is_known(new):
        return value.replace(old, new, -1 if operator == "//" else 1)
    return HOLE


def _slice(value: str, start: int, length: str | None) -> str:
    rest = value[start:]
    return rest if length is None else rest[: int(length)]


def _value(part: Variable, state: State) -> Value:
    """What the variable itself holds; several texts where all of a list is meant."""
    name = part.name
    if name in ("@", "*"):
        return (HOLE,) if state.arguments is None else state.arguments
    if name == "#":
        return HOLE if state.arguments is None else str(len(state.arguments))
    if name == "0" or name == "BASH":
        return "bash"
    if name.isdigit():
        if state.arguments is None:
            return HOLE
        return state.arguments[int(name) - 1] if int(name) <= len(state.arguments) else ""
    value = _named(name, state)
    if isinstance(value, tuple):
        if part.subscript in ("@", "*"):
            return value
        if part.subscript.isdigit():
            return value[int(part.subscript)] if int(part.subscript) < len(value) else ""
        return _single(value) if not part.subscript else HOLE
    return value if part.subscript in ("", "0", "@", "*") else HOLE


def _named(name: str, state: State) -> Value:
    if name == "PWD":
        return state.cwd or HOLE
    if name == "OLDPWD":
        return state.previous or HOLE
    if name == "IFS" and not state.is_set(name):
        return _BLANKS
    return state.value(name)


def _single(value: Value) -> str:
    return value if isinstance(value, str) else (value[0] if value else "")


def _separators(state: State) -> str:
    if "IFS" not in state.variables:
        return _BLANKS
    return _single(state.value("IFS"))


def _literal(word: Word, place: int, state: State) -> str:
    """The text of a word's part; a tilde at the head of the word is written out."""
    part = word[place]
    assert isinstance(part, Literal)
    found = _TILDE.match(part.text) if place == 0 and not part.quoted else None
    if found is None or (found.end() == len(part.text) and len(word) > 1):
        return part.text
    return _home(found[1], state) + part.text[found.end() :]


def _home(name: str, state: State) -> str:
    """What `~name` stands for."""
    if name == "":
        return _single(state.value("HOME")) or HOLE
    if name in ("+", "-"):
        return (state.cwd if name == "+" else state.previous) or HOLE
    return "/root" if name == "root" else f"/home/{name}"
