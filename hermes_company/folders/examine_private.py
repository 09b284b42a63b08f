"""`.hc/`: who may read it, and what dead processes left in it and elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from hermes_company.errors import Refusal
from hermes_company.folders.company_files import read_identity
from hermes_company.folders.examine_tickets import shortened
from hermes_company.folders.layout import Layout
from hermes_company.folders.leftovers import Leftover, leftover_files, leftover_tickets
from hermes_company.ports.clock import Clock
from hermes_company.ports.doctor import Finding, Severity, bad, well
from hermes_company.wording import Text, say

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_private(layout: Layout, clock: Clock) -> Iterator[Finding]:
    """Everything about the orchestrator's own files. A company that never ran has none."""
    problems = [*_identity(layout), *_modes(layout), *_leftovers(layout, clock)]
    yield from problems
    if layout.private.is_dir() and not problems:
        yield well("private", say("Nobody else can read .hc/, and no dead process left anything behind."))


def _identity(layout: Layout) -> Iterator[Finding]:
    try:
        read_identity(layout)
    except Refusal as problem:
        yield bad(problem)


def _modes(layout: Layout) -> Iterator[Finding]:
    if not layout.private.is_dir():
        return
    if _open_to_others(layout.private):
        yield Finding(
            code="private-open",
            severity=Severity.BAD,
            seen=say("Other users of this machine can look into .hc/, where prompts and what agents showed are kept."),
            remedy=say("Close it: chmod go-rwx {file}", file=".hc"),
            fix=partial(_close, layout, [layout.private]),
        )
    files = [path for path in _kept_files(layout) if _open_to_others(path)]
    if files:
        names = [path.relative_to(layout.root).as_posix() for path in files]
        yield Finding(
            code="private-files-open",
            severity=Severity.WARN,
            seen=say("Other users could read these files if .hc/ were open to them: {names}.", names=shortened(names)),
            remedy=say("Close them: chmod -R go-rwx {file}", file=".hc/runs"),
            fix=partial(_close, layout, files),
        )


def _kept_files(layout: Layout) -> list[Path]:
    """What may hold something that was told to an agent, or what tells the company from others."""
    found = [layout.identity, layout.kernel_lock, layout.kernel_holder]
    for folder, _, names in os.walk(layout.runs):
        found += [Path(folder, name) for name in sorted(names)]
    return found


def _open_to_others(path: Path) -> bool:
    try:
        mode = path.stat(follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _OTHERS)


def _close(layout: Layout, paths: list[Path]) -> Text:
    for path in paths:
        if _open_to_others(path):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
    names = [path.relative_to(layout.root).as_posix() for path in paths]
    return say("Took other users' access away from {names}.", names=shortened(names))


def _leftovers(layout: Layout, clock: Clock) -> Iterator[Finding]:
    tickets = leftover_tickets(layout, clock)
    spare = leftover_files(layout, clock) + [left for left in tickets if left.is_copy]
    if spare:
        names = [left.path.relative_to(layout.root).as_posix() for left in spare]
        yield Finding(
            code="stale-temporaries",
            severity=Severity.WARN,
            seen=say("{count} temporary files of dead processes: {names}.", count=len(spare), names=shortened(names)),
            remedy=say("`hc doctor --fix` deletes them; nothing is lost by it."),
            fix=partial(_delete, layout, clock),
        )
    for left in tickets:
        if not left.is_copy:
            yield _unfinished(layout, left)


def _unfinished(layout: Layout, left: Leftover) -> Finding:
    spare, ticket = (path.relative_to(layout.root).as_posix() for path in (left.path, left.target))
    return Finding(
        code="ticket-unfinished",
        severity=Severity.WARN,
        seen=say(
            "A process died while it wrote {ticket}, and left {file}, which says something else.", ticket=ticket, file=spare
        ),
        remedy=say("It may hold the words of a person: look into it, then delete it: rm {file}", file=spare),
    )


def _delete(layout: Layout, clock: Clock) -> Text:
    spare = leftover_files(layout, clock) + [left for left in leftover_tickets(layout, clock) if left.is_copy]
    for left in spare:
        left.path.unlink(missing_ok=True)
    return say("Deleted {count} temporary files of dead processes.", count=len(spare))
