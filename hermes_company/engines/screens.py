"""The windows of Claude Code and Codex, read from the bottom: what is above is the conversation, which may quote anything.

Seen in Claude Code 2.1.197 and Codex 0.171.0. A window that looks otherwise is `UNKNOWN`, and nothing is typed there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hermes_company.engines import claude_code, codex
from hermes_company.engines.picture import Cell, rows, text_of, typed
from hermes_company.ports.screens import Heard, Look, Screen, Shown
from hermes_company.wording import Text, say

_CHOICE = re.compile(r"\s*(?P<cursor>[❯›>]\s*)?\d{1,2}\. \S")
_LEAST_CHOICES = 2
_WINDOW_LINES = 40
# Lines below the composer or the last choice: hints, a list of completions, a sample of colours at the first start.
_MOST_BELOW = 12
_VIM_COMMANDS = re.compile(r"-- (NORMAL|VISUAL)( LINE)? --|\bVim: (Normal|Visual)\b")
# Claude Code draws its composer between two rules.
_RULE = re.compile("─{20,}")
_SHELL_PROMPT = "!"
_CLAUDE_PROMPTS = ("❯", ">", _SHELL_PROMPT)
_CODEX_PROMPTS = ("›", _SHELL_PROMPT)

# What a dialog is about, by words that only it has. The first that fits counts.
_DIALOGS: tuple[tuple[str, re.Pattern[str], Text], ...] = tuple(
    (name, re.compile(words, re.IGNORECASE), asks)
    for name, words, asks in (
        ("onboarding", r"choose the text style|let's get started", say("which colours to use, as at its first start")),
        (
            "trust",
            r"trust this folder|accessing workspace|do you trust the (files|contents)|trust the authors",
            say("whether the folder is trusted"),
        ),
        ("api-key", r"custom API key", say("whether to use the API key from the environment")),
        ("bypass", r"bypass permissions mode", say("whether it may work without asking for permissions")),
        ("login", r"select login method|sign in with|choose how you want to use codex", say("for a login")),
        ("update", r"update available|new version (of|is)|install the update", say("whether to update itself")),
        ("hooks", r"hooks? (need|require)s? review|trust (these|all) hooks", say("whether its hooks are trusted")),
        ("limit", r"wait for limit|usage limit|limit to reset", say("what to do about a used-up limit")),
        ("servers", r"MCP servers?", say("which MCP servers to use")),
        ("model", r"try (the )?new model|choose a model|model upgrade", say("which model to use")),
        (
            "permission",
            r"do you want to|would you like to run|allow (this )?command|needs your approval",
            say("for permission to do something"),
        ),
    )
)
_UNKNOWN_DIALOG = say("something that hc has no name for")


class ClaudeScreen:
    """See `Screen`."""

    def look(self, picture: str) -> Look:
        """See `Screen.look`."""
        lines = _filled(picture)
        texts = [text_of(line) for line in lines]
        rules = [place for place, text in enumerate(texts) if _RULE.match(text)]
        if len(rules) >= 2 and len(texts) - 1 - rules[-1] <= _MOST_BELOW:
            body = lines[rules[-2] + 1 : rules[-1]]
            if body and texts[rules[-2] + 1][:1] in _CLAUDE_PROMPTS:
                return _composer(body, "\n".join(texts[rules[-1] + 1 :]))
        return _dialog(texts)

    def heard(self, line: Mapping[str, object], words: str) -> Heard | None:
        """See `Screen.heard`. What is typed during a turn is reported by no hook, but stands in the transcript."""
        if line.get("type") == "queue-operation" and line.get("operation") == "enqueue":
            return Heard.QUEUED if _same(line.get("content"), words) else None
        attached = line.get("attachment")
        if isinstance(attached, Mapping) and attached.get("type") == "queued_command":
            return Heard.SUBMITTED if _same(attached.get("prompt"), words) else None
        return None


class CodexScreen:
    """See `Screen`."""

    def look(self, picture: str) -> Look:
        """See `Screen.look`. The composer's prompt is bright; the same sign before earlier prompts is faint."""
        lines = _filled(picture)
        texts = [text_of(line) for line in lines]
        for place in range(len(lines) - 1, max(-1, len(lines) - 1 - _WINDOW_LINES), -1):
            if not lines[place] or lines[place][0][0] not in _CODEX_PROMPTS or lines[place][0][1]:
                continue
            if _CHOICE.match(texts[place]):
                break
            blank = max((row for row in range(place, len(lines)) if not texts[row]), default=len(lines))
            return _composer(lines[place:blank], "\n".join(texts[blank:]))
        return _dialog(texts)

    def heard(self, line: Mapping[str, object], words: str) -> Heard | None:
        """See `Screen.heard`. Its hook reports all that is needed."""
        return None


def _filled(picture: str) -> list[list[Cell]]:
    """The window's lines down to the last one with something on it."""
    lines = rows(picture)
    while lines and not text_of(lines[-1]):
        lines.pop()
    return lines


def _composer(body: list[list[Cell]], below: str) -> Look:
    """A composer, from the line of its prompt on."""
    if _VIM_COMMANDS.search(below):
        return Look(shown=Shown.COMMANDS)
    (sign, _), *first = body[0]
    full = sign == _SHELL_PROMPT or any(typed(line) for line in (first, *body[1:]))
    return Look(shown=Shown.DRAFT if full else Shown.READY)


def _dialog(texts: list[str]) -> Look:
    """A choice of answers at the end of the window, one of them under the cursor."""
    bottom = texts[-_WINDOW_LINES:]
    choices = [place for place, text in enumerate(bottom) if _CHOICE.match(text)]
    pointed = any(found["cursor"] for text in bottom if (found := _CHOICE.match(text)))
    if len(choices) < _LEAST_CHOICES or not pointed or len(bottom) - 1 - choices[-1] > _MOST_BELOW:
        return Look(shown=Shown.UNKNOWN)
    words = "\n".join(bottom)
    for name, pattern, asks in _DIALOGS:
        if pattern.search(words):
            return Look(shown=Shown.DIALOG, dialog=name, asks=asks)
    return Look(shown=Shown.DIALOG, dialog="unknown", asks=_UNKNOWN_DIALOG)


def _same(content: object, words: str) -> bool:
    return isinstance(content, str) and content == words


SCREENS: Mapping[str, Screen] = {claude_code.NAME: ClaudeScreen(), codex.NAME: CodexScreen()}
