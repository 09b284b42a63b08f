"""The words of a shell script: quotes, escapes, `$…`, backquotes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hermes_company.domain.guard.cursor import Unreadable
from hermes_company.domain.guard.tree import Literal, Node, Opaque, Part, Stream, Substitution, Variable, Word

if TYPE_CHECKING:
    from hermes_company.domain.guard.reading import Reader

_PLAIN = re.compile(r"[^\s;&|<>()$`\"'\\]+")
_IN_DOUBLE = re.compile(r"[^$`\"\\]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?$!-]", re.ASCII)
_BRACED = re.compile(r"([!#]?)([A-Za-z_]\w*|\d+|[@*#?$!-])?", re.ASCII)
_OPERATOR = re.compile(r":?[-=?+]|##?|%%?|/[/#%]?|\^\^?|,,?|:|@")
_ENDS_WORD = " \t\n;&|<>()"
_ANSI = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))", re.DOTALL)
_ANSI_SINGLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


def read_word(reader: Reader) -> Word:
    """The word at the reader's place; empty where none begins."""
    parts: list[Part] = []
    while not reader.at_end:
        char = reader.peek()
        if char in "<>" and reader.peek(1) == "(":
            parts.append(_stream(reader))
        elif char == "(" and parts and isinstance(parts[-1], Literal) and parts[-1].text[-1:] in tuple("?*+@!"):
            # An extended pattern could stand for anything.
            _skip_parentheses(reader)
            parts.append(Literal("*"))
        elif char in _ENDS_WORD:
            break
        else:
            parts += _piece(reader, char)
    return tuple(parts)


def _piece(reader: Reader, char: str) -> list[Part]:
    if char == "'":
        return [Literal(_until_single_quote(reader), quoted=True)]
    if char == '"':
        reader.position += 1
        parts = read_double(reader, '"')
        reader.expect('"')
        return [Literal("", quoted=True), *parts]
    if char == "\\":
        reader.position += 2
        if reader.text[reader.position - 1 : reader.position] == "\n":
            return []
        return [Literal(reader.text[reader.position - 1 : reader.position], quoted=True)]
    if char in "$`":
        return _dollar(reader, quoted=False)
    return [Literal(reader.take(_PLAIN))]


def read_double(reader: Reader, end: str) -> list[Part]:
    """What stands between double quotes up to `end`, or all of a here-document where `end` is empty."""
    parts: list[Part] = []
    special = '"\\$`\n' if end else "\\$`\n"
    while not reader.at_end and reader.peek() != (end or None):
        char = reader.peek()
        if char in "$`":
            parts += _dollar(reader, quoted=True)
        elif char == "\\":
            reader.position += 2
            escaped = reader.text[reader.position - 1 : reader.position]
            if escaped != "\n":
                parts.append(Literal(escaped if escaped in special else "\\" + escaped, quoted=True))
        elif char == '"':
            reader.position += 1
            parts.append(Literal('"', quoted=True))
        else:
            parts.append(Literal(reader.take(_IN_DOUBLE), quoted=True))
    return parts


def _dollar(reader: Reader, *, quoted: bool) -> list[Part]:
    if reader.peek() == "`":
        return [Substitution(_backquotes(reader, quoted=quoted), quoted)]
    following = reader.peek(1)
    if following == "(":
        return [_parentheses(reader, quoted=quoted)]
    if following == "{":
        return [_braced(reader, quoted=quoted)]
    if not quoted and following == "'":
        reader.position += 1
        return [Literal(unescape(_until_single_quote(reader, escapes=True)), quoted=True)]
    if not quoted and following == '"':
        reader.position += 1
        return []
    reader.position += 1
    name = _NAME.match(reader.text, reader.position)
    if name is None:
        return [Literal("$", quoted=True)]
    reader.position = name.end()
    return [Variable(name.group(), quoted, bare=not quoted)]


def _until_single_quote(reader: Reader, *, escapes: bool = False) -> str:
    start = reader.position + 1
    end = start
    while True:
        end = reader.text.find("'", end)
        if end < 0:
            raise Unreadable("a quote is never closed")
        backslashes = len(reader.text[start:end]) - len(reader.text[start:end].rstrip("\\"))
        if not escapes or backslashes % 2 == 0:
            break
        end += 1
    reader.position = end + 1
    return reader.text[start:end]


def unescape(text: str, *, zero: bool = False) -> str:
    """Backslash escapes as in `$'…'`; with `zero` also `\\0nnn`, as `echo -e` and `printf %b` read it."""

    def decode(match: re.Match[str]) -> str:
        hexadecimal = match[1] or match[2] or match[3]
        if hexadecimal:
            code = int(hexadecimal, 16)
            return chr(code) if code <= 0x10FFFF else ""
        if match[4]:
            return chr(int(match[4], 8) & 0xFF)
        if match[5]:
            return chr(ord(match[5].upper()) ^ 0x40)
        return _ANSI_SINGLE.get(match[6], match[6] if match[6] in "\\'\"?" else "\\" + match[6])

    if zero:
        text = re.sub(r"\\0([0-7]{1,3})", r"\\\1", text)
    # A NUL ends the word for every program.
    return _ANSI.sub(decode, text).split("\0")[0]


def _backquotes(reader: Reader, *, quoted: bool) -> Node:
    end = reader.position + 1
    while end < len(reader.text) and reader.text[end] != "`":
        end += 2 if reader.text[end] == "\\" else 1
    if end >= len(reader.text):
        raise Unreadable("a backquote is never closed")
    inner = reader.text[reader.position + 1 : end]
    reader.position = end + 1
    return reader.inner(re.sub(r'\\([\\$`"])' if quoted else r"\\([\\$`])", r"\1", inner))


def _parentheses(reader: Reader, *, quoted: bool) -> Part:
    """`$((…))`, or else `$(…)`."""
    reader.position += 1
    arithmetic = read_arithmetic(reader)
    if arithmetic is not None:
        return arithmetic
    return Substitution(_script_in_parentheses(reader), quoted)


def _stream(reader: Reader) -> Stream:
    reader.position += 1
    return Stream(_script_in_parentheses(reader))


def _script_in_parentheses(reader: Reader) -> Node:
    reader.expect("(")
    script = reader.sequence()
    reader.expect(")")
    return script


def read_arithmetic(reader: Reader) -> Opaque | None:
    """`((…))` at the reader's place; None, and nothing read, where the parentheses are a subshell in another."""
    start = reader.position
    if not reader.text.startswith("((", start):
        return None
    reader.position += 2
    depth, scripts = 0, []
    while not reader.at_end:
        char = reader.peek()
        if char in "$`":
            scripts += [part.script for part in _dollar(reader, quoted=True) if isinstance(part, Substitution)]
            continue
        if char == ")" and depth == 0:
            if reader.peek(1) == ")":
                reader.position += 2
                return Opaque(tuple(scripts))
            break
        depth += (char == "(") - (char == ")")
        reader.position += 1
    reader.position = start
    return None


def _skip_parentheses(reader: Reader) -> None:
    depth = 0
    while not reader.at_end:
        char = reader.peek()
        reader.position += 1
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return
    raise Unreadable("a pattern is never closed")


def _braced(reader: Reader, *, quoted: bool) -> Part:
    """`${…}`."""
    reader.position += 2
    found = _BRACED.match(reader.text, reader.position)
    assert found is not None  # every part of the pattern may be empty
    reader.position = found.end()
    prefix, name = found[1], found[2]
    if name is None:
        prefix, name = "", prefix
    if not name:
        raise Unreadable("`${` without a name")
    subscript, scripts = _subscript(reader)
    operator = {"!": "!", "#": "len"}.get(prefix, "")
    argument: Word = ()
    if reader.peek() != "}":
        own = reader.take(_OPERATOR)
        # In patterns, quotes around all of it don't count.
        argument = _argument(reader, quoted=quoted and own[0] not in "#%/^,")
        operator = operator or own
    reader.expect("}")
    return Variable(name, quoted, operator=operator, argument=argument, subscript=subscript, scripts=scripts)


def _subscript(reader: Reader) -> tuple[str, tuple[Node, ...]]:
    """`[…]` behind a name, as it is written, and the scripts in it."""
    if reader.peek() != "[":
        return "", ()
    start, depth, scripts = reader.position + 1, 0, []
    while not reader.at_end:
        char = reader.peek()
        if char in "$`":
            parts = _dollar(reader, quoted=True)
            scripts += [part.script for part in parts if isinstance(part, Substitution)]
            continue
        depth += (char == "[") - (char == "]")
        reader.position += 1
        if depth == 0:
            return reader.text[start : reader.position - 1], tuple(scripts)
    raise Unreadable("a subscript is never closed")


_IN_ARGUMENT = re.compile(r"[^}$`\"'\\]+")


def _argument(reader: Reader, *, quoted: bool) -> Word:
    """The word behind an operator, up to the brace that closes it."""
    parts: list[Part] = []
    while not reader.at_end and (char := reader.peek()) != "}":
        if char in '"\\' or (char == "'" and not quoted):
            parts += _piece(reader, char)
        elif char == "'":
            reader.position += 1
            parts.append(Literal("'", quoted=True))
        elif char in "$`":
            parts += _dollar(reader, quoted=quoted)
        else:
            parts.append(Literal(reader.take(_IN_ARGUMENT), quoted))
    return tuple(parts)
