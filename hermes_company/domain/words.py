"""What a person says to an agent, made fit to be typed into a terminal."""

from __future__ import annotations

import re

# Everything that a terminal acts on but TAB and line feed. Without ESC the marks of a bracketed paste are plain text.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# How a line begins that an engine takes as a command of its own: commands, a shell line, a note to itself, a task elsewhere.
_COMMAND_STARTS = ("/", "!", "#", "&")
# How words end that would take the Enter behind them: a backslash makes a new line of it, a half name opens a list.
_TAKES_ENTER = re.compile(r"(\\|(^|\s)[@$/]\S*)\Z")


def typable(text: str) -> str:
    """`text` with line feeds only, without control characters and without blanks around it."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def starts_like_a_command(text: str) -> bool:
    """Whether an engine would take these words for something else than words to it."""
    return text.startswith(_COMMAND_STARTS)


def takes_enter(text: str) -> bool:
    """Whether Enter right behind these words would not send them. Behind a space it does."""
    return _TAKES_ENTER.search(text) is not None
