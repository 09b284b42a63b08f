"""What every command is handed: which company, which language, how to answer."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.words import harmless, sentence
from hermes_company.errors import Refusal
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_C1 = re.compile("[\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Door:
    """The person's side of one command.

    Args:
        environ: the caller's environment.
        cwd: the folder that the person stands in.
        lang: the language to answer in.
        root: `--root`.
        as_json: whether to answer for programs.
    """

    environ: Mapping[str, str]
    cwd: Path
    lang: Lang
    root: Path | None = None
    as_json: bool = False

    @cached_property
    def company(self) -> Company:
        """The company that is meant.

        Raises:
            Refusal: `company-not-found`.
        """
        from hermes_company.bootstrap import open_company

        return open_company(self.root, self.environ, self.cwd)

    @property
    def columns(self) -> int | None:
        """The terminal's width; None when nobody looks at a terminal."""
        if not sys.stdout.isatty():
            return None
        import shutil

        return shutil.get_terminal_size().columns

    def words(self, *texts: Text) -> str:
        """Sentences in the person's language."""
        return sentence(self.lang, *texts)

    def tell(self, *texts: Text) -> None:
        """Print sentences on a line of their own."""
        self.line(self.words(*texts))

    def line(self, text: str = "", *, bold: bool = False) -> None:
        """Print one or more lines; bold only where a terminal shows it."""
        text = harmless(text)
        coloured = bold and text and sys.stdout.isatty() and not self.environ.get("NO_COLOR")
        put(f"\x1b[1m{text}\x1b[0m" if coloured else text)

    def warn(self, *texts: Text) -> None:
        """Print sentences where they don't mix with the answer."""
        put(harmless(f"! {self.words(*texts)}"), error=True)

    def ask(self, question: Text) -> bool:
        """A person's yes or no; Enter alone is a no.

        Raises:
            Refusal: `consent-not-given`: nobody is there to answer.
        """
        import typer

        try:
            return typer.confirm(harmless(self.words(question)))
        except typer.Abort:
            raise Refusal(
                "consent-not-given",
                fact=say("Nobody answered."),
                cause=say("Without a yes it is not done."),
                remedy=say("Answer in a terminal, or agree to all of it with --yes."),
            ) from None

    def json(self, value: object) -> None:
        """Print a JSON document."""
        put(to_json(value))


class Ended(Exception):
    """The end of a command that has said all that there is to say, with its exit status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


def put(text: str, *, error: bool = False) -> None:
    """Print lines that somebody may be waiting for, in a file or a pipe too."""
    print(text, file=sys.stderr if error else sys.stdout, flush=True)


def to_json(value: object) -> str:
    """`value` as JSON for programs and eyes; what a terminal would act on is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _C1.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def bad_usage(problem: Text, command: str) -> Refusal:
    """The refusal for a command line that can't be meant, e.g. of `hc task edit`."""
    return Refusal(
        "bad-usage",
        fact=problem,
        cause=Text(""),
        remedy=say("`{command} --help` shows how it is used.", command=command),
    )
