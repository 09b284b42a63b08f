"""One state folder: which files in it are tickets, looked at only when it may have changed."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.folders.ticket_file import MAX_TICKET_BYTES, BadTicket
from hermes_company.ports.clock import Clock
from hermes_company.wording import Text, say

# What editors, sync tools and file managers leave lying about; never a ticket, not worth a word.
_NOISE = re.compile(
    r"^(?:\..*|#.*#|.*~|4913|.*\.(?:swp|swx|tmp|part|icloud)|.*\.sb-.*|sed\w{6}|Thumbs\.db|desktop\.ini)$", re.I
)
# Copies that sync tools make of a file two machines changed: Syncthing, Dropbox, iCloud and Finder.
_CONFLICT_COPY = re.compile(r"\.sync-conflict-\d{8}-\d{6}|conflicted copy|的冲突副本| \d+\.md$| copy\.md$", re.I)
# A folder may change again without its time stamp moving on while the stamp is this young: one tick of the system's timer on
# most file systems, two seconds where stamps are whole seconds (exFAT, some network mounts).
FINE_SECONDS = 0.02
_COARSE_SECONDS = 2.0
# A whole look happens at the latest after this many times of what it costs, so that looking stays below 0.1 % of a core.
_LOOK_SHARE = 1_000
_SHORTEST_LOOK_SECONDS = 1.0
_LONGEST_LOOK_SECONDS = 60.0

# (inode, mtime_ns, size)
Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Scanned:
    """What one look at a folder found."""

    files: Mapping[str, Signature]
    # Name → why it can't be a ticket.
    strangers: Mapping[str, BadTicket]


@dataclass(slots=True)
class TicketFolder:
    """The files of one state folder, remembered between looks."""

    path: Path
    clock: Clock
    files: dict[str, Signature] = field(default_factory=dict)
    strangers: dict[str, BadTicket] = field(default_factory=dict)
    # The folder's time stamp when it was last looked at; -1 while it may change again under the same stamp.
    _stamp: int = -1
    _next_look: float = float("-inf")

    def look(self, *, fresh: bool, unsure: Container[str] = ()) -> Scanned | None:
        """Scan the folder if it may have changed since; None when it has not.

        A folder's time stamp tells of files that came, went or were replaced: then only those are asked for their own. All of
        them are where a whole look is due or asked for; those in `unsure` always are.
        """
        stamp = self.stamp()
        now = self.clock.boottime()
        if stamp == self._stamp and not fresh and now < self._next_look:
            return None
        if fresh or now >= self._next_look:
            scanned = _scan(self.path, self.files, {})
            cost = self.clock.boottime() - now
            self._next_look = now + min(max(cost * _LOOK_SHARE, _SHORTEST_LOOK_SECONDS), _LONGEST_LOOK_SECONDS)
        else:
            scanned = _scan(self.path, self.files, {t: seen for t, seen in self.files.items() if t not in unsure})
        age = self.clock.now().timestamp() - stamp / 1e9
        racy = _COARSE_SECONDS if stamp % 1_000_000_000 == 0 else FINE_SECONDS
        self._stamp = -1 if age < racy else stamp
        return scanned

    def stamp(self) -> int:
        """The folder's own time stamp in nanoseconds; 0 when it is missing."""
        try:
            return self.path.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def is_current(self) -> bool:
        """Whether nothing has changed in it since the last look."""
        return self._stamp == self.stamp()

    def changed_by_us(self) -> None:
        """What changed a moment ago was our own doing and is in `files` already."""
        self._stamp = self.stamp()


def _scan(path: Path, known: Mapping[str, Signature], unchanged: Mapping[str, Signature]) -> Scanned:
    """What lies there. Files in `unchanged` that are still the same ones are taken to be as they were."""
    files: dict[str, Signature] = {}
    strangers: dict[str, BadTicket] = {}
    try:
        entries = os.scandir(path)
    except FileNotFoundError:
        return Scanned(files, strangers)
    with entries:
        for entry in entries:
            name = entry.name
            seen_before = name.endswith(".md") and name[:-3] in known
            taken = unchanged.get(name[:-3]) if seen_before else None
            if taken and entry.inode() == taken[0] and entry.is_file(follow_symlinks=False):
                files[name[:-3]] = taken
                continue
            if not seen_before and (not name.lower().endswith(".md") or _NOISE.match(name)):
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if seen_before and stat.S_ISREG(info.st_mode):
                files[name[:-3]] = signature(info)
                continue
            ticket = name[:-3] if name.isascii() else unicodedata.normalize("NFC", name[:-3])
            problem = _stranger(name, ticket, info)
            if problem:
                strangers[name] = problem
            else:
                files[ticket] = signature(info)
    return Scanned(files, strangers)


def signature(info: os.stat_result) -> Signature:
    """What tells one state of a file from another."""
    return (info.st_ino, info.st_mtime_ns, info.st_size)


def _stranger(name: str, ticket: str, info: os.stat_result) -> BadTicket | None:
    if _CONFLICT_COPY.search(name):
        return BadTicket(
            "ticket-conflict-copy",
            say("The file looks like a copy that a sync tool or file manager made of a ticket."),
            say("Compare it with the original and delete or rename one of the two."),
        )
    if not is_ticket_id(ticket):
        return BadTicket("ticket-bad-name", say("The file's name can't be a ticket's id."), _name_remedy())
    if not stat.S_ISREG(info.st_mode):
        return BadTicket(
            "ticket-not-a-file",
            say("It is a link, folder or device, not a file of its own."),
            say("Put a copy of the file here instead."),
        )
    return None


def _name_remedy() -> Text:
    return say("Rename it: letters, digits, `_`, `-` and `.` only, at most 80, e.g. TASK-042.md.")


def read_regular(path: Path) -> tuple[bytes, datetime]:
    """The file's bytes, capped, and when it was last written; never through a link, never waiting on a FIFO.

    Raises:
        FileNotFoundError: it is gone.
        BadTicket: it cannot be read or is not a regular file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise BadTicket(
            "ticket-unreadable",
            say("The file can't be opened: {problem}.", problem=problem.strerror or ""),
            say("Make it a file of its own that the user running `hc` may read."),
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise BadTicket(
                "ticket-not-a-file",
                say("It is a link, folder or device, not a file of its own."),
                say("Put a copy of the file here instead."),
            )
        return file.read(MAX_TICKET_BYTES + 1), datetime.fromtimestamp(info.st_mtime, UTC)
