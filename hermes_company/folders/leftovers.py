"""Temporary files of ours whose writer died before it could give them their name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import is_regular, read_head
from hermes_company.folders.ticket_file import MAX_TICKET_BYTES, BadTicket, without_runtime
from hermes_company.ports.clock import Clock

# `write_atomic` writes `.NAME.PID.tmp`, the launcher `NAME.PID.tmp` in the folder of its attempt.
OUR_TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d{1,10})\.tmp")
_LAUNCHERS = re.compile(r"\.?(?P<name>[\w.-]+)\.(?P<pid>\d{1,10})\.tmp")
# Another machine or container that shares the folder has process ids of its own: what is this young may be being written.
_YOUNG_SECONDS = 60.0
# Whatever the process table says: nobody takes that long from one step to the next, so the id was given out again.
_OLD_SECONDS = 3_600.0


@dataclass(frozen=True, slots=True)
class Leftover:
    """One temporary file that nobody will finish."""

    path: Path
    # The file that it was to become.
    target: Path

    @property
    def is_copy(self) -> bool:
        """For a ticket's: whether the ticket says the same, so that nothing is lost with it.

        A write that a person's edit overtook leaves that edit here for an instant; such a file is theirs to look at.
        """
        spare, kept = (read_head(path, MAX_TICKET_BYTES + 1) for path in (self.path, self.target))
        try:
            return not spare or (kept is not None and without_runtime(spare) == without_runtime(kept))
        except BadTicket:
            return False


def leftover_files(layout: Layout, clock: Clock) -> list[Leftover]:
    """Those among our own files and people's, tickets aside. What agents write into their outbox is never looked at."""
    roots = (layout.agents, layout.memory, layout.logs)
    named = [(path, OUR_TEMPORARY) for root in roots for path in _below(root)]
    named += [(path, _LAUNCHERS) for path in _below(layout.private)]
    return [found for path, form in named if (found := _leftover(path, form, clock))]


def leftover_tickets(layout: Layout, clock: Clock) -> list[Leftover]:
    """Those in the task folders."""
    entries = [entry for state in State for entry in _entries(layout.state(state))]
    return [found for path in entries if (found := _leftover(path, OUR_TEMPORARY, clock))]


def sweep(layout: Layout, clock: Clock) -> None:
    """Remove what an earlier loop was killed over, where a loop writes while it runs. The caller holds the company's lock.

    A ticket's is removed only when nothing is lost with it. Looks at open attempts only, so that it costs the same whatever
    was ever done; `hc doctor` looks everywhere.
    """
    private = [layout.private, layout.open_runs, layout.private / "engines", layout.private / "programs"]
    opened = [run for ticket in _entries(layout.open_runs) for run in _entries(layout.ticket_runs(ticket.name))]
    for folder, form in [
        *((f, OUR_TEMPORARY) for f in _entries(layout.agents)),
        *((f, _LAUNCHERS) for f in (*private, *opened)),
    ]:
        for path in _entries(folder):
            if _leftover(path, form, clock):
                path.unlink(missing_ok=True)
    for found in leftover_tickets(layout, clock):
        if found.is_copy:
            found.path.unlink(missing_ok=True)


def _leftover(path: Path, form: re.Pattern[str], clock: Clock) -> Leftover | None:
    found = form.fullmatch(path.name)
    if not found or not is_regular(path):
        return None
    age = abs(clock.now().timestamp() - path.stat().st_mtime)
    if age < _YOUNG_SECONDS or (age < _OLD_SECONDS and _exists(int(found["pid"]))):
        return None
    return Leftover(path, path.with_name(found["name"]))


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _below(root: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name) for name in names)


def _entries(folder: Path) -> list[Path]:
    # Names, not paths: ten thousand of these are slow to compare.
    return [folder / name for name in sorted(os.listdir(folder))] if folder.is_dir() else []  # noqa: PTH208
