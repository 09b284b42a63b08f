"""Reading YAML that strangers wrote: no aliases, tags or deep nesting, and scalars stay the text that was typed.

`no` is not False here, `010` not 8 and `12:30:45` not 45045: what a field means is for its schema to say.
"""

from __future__ import annotations

from typing import Any

from hermes_company.folders.plain_yaml import NotPlain, load_plain

MAX_BYTES = 16_384


class BadYaml(ValueError):
    """What is wrong, and in which line (1-based, counted from the text's first line)."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def load_yaml(text: str) -> Any:
    """Mappings, lists and strings of a YAML text; an empty scalar is None.

    Raises:
        BadYaml: not YAML, too large or deep, an alias, anchor or tag, or a key that occurs twice.
    """
    if len(text.encode()) > MAX_BYTES:
        raise BadYaml(f"more than {MAX_BYTES} bytes", None)
    try:
        return load_plain(text)
    except NotPlain:
        from hermes_company.folders.any_yaml import load_any

        return load_any(text)
