"""The command line of an agent with engine `custom`, as its `profile.json` says it. Words stay words: no shell reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

# What may stand in braces inside a word of the command.
PLACEHOLDERS = ("prompt", "prompt_file", "session_id", "outbox", "workdir", "model")
# `{{word}}` is the word in single braces; all other braces are themselves, so that JSON can be written as it is.
_BRACED = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")


class DoneRule(StrEnum):
    """What says that the ticket is handed in."""

    FILE = "DONE"  # the program writes DONE itself, as it is told to
    EXIT = "exit"  # it ends with status 0 and has left a summary.md


@dataclass(frozen=True, kw_only=True, slots=True)
class CustomCommand:
    """How to start one command line tool."""

    command: tuple[str, ...]
    # How to go on in the conversation; empty: every attempt begins anew.
    resume: tuple[str, ...] = ()
    # Variables to set for it, with their values.
    env: Mapping[str, str] = field(default_factory=dict)
    done: DoneRule = DoneRule.FILE


def placeholders(word: str) -> list[str]:
    """The words in braces that stand for something else, in order; known or not."""
    return [found[2] for found in _BRACED.finditer(word) if found[2]]


def fill(word: str, values: Mapping[str, str]) -> str:
    """`word` with its placeholders replaced. What is put in is not looked at again.

    Raises:
        KeyError: a placeholder that `values` does not have.
    """
    return _BRACED.sub(lambda found: values[found[2]] if found[2] else f"{{{found[1]}}}", word)
