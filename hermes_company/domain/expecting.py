"""DONE is a claim: what a ticket expects to be handed in, how that may be written, and what a reviewer is told is missing."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_company.wording import Text, say

_LONGEST = 200
# What shells would make of it, and a path here does not.
_MEANS_SOMETHING_ELSE = frozenset("\\$`{}|<>")


def is_expectation(word: str) -> bool:
    """Whether a word can stand in `expects:`: a relative path, or a pattern with `*`, `?`, `[…]` and `**` for any folders."""
    parts = word.split("/")
    if not 0 < len(word) <= _LONGEST or not word.isprintable() or _MEANS_SOMETHING_ELSE & set(word):
        return False
    if word[0] in "/~" or ":/" in word or any(part in ("", ".", "..") for part in parts[:-1]) or parts[-1] in (".", ".."):
        return False
    return all(("**" not in part or part == "**") and part.count("[") == part.count("]") for part in parts)


def lacking(files: Sequence[str], *, bare: bool, unsettled: bool) -> tuple[Text, ...]:
    """What a reviewer is told of a claim that does not hold in full.

    Args:
        files: what the ticket expects and was not found.
        bare: the summary has headings and nothing below them.
        unsettled: the engine reported work in the background that had not ended.
    """
    found = []
    if files:
        found.append(say("Expected, but not there: {files}.", files=", ".join(files)))
    if bare:
        found.append(say("summary.md has headings only."))
    if unsettled:
        found.append(say("What it had left running in the background had not ended; it was ended."))
    return tuple(found)
