"""The live board: the report, the last events, and nothing that scrolls. Redrawn in place, and only when it changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text as RichText

from hermes_company.cli.lines import event_line
from hermes_company.cli.report import Line, Report, Style, make_report, report_lines
from hermes_company.cli.seeing import look
from hermes_company.cli.words import harmless, shorten
from hermes_company.ports.events import Event
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.kernel.loop import Kernel

# Rounds can follow each other within milliseconds; eyes can't.
_FRAME_SECONDS = 0.2
_KEPT_EVENTS = 100
# What the events get on a full screen: a blank line, their head, and three of them.
_EVENT_LINES = 5
_LIST_LENGTHS = (20, 12, 8, 5, 3, 2, 1)
_LOOKS = {Style.HEAD: "bold", Style.PLAIN: "", Style.TROUBLE: "red"}


@contextmanager
def live_board(company: Company, kernel: Kernel, lang: Lang, console: Console | None = None) -> Iterator[LiveBoard]:
    """A board on the terminal's other screen while the block runs; what was there before comes back afterwards."""
    console = console or Console(highlight=False)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        yield LiveBoard(company, kernel, lang, live)


class LiveBoard:
    """See `running.Screen`."""

    def __init__(self, company: Company, kernel: Kernel, lang: Lang, live: Live) -> None:
        self._company = company
        self._kernel = kernel
        self._lang = lang
        self._live = live
        self._events: deque[str] = deque(maxlen=_KEPT_EVENTS)
        self._shown: list[Line] = []
        self._drawn = float("-inf")

    def event(self, event: Event) -> None:
        self._events.append(event_line(event, self._lang))

    def trouble(self, text: Text) -> None:
        self._events.append(text.in_lang(self._lang))

    def round_over(self) -> None:
        now = self._company.clock.boottime()
        if now - self._drawn < _FRAME_SECONDS:
            return
        size = self._live.console.size
        report = make_report(self._company, look(self._company, self._kernel.running), most=size.height)
        lines = frame(report, self._events, self._lang, size.width, size.height)
        if lines != self._shown:
            self._shown, self._drawn = lines, now
            self._live.update(rendered(lines), refresh=True)


def frame(report: Report, events: Sequence[str], lang: Lang, width: int, height: int) -> list[Line]:
    """One whole screen: at most `height` lines of at most `width` columns.

    Lists are as long as leaves room for the newest events; these fill what is left.
    """
    room = max(1, height - _EVENT_LINES) if events else height
    for most in _LIST_LENGTHS:
        lines = list(report_lines(report, lang, width=width, most=most))
        if len(lines) <= room:
            break
    lines = lines[:room]
    left = height - len(lines) - 2
    if events and left > 0:
        lines += [(Style.PLAIN, ""), (Style.HEAD, shorten(say("Last events").in_lang(lang), width))]
        lines += [(Style.PLAIN, shorten(f"  {line}", width)) for line in list(events)[-left:]]
    return lines


def rendered(lines: Sequence[Line]) -> RichText:
    """The lines with their colours. Plain text throughout: nothing in a ticket is ever markup."""
    text = RichText(no_wrap=True, overflow="crop")
    for style, line in lines:
        text.append(f"{harmless(line)}\n", style=_LOOKS[style])
    return text
