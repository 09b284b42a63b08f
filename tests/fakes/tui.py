"""An engine's window that does what the real ones cannot be made to do: a program for a terminal, told by a JSON file.

It draws a composer between two rules, as Claude Code does, takes a bracketed paste, and reports what was submitted as a hook
would. What happened to it stands in `<told>.log`, one JSON object a line. `python tui.py TOLD [words of the engine…]`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import select
import subprocess
import sys
import termios
import time
import tty
from dataclasses import dataclass, field
from pathlib import Path

_WIDTH = 100
# A draft of more lines is shown folded.
_MOST_LINES = 8
_GREY, _PLAIN = "\x1b[38;5;246m", "\x1b[39m"
_PASTE = re.compile(rb"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
_PASTE_BEGINS = b"\x1b[200~"
# tmux sends a key's bytes at once; a paste may come in parts.
_ESCAPE = re.compile(rb"\x1b(\[[0-9;?]*[A-Za-z~]|O[A-Z]|)")


@dataclass
class Told:
    """What it is to do."""

    # Seconds in which it shows nothing and loses what is typed.
    start: float = 0.0
    # Dialogs that open one after the other: what they say, the answers, which one is under the cursor at first.
    dialogs: list[tuple[list[str], list[str], int]] = field(default_factory=list)
    # Answers that end it.
    exits: list[str] = field(default_factory=list)
    # How many Enters it does not notice.
    swallows: int = 0
    # What it suggests in grey, and submits when Enter is pressed on the empty composer.
    suggests: str = ""
    # What stands above the composer.
    above: list[str] = field(default_factory=list)
    # Keys and pastes are commands.
    vim: bool = False
    # Pastes do not show.
    deaf: bool = False
    # It is at work: what is sent waits, and no hook reports it.
    busy: bool = False
    # Once its prompt is submitted: the ticket is handed in.
    hands_in: bool = False
    # It starts a process that leaves its group and its terminal.
    leaves_child: bool = False


class Tui:
    """The window. Draws anew after whatever happens."""

    def __init__(self, told: Told, log: Path, prompt: str) -> None:
        self._told = told
        self._prompt = prompt
        self._log = log
        self._draft = ""
        self._queued: list[str] = []
        self._dialogs = list(told.dialogs)
        self._cursor = self._dialogs[0][2] if self._dialogs else 0
        self._keys = b""

    def run(self) -> None:
        """Until a dialog's answer or Ctrl-C ends it."""
        if self._told.leaves_child:
            child = subprocess.Popen(["sleep", "300"], start_new_session=True)
            self._note(child=child.pid)
        tty.setraw(0)
        if self._told.start:
            time.sleep(self._told.start)
            termios.tcflush(0, termios.TCIFLUSH)
        self._begin()
        self._show()
        while self._take(os.read(0, 65_536)):
            # What belongs together is taken together.
            if not select.select([0], [], [], 0.02)[0]:
                self._show()

    def _begin(self) -> None:
        """What an engine does with the prompt on its command line, once nothing is left to be asked."""
        if self._prompt and not self._dialogs:
            self._submit(self._prompt)
            self._prompt = ""
            outbox = os.environ.get("HC_OUTBOX")
            if self._told.hands_in and outbox:
                Path(outbox, "summary.md").write_text("# Steps\n\n1. done\n", encoding="utf-8")
                Path(outbox, "DONE").write_text(os.environ["HC_RUN_TOKEN"], encoding="utf-8")
                report({"event": "Stop", "at": time.time()})

    def _take(self, keys: bytes) -> bool:
        self._keys += keys
        while self._keys:
            pasted = _PASTE.match(self._keys)
            if pasted is None and self._keys.startswith(_PASTE_BEGINS):
                return True
            key = pasted[0] if pasted else self._one_key()
            self._keys = self._keys[len(key) :]
            if not (self._paste(pasted[1]) if pasted else self._press(key)):
                return False
        return True

    def _one_key(self) -> bytes:
        escape = _ESCAPE.match(self._keys)
        if escape:
            return escape[0]
        length = 1
        while length < len(self._keys) and self._keys[length] & 0xC0 == 0x80:
            length += 1
        return self._keys[:length]

    def _paste(self, data: bytes) -> bool:
        if self._dialogs:
            return True
        self._note(pasted=data.decode())
        if not (self._told.deaf or self._told.vim):
            self._draft += data.decode()
        return True

    def _press(self, key: bytes) -> bool:
        if key == b"\x03":
            return False
        if key == b"\r":
            return self._answer() if self._dialogs else self._enter()
        if self._dialogs:
            self._cursor += {b"\x1b[A": -1, b"\x1b[B": 1}.get(key, 0)
        elif self._told.vim:
            self._note(command=key.decode())
        elif not key.startswith(b"\x1b"):
            self._draft += key.decode()
        return True

    def _answer(self) -> bool:
        _, answers, _ = self._dialogs.pop(0)
        self._note(answered=answers[self._cursor])
        if answers[self._cursor] in self._told.exits:
            return False
        self._cursor = self._dialogs[0][2] if self._dialogs else 0
        self._begin()
        return True

    def _enter(self) -> bool:
        self._note(enter=self._draft)
        if self._told.swallows:
            self._told.swallows -= 1
            return True
        words, self._draft = self._draft.strip() or self._told.suggests, ""
        if words and self._told.busy:
            self._queued.append(words)
        elif words:
            self._submit(words)
        return True

    def _submit(self, words: str) -> None:
        self._note(submitted=words)
        digest = hashlib.sha256(words.encode()).hexdigest()
        report({"event": "UserPromptSubmit", "at": time.time(), "prompt_sha256": digest})

    def _show(self) -> None:
        lines = self._dialog() if self._dialogs else self._composer()
        os.write(1, ("\x1b[2J\x1b[H\x1b[?2004h" + "\r\n".join(lines)).encode())

    def _dialog(self) -> list[str]:
        says, answers, _ = self._dialogs[0]
        choices = [f" {'❯' if n == self._cursor else ' '} {n + 1}. {answer}" for n, answer in enumerate(answers)]
        return [*self._told.above, "─" * _WIDTH, *says, "", *choices, "", " Enter to confirm · Esc to cancel"]

    def _composer(self) -> list[str]:
        lines = self._draft.count("\n")
        draft = f"[Pasted text #1 +{lines} lines]" if lines >= _MOST_LINES else self._draft.replace("\n", "\r\n  ")
        shown = draft or f"{_GREY}{self._told.suggests}{_PLAIN}"
        rule = f"{_GREY}{'─' * _WIDTH}{_PLAIN}"
        footer = "  -- NORMAL --" if self._told.vim else "  ⏵⏵ bypass permissions on"
        queued = [f"  ❯ {words}" for words in self._queued]
        return [*self._told.above, *queued, rule, f"❯\N{NO-BREAK SPACE}{shown}", rule, footer]

    def _note(self, **happened: object) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(happened, ensure_ascii=False) + "\n")


def report(line: dict[str, object]) -> None:
    """What a hook would have written."""
    folder = os.environ.get("HC_RUN_DIR")
    if folder:
        with Path(folder, "signals.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def happened(log: Path) -> list[dict[str, object]]:
    """What the log says so far. For tests."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]


if __name__ == "__main__":
    Tui(
        Told(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))),
        Path(f"{sys.argv[1]}.log"),
        sys.argv[-1] if sys.argv[2:] else "",
    ).run()
