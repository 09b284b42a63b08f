"""Codex's patches: which files they touch."""

from __future__ import annotations

import re

from hermes_company.domain.guard.state import State
from hermes_company.domain.guard.walking import Walker

_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* (Move) to: (.+?)\s*$", re.MULTILINE)


def check_patch(walker: Walker, text: str, state: State) -> None:
    """Refuse a patch that touches files which may not be changed.

    Raises:
        Refused: with the rule's name.
    """
    files = list(_FILE.finditer(text))
    if not files:
        walker.ground.unsure("apply_patch")
    for found in files:
        kind, path = found[1] or found[3], found[2] or found[4]
        place = walker.place(path, state, itself=kind == "Delete")
        if place is None:
            walker.ground.unsure(path)
        elif kind == "Delete":
            walker.places.delete(place, deep=False)
        else:
            walker.places.change(place)
