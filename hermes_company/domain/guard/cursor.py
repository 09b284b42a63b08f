"""A place in a text."""

from __future__ import annotations

import re


class Unreadable(Exception):
    """The script breaks off, or has a form that we don't know."""


class TooMuch(Exception):
    """The script is nested or broken beyond what anybody would look through."""


class Cursor:
    """A text and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.text)

    def peek(self, ahead: int = 0) -> str:
        """The character there; empty behind the end."""
        return self.text[self.position + ahead : self.position + ahead + 1]

    def take(self, pattern: re.Pattern[str]) -> str:
        """What matches at this place. Goes on behind it.

        Raises:
            Unreadable: nothing does.
        """
        found = pattern.match(self.text, self.position)
        if found is None:
            raise Unreadable(f"`{self.peek()}` is unexpected")
        self.position = found.end()
        return found.group()

    def expect(self, text: str) -> None:
        """Go on behind `text`.

        Raises:
            Unreadable: it does not stand here.
        """
        if not self.text.startswith(text, self.position):
            raise Unreadable(f"`{text}` is missing")
        self.position += len(text)
