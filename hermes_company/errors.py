"""Refusals: what a person can act on. One class, told apart by a kebab-case code.

A refusal states what was seen, why it matters and what to do; it is shown without a traceback and ends with its exit
status. Anything else that is raised is a fault of ours.
"""

from __future__ import annotations

import re

from hermes_company.wording import Lang, Text

_CODE = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)+$")


class Refusal(Exception):
    """Something that we will not do, with the way out.

    Args:
        code: stable kebab-case name, e.g. `workdir-missing`.
        fact: what was seen.
        cause: why it matters.
        remedy: what the person can do now.
        status: exit status of the command line (default 2; 75 means "try later").
    """

    def __init__(self, code: str, *, fact: Text, cause: Text, remedy: Text, status: int = 2) -> None:
        if not _CODE.match(code):
            raise ValueError(f"refusal code must be kebab-case: {code!r}")
        self.code = code
        self.fact = fact
        self.cause = cause
        self.remedy = remedy
        self.status = status
        super().__init__(f"{code}: {fact}")

    def in_lang(self, lang: Lang) -> str:
        """Fact, cause and remedy as one paragraph in that language."""
        return " ".join(text.in_lang(lang) for text in (self.fact, self.cause, self.remedy) if text.template)

    def to_json(self) -> dict[str, object]:
        """For `--json` and the event log."""
        return {
            "code": self.code,
            "fact": self.fact.in_lang("en"),
            "cause": self.cause.in_lang("en"),
            "remedy": self.remedy.in_lang("en"),
        }
