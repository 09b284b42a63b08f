"""What Typer says by itself, in our words and in the person's language: the frame of help, and wrong usage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hermes_company.wording import Lang, Text, say

_COULD_BE = say("{sentence} Did you mean {close}?")
_PROBLEMS = [
    (re.compile(r"Missing (?:argument|option) (?P<what>.+)\."), say("{what} is missing.")),
    (
        re.compile(r"No such option:? (?P<what>[^\s.]+)\.?(?:.*?(?:Possible options:|Did you mean) (?P<close>[^)?]+)[)?])?"),
        say("There is no option {what}."),
    ),
    (
        re.compile(r"No such command (?P<what>'.*?')\.(?: Did you mean (?P<close>.+)\?)?"),
        say("There is no command {what}."),
    ),
    (re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((?P<what>.*)\)"), say("This is too much: {what}")),
    (re.compile(r"Option (?P<what>'.+') requires an argument\."), say("{what} needs a value.")),
    (re.compile(r"Option (?P<what>'.+') does not take a value\."), say("{what} takes no value.")),
    (
        re.compile(r"Invalid value for (?P<what>.+?): (?:.*, )?(?P<value>'.*') is not one of (?P<choices>.+?)\.?"),
        say("{what} can't be {value}: it is one of {choices}."),
    ),
    (re.compile(r"Invalid value for (?P<what>.+?): .*valid integer.*"), say("{what} must be a whole number.")),
    (re.compile(r"Invalid value for (?P<what>.+?): .*valid (?:number|float).*"), say("{what} must be a number.")),
]


def problem(message: str) -> Text:
    """Typer's message as a sentence of ours; one that we don't know as it is."""
    for pattern, sentence in _PROBLEMS:
        if found := pattern.fullmatch(message):
            values = found.groupdict()
            close = values.pop("close", None)
            said = Text(sentence.template, values)
            return Text(_COULD_BE.template, {"sentence": said, "close": close}) if close else said
    return say("{problem}", problem=message)


def framed(command: Any, lang: Lang) -> None:
    """Have a command's help framed in that language."""
    formatter = type("Formatter", (_Formatter, command.context_class.formatter_class), {"lang": lang})
    command.context_class = type("Context", (command.context_class,), {"formatter_class": formatter})


class _Formatter:
    """Put before Typer's own formatter: what it adds to our sentences is translated on its way."""

    lang: Lang

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        for word in ("[OPTIONS]", "COMMAND", "[ARGS]..."):
            args = args.replace(word, self._in_lang(word))
        super().write_usage(prog, args, self._in_lang("Usage: "))  # type: ignore[misc]

    def section(self, name: str) -> Any:
        return super().section(self._in_lang(name))  # type: ignore[misc]

    def write_dl(self, rows: Sequence[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().write_dl([(term, self._described(text)) for term, text in rows], *args, **kwargs)  # type: ignore[misc]

    def _described(self, text: str) -> str:
        for word in ("Show this message and exit.", "[required]", "[default: "):
            text = text.replace(word, self._in_lang(word))
        return text

    def _in_lang(self, word: str) -> str:
        return Text(word).in_lang(self.lang)
