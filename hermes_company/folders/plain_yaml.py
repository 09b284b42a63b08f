"""The YAML that nearly everybody writes, read without the YAML library: importing that takes longer than `hc` may take.

One `key: value` a line, or a `key:` with such lines indented below it; a value is a few words, quoted text, or a list of words
in brackets. Everything else is left to the library, and so are mistakes: only the library can say what is wrong.
"""

from __future__ import annotations

import re
from typing import Any

# Well within what `any_yaml` allows.
_MOST_LINES_AND_ITEMS = 300
_MOST_LEVELS = 6
_BLANK = re.compile(r" *(?:#.*)?")
_LINE = re.compile(r"( *)([A-Za-z_][A-Za-z0-9_-]*):(?: +(.*?))? *")
_QUOTED = re.compile(r"\"[^\"\\]*\"|'[^']*'")
_WORDS = re.compile(r"[\w/~].*")
_ITEM = re.compile(r" *(\w[\w./+@-]*) *")


class NotPlain(Exception):
    """This text needs the library."""


def load_plain(text: str) -> dict[str, Any] | None:
    """Mappings, lists and strings of a text; an empty value is None, and so is an empty text.

    Raises:
        NotPlain: there is something in it that is not as plain as that.
    """
    # Tabs, other line ends and byte order marks mean something in YAML; none of them is printable.
    if not text.replace("\n", "").isprintable() or text.count("\n") + text.count(",") > _MOST_LINES_AND_ITEMS:
        raise NotPlain
    whole: dict[str, Any] = {}
    # The mappings that the next line may add to, by their indentation; and the key above it that may still get one.
    levels = [(0, whole)]
    waiting: str | None = None
    for line in text.split("\n"):
        if _BLANK.fullmatch(line):
            continue
        found = _LINE.fullmatch(line)
        if not found:
            raise NotPlain
        indent, key, value = len(found[1]), found[2], found[3] or ""
        if indent > levels[-1][0]:
            _indent(levels, waiting, indent)
        while indent < levels[-1][0]:
            levels.pop()
        mapping = levels[-1][1]
        if indent != levels[-1][0] or key in mapping:
            raise NotPlain
        mapping[key] = _value(value)
        waiting = None if value else key
    return whole or None


def _indent(levels: list[tuple[int, dict[str, Any]]], key: str | None, indent: int) -> None:
    if key is None or len(levels) >= _MOST_LEVELS:
        raise NotPlain
    below: dict[str, Any] = {}
    levels[-1][1][key] = below
    levels.append((indent, below))


def _value(text: str) -> str | list[str] | None:
    if text in ("", "~", "null"):
        return None
    if _QUOTED.fullmatch(text):
        return text[1:-1]
    if _WORDS.match(text) and ": " not in text and " #" not in text and not text.endswith(":"):
        return text
    if text.startswith("[") and text.endswith("]"):
        return _items(text[1:-1])
    raise NotPlain


def _items(text: str) -> list[str]:
    if not text.strip():
        return []
    found = [_ITEM.fullmatch(item) for item in text.split(",")]
    if not all(item and item[1] != "null" for item in found):
        raise NotPlain
    return [item[1] for item in found if item]
