"""What an engine's window shows, as far as anybody has to know: whether it takes words now, or asks a person something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hermes_company.wording import Text


class Shown(StrEnum):
    """What stands at the bottom of an engine's window."""

    READY = "ready"  # an empty composer: it takes words, now or after its present step
    DRAFT = "draft"  # a composer with words in it
    COMMANDS = "commands"  # a composer that takes keys as commands (vim's normal mode)
    DIALOG = "dialog"  # a question with a choice of answers
    UNKNOWN = "unknown"  # none of these: still starting, or not known to us


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """One reading of a window."""

    shown: Shown
    # With `DIALOG`: its name (trust, bypass, …; `unknown` for one that we have no name for) and what it asks.
    dialog: str = ""
    asks: Text | None = None


class Heard(StrEnum):
    """How far words have come that were typed into a window, as the engine's own records say."""

    QUEUED = "queued"  # the engine keeps them until its present step is over
    SUBMITTED = "submitted"  # they are in the conversation


class Screen(Protocol):
    """How one engine's window is read, and what it writes down of words that were typed there."""

    def look(self, picture: str) -> Look:
        """What a window shows.

        Args:
            picture: its text with the attributes of the characters (`capture-pane -e`).
        """

    def heard(self, line: Mapping[str, object], words: str) -> Heard | None:
        """Whether one parsed line of the engine's transcript says that exactly these words arrived."""
