"""Which words may name a ticket, an agent or a skill. Names become file names and tmux words, so the rule is a whitelist."""

from __future__ import annotations

import re
import unicodedata

# A ticket id is a file's stem: letters of any script, digits, `.`, `_`, `-`; a leading dot or dash would hide or confuse.
_TICKET_ID = re.compile(r"\w(?:[\w.-]{0,78}\w)?")
# An agent's name reaches tmux as a window name, where `#(…)` would be executed and `:` or `.` would address something else.
_AGENT_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9])?")
_SKILL_NAME = re.compile(r"\w[\w.-]{0,63}")
# The ticket of a drafted skill is called by the skill's name behind this.
SKILL_TICKET = "SKILL-"
_RESERVED = frozenset({"con", "prn", "aux", "nul", "lock", "runtime"})
# 255 bytes is the limit of a file name on the common file systems; `.md`, a suffix and a temporary mark must still fit.
_MAX_NAME_BYTES = 200


def is_ticket_id(word: str) -> bool:
    """Whether `word` may be a ticket's id: NFC, whitelisted, no `..`, short enough for every common file system."""
    return (
        bool(_TICKET_ID.fullmatch(word))
        and ".." not in word
        and word.casefold() not in _RESERVED
        and unicodedata.normalize("NFC", word) == word
        and len(word.encode()) <= _MAX_NAME_BYTES
    )


def is_agent_name(word: str) -> bool:
    """Whether `word` may name an agent: ASCII letters, digits, `_`, `-`, at most 40."""
    return bool(_AGENT_NAME.fullmatch(word)) and word.casefold() not in _RESERVED


def is_skill_name(word: str) -> bool:
    """Whether `word` may name a skill or skill pack."""
    return bool(_SKILL_NAME.fullmatch(word)) and ".." not in word
