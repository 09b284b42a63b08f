"""The window's terminal before, between and after engines. All of it may be gone at any moment. On the launcher's path."""

from __future__ import annotations

import os
import signal
import termios

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NEW = (
    b"\033[?1049l"  # off the alternate screen
    b"\033c"  # everything as in a new terminal, the screen empty
    b"\033[3J"  # and nothing above it
)
# An engine that was killed could not tidy up. Its last picture stays; a wheel scrolls through it again.
_TIDY = (
    b"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?2004l"  # mouse and pasting are nobody's
    b"\0337\033[?6l\033[r\0338"  # the whole screen scrolls; both would move the cursor
    b"\033[?25h\033[0m"
)


class Screen:
    """The terminal on our standard input and output, if it is one."""

    def __init__(self) -> None:
        self._settings: list[Any] | None = termios.tcgetattr(0) if os.isatty(0) else None

    def renew(self) -> None:
        """As if the window had just been opened: no text, no mode and no typed word is left for the next engine."""
        if self._settings is None:
            return
        write(_NEW)
        try:
            termios.tcflush(0, termios.TCIFLUSH)
        except termios.error:
            return

    def give_to(self, group: int) -> None:
        """Let an engine that was just started own the terminal."""
        _to_foreground(group)
        try:
            # It may have asked for the terminal a moment too early, and was stopped for it.
            os.killpg(group, signal.SIGCONT)
        except ProcessLookupError:
            return

    def take_back(self) -> None:
        """After an engine: the terminal listens to us again and is set as before; what is to be read stays."""
        _to_foreground(os.getpgrp())
        if self._settings is None:
            return
        write(_TIDY)
        try:
            termios.tcsetattr(0, termios.TCSANOW, self._settings)
        except termios.error:
            return

    def foot(self, sentence: str) -> None:
        """One line below what the engine showed. `workers.py` knows it by its dashes."""
        if self._settings is not None:
            write(f"\r\n\033[K── {sentence} ──\r\n".encode(errors="replace"))


def _to_foreground(group: int) -> None:
    """Make a process group the one that the terminal listens to."""
    try:
        os.tcsetpgrp(0, group)
    except OSError:
        return


def write(data: bytes) -> None:
    """Show something."""
    try:
        os.write(2, data)
    except OSError:
        return
