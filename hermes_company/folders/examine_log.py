"""The event log's lines, and the clock that its time stamps came from."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog, decode
from hermes_company.folders.examine_tickets import shortened
from hermes_company.folders.layout import Layout
from hermes_company.ports.clock import Clock
from hermes_company.ports.doctor import Finding, Severity, well
from hermes_company.wording import say

# Clocks of machines that share a folder differ by less; a stamp further ahead comes from a clock that was set back.
_TOLERANCE = timedelta(seconds=60)


def check_events(layout: Layout) -> Iterator[Finding]:
    """Lines that are no events, and numbers that do not grow. The log in use; what was put aside no longer changes."""
    try:
        torn, out_of_order, last = _read(layout.events_file)
    except FileNotFoundError:
        return
    where = layout.events_file.relative_to(layout.root).as_posix()
    if torn:
        yield Finding(
            code="event-log-torn",
            severity=Severity.WARN,
            seen=say("{file}: these lines are no events and are passed over: {lines}.", file=where, lines=shortened(torn)),
            remedy=say("A crash tears the last line off; an editor may damage others. What happened stands in .hc/runs too."),
        )
    if out_of_order:
        yield Finding(
            code="event-log-order",
            severity=Severity.BAD,
            seen=say("{file}: the numbers do not grow in these lines: {lines}.", file=where, lines=shortened(out_of_order)),
            remedy=say("Stop `hc run` and put the file aside: the log begins anew, and programs begin anew with it."),
        )
    if not torn and not out_of_order:
        yield well("event-log", say("The event log is whole, up to event {seq}.", seq=last))


def _read(path: Path) -> tuple[list[str], list[str], int]:
    """Numbers of the lines that are no events, of those whose `seq` does not grow, and the last `seq`."""
    torn: list[str] = []
    out_of_order: list[str] = []
    last = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            event = decode(line)
            if event is None or not line.endswith(b"\n"):
                torn.append(str(number))
            elif event.seq <= last:
                out_of_order.append(str(number))
            else:
                last = event.seq
    return torn, out_of_order, last


def check_clocks(layout: Layout, events: EventLog, clock: Clock) -> Iterator[Finding]:
    """Time stamps that lie in the future: the clock was set back since, or a file came from a machine whose clock is wrong."""
    latest = clock.now() + _TOLERANCE
    last = next(events.after(events.last_seq() - 1), None)
    ahead = last is not None and datetime.fromisoformat(last.at) > latest
    if last is not None and ahead:
        yield Finding(
            code="clock-set-back",
            severity=Severity.WARN,
            seen=say("The last event is of {moment}, which is still to come: the clock was set back.", moment=last.at),
            remedy=say("Set the clock right. Time limits do not depend on it; `not_before:` and pauses do."),
        )
    young = [place for place, modified in _tickets(layout) if modified > latest.timestamp()]
    if young:
        yield Finding(
            code="files-from-the-future",
            severity=Severity.WARN,
            seen=say("These files were written at a time that is still to come: {names}.", names=shortened(young)),
            remedy=say("They are taken all the same. If the clock is right, `touch` them."),
        )
    if not ahead and not young:
        yield well("clock", say("No time stamp lies in the future."))


def _tickets(layout: Layout) -> Iterator[tuple[str, float]]:
    for state in State:
        if layout.state(state).is_dir():
            for path in sorted(layout.state(state).glob("*.md")):
                yield path.relative_to(layout.root).as_posix(), path.stat(follow_symlinks=False).st_mtime
