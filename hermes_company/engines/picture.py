"""A captured window as characters, each with whether it is shown in grey: as hints and suggestions are, and typed words not."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b\[[0-9;?]*[A-Za-z]|\x0e|\x0f")
_GREYS = frozenset(range(232, 253))
_DARK_GREY = 8

Cell = tuple[str, bool]


def rows(picture: str) -> list[list[Cell]]:
    """The window's lines. Attributes last from one line into the next, as tmux writes them."""
    pen = _Pen()
    return [list(_cells(line, pen)) for line in picture.split("\n")]


def text_of(row: list[Cell]) -> str:
    """A line as text, without what is behind it."""
    return "".join(char for char, _ in row).rstrip()


def typed(row: list[Cell]) -> str:
    """What of a line is not grey, without blanks around it."""
    return "".join(char for char, grey in row if not grey).strip(" \N{NO-BREAK SPACE}\t")


class _Pen:
    """The attributes that characters are written with."""

    def __init__(self) -> None:
        self._faint = False
        self._grey = False

    @property
    def grey(self) -> bool:
        return self._faint or self._grey

    def set(self, codes: list[int]) -> None:
        """Take one `ESC [ … m`."""
        while codes:
            code = codes.pop(0)
            if code == 0:
                self._faint = self._grey = False
            elif code in (2, 22):
                self._faint = code == 2
            elif code == 38:
                self._grey = _is_grey(codes)
            elif code == 48:
                _is_grey(codes)
            elif 30 <= code <= 39 or 90 <= code <= 97:
                self._grey = code == 90


def _is_grey(codes: list[int]) -> bool:
    """Whether the colour that follows is a grey; takes its codes out."""
    kind = codes.pop(0) if codes else 0
    if kind == 5 and codes:
        number = codes.pop(0)
        return number in _GREYS or number == _DARK_GREY
    if kind == 2 and len(codes) >= 3:
        red, green, blue = codes[:3]
        del codes[:3]
        return max(red, green, blue) - min(red, green, blue) < 16 and red < 200
    return False


def _cells(line: str, pen: _Pen) -> Iterator[Cell]:
    place = 0
    for escape in _ESCAPE.finditer(line):
        yield from ((char, pen.grey) for char in line[place : escape.start()])
        if escape[1] is not None:
            pen.set([int(word) if word else 0 for word in re.split("[;:]", escape[1])])
        place = escape.end()
    yield from ((char, pen.grey) for char in line[place:])
