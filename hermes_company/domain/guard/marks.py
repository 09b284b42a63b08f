"""What the text of a word can't say by itself: characters of the private use area that stand for it.

A word that was expanded is a plain string in which these characters mark what isn't known and what is a pattern.
"""

from __future__ import annotations

import re

# Something that isn't known: the output of a program, a variable that was read from a file.
HOLE = "\ue000"
# Unquoted pattern characters. Quoted ones are ordinary characters.
STAR, QUESTION = "\ue001", "\ue002"
# `<(…)`: followed by the number of the text that it holds.
STREAM = "\ue003"
# Something that isn't known and comes from another machine.
DOWNLOAD = "\ue006"
# `[` and `]` until it is known whether they belong together.
_OPEN, _SHUT = "\ue004", "\ue005"

_ACTIVATE = str.maketrans({"*": STAR, "?": QUESTION, "[": _OPEN, "]": _SHUT})
_SHOW = str.maketrans({STAR: "*", QUESTION: "?", HOLE: "…", STREAM: "…", DOWNLOAD: "…"})
_DISARM = str.maketrans({**dict.fromkeys((HOLE, STAR, QUESTION, STREAM, DOWNLOAD, _OPEN, _SHUT), "\ufffd"), "\0": ""})
# What no file name can hold. The others stand for bytes that are not UTF-8.
_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_BRACKETS = re.compile(f"{_OPEN}[^{_SHUT}]+{_SHUT}")
_BRACKET = str.maketrans({_OPEN: "[", _SHUT: "]"})
_MARKED = re.compile(f"[{HOLE}{STAR}{QUESTION}{STREAM}{DOWNLOAD}]")
_REGEX = {HOLE: ".*", STREAM: ".*", DOWNLOAD: ".*", STAR: ".*", QUESTION: "."}


def disarm(text: str) -> str:
    """`text` from outside, without our own marks, without NUL, which shells pass over, and without halves of characters."""
    return _HALVES.sub("\ufffd", text.translate(_DISARM))


def activate(text: str) -> str:
    """Unquoted `text`: its pattern characters become marks. `settle` the word that it goes into."""
    return text.translate(_ACTIVATE)


def settle(word: str) -> str:
    """A whole word: what stands in brackets could be any one character, a bracket that is alone is itself."""
    return _BRACKETS.sub(QUESTION, word).translate(_BRACKET)


def show(text: str) -> str:
    """`text` as a person would write it; what isn't known is `…`."""
    return text.translate(_SHOW)


def is_known(text: str) -> bool:
    """Whether `text` stands for itself and nothing else."""
    return _MARKED.search(text) is None


def matches(pattern: str, name: str) -> bool:
    """Whether a word with marks could stand for `name`."""
    if is_known(pattern):
        return pattern == name
    return re.fullmatch("".join(_REGEX.get(char) or re.escape(char) for char in pattern), name, re.DOTALL) is not None
