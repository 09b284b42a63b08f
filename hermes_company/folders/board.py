"""The task folders: what lies where, and the one transaction that moves a ticket.

State is the folder. A move is one rename that never overwrites; nothing else decides who holds a ticket.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.domain.ticket import State, Ticket, Unreadable
from hermes_company.folders.atomic import create_exclusive, rename_noreplace, replace_existing, sync_folder
from hermes_company.folders.layout import Layout
from hermes_company.folders.ticket_file import MAX_TICKET_BYTES, BadTicket, parse_ticket, with_runtime
from hermes_company.ports.board import BoardView, PlaceTaken, TicketGone
from hermes_company.ports.clock import Clock
from hermes_company.wording import Text, say

# What editors, sync tools and file managers leave lying about; never a ticket, not worth a word.
_NOISE = re.compile(
    r"^(?:\..*|#.*#|.*~|4913|.*\.(?:swp|swx|tmp|part|icloud)|.*\.sb-.*|sed\w{6}|Thumbs\.db|desktop\.ini)$", re.I
)
# Copies that sync tools make of a file two machines changed: Syncthing, Dropbox, iCloud and Finder.
_CONFLICT_COPY = re.compile(r"\.sync-conflict-\d{8}-\d{6}|conflicted copy|的冲突副本| \d+\.md$| copy\.md$", re.I)
# A folder whose time stamp is this young may change again without the stamp moving on (coarse clocks of some file systems).
_RACY_SECONDS = 2.0
_FULL_LOOK_SECONDS = 30.0

Signature = tuple[int, int, int]


@dataclass(slots=True)
class _Folder:
    """What was seen of one state folder."""

    stamp: int = -1
    looked: float = float("-inf")
    # id → (inode, mtime_ns, size)
    files: dict[str, Signature] = field(default_factory=dict)
    strangers: tuple[Unreadable, ...] = ()


class FolderBoard:
    """`Board` on real folders.

    Args:
        layout: the company.
        clock: wall time for file ages, boot time for how long a file was seen unchanged.
        settle_seconds: how long a hand-dropped file must rest before it counts as written.
    """

    def __init__(self, layout: Layout, clock: Clock, settle_seconds: float) -> None:
        self._layout = layout
        self._clock = clock
        self._settle = settle_seconds
        self._folders = {state: _Folder() for state in State}
        self._read: dict[tuple[State, str], tuple[Signature, Ticket | Unreadable]] = {}
        self._seen: dict[str, tuple[Signature, float]] = {}
        self._view: BoardView | None = None

    def view(self, *, fresh: bool = False) -> BoardView:
        """See `Board.view`."""
        changed = [self._look(state, fresh=fresh) for state in State]
        if self._view is None or any(changed) or self._view.unsettled:
            self._view = self._compose()
        return self._view

    def read(self, ticket: str, state: State) -> Ticket | Unreadable:
        """See `Board.read`."""
        path = self._layout.ticket(ticket, state)
        try:
            raw, modified = _read_regular(path)
            found = parse_ticket(ticket, raw)
        except FileNotFoundError:
            raise TicketGone(ticket) from None
        except BadTicket as problem:
            return self._unreadable(ticket, path, problem)
        return found if found.created else replace(found, created=modified)

    def move(self, ticket: str, source: State, target: State) -> None:
        """See `Board.move`."""
        try:
            rename_noreplace(self._layout.ticket(ticket, source), self._layout.ticket(ticket, target))
        except FileNotFoundError:
            raise TicketGone(ticket) from None
        except FileExistsError:
            raise PlaceTaken(ticket) from None
        sync_folder(self._layout.state(target))
        sync_folder(self._layout.state(source))

    def mark(self, ticket: str, state: State, runtime: Mapping[str, object] | None) -> bool:
        """See `Board.mark`."""
        path = self._layout.ticket(ticket, state)
        try:
            raw, _ = _read_regular(path)
            marked = with_runtime(raw, runtime)
        except (FileNotFoundError, BadTicket):
            return False
        return marked == raw or replace_existing(path, marked, expected=raw, durable=False)

    def create(self, ticket: str, raw: bytes, state: State = State.TODO) -> Path:
        """Make a ticket's file appear with all its bytes at once, already counting as settled.

        Raises:
            PlaceTaken: the id is in use in one of the folders.
        """
        if any(self._layout.ticket(ticket, other).exists() for other in State):
            raise PlaceTaken(ticket)
        path = self._layout.ticket(ticket, state)
        moment = self._clock.now().timestamp() - self._settle - 1.0
        try:
            create_exclusive(path, raw, modified=moment)
        except FileExistsError:
            raise PlaceTaken(ticket) from None
        return path

    def _look(self, state: State, *, fresh: bool) -> bool:
        """Scan one folder if it may have changed; whether what it holds differs from before."""
        folder = self._folders[state]
        path = self._layout.state(state)
        now = self._clock.boottime()
        try:
            stamp = path.stat().st_mtime_ns
        except FileNotFoundError:
            stamp = 0
        if stamp == folder.stamp and not fresh and now - folder.looked < _FULL_LOOK_SECONDS:
            return False
        young = self._clock.now().timestamp() - stamp / 1e9 < _RACY_SECONDS
        files, strangers = self._scan(path)
        changed = files != folder.files or strangers != folder.strangers
        self._folders[state] = _Folder(-1 if young else stamp, now, files, strangers)
        return changed

    def _scan(self, path: Path) -> tuple[dict[str, Signature], tuple[Unreadable, ...]]:
        files: dict[str, Signature] = {}
        strangers: list[Unreadable] = []
        try:
            entries = list(os.scandir(path))
        except FileNotFoundError:
            return files, ()
        for entry in entries:
            if _NOISE.match(entry.name) or not entry.name.lower().endswith(".md"):
                continue
            try:
                info = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            ticket = unicodedata.normalize("NFC", entry.name[:-3])
            problem = _stranger(entry.name, ticket, info)
            if problem:
                strangers.append(self._unreadable(ticket, Path(entry.path), problem))
            else:
                files[ticket] = (info.st_ino, info.st_mtime_ns, info.st_size)
        return files, tuple(sorted(strangers, key=lambda stranger: stranger.path))

    def _compose(self) -> BoardView:
        places: dict[str, list[tuple[str, State]]] = {}
        for state, folder in self._folders.items():
            for ticket in folder.files:
                places.setdefault(ticket.casefold(), []).append((ticket, state))
        conflicts = {
            ticket: tuple(f"tasks/{state}/{name}.md" for name, state in where)
            for where in places.values()
            if len(where) > 1
            for ticket, _ in where
        }
        unsettled = {t: wait for t, sig in self._folders[State.TODO].files.items() if (wait := self._unsettled(t, sig)) > 0}
        view = BoardView(
            states={where[0][0]: where[0][1] for where in places.values() if len(where) == 1},
            conflicts=conflicts,
            todo=self._contents(State.TODO),
            doing=self._contents(State.DOING),
            unsettled=unsettled,
            strangers=tuple(s for folder in self._folders.values() for s in folder.strangers),
        )
        self._seen = {t: seen for t, seen in self._seen.items() if t in self._folders[State.TODO].files}
        return view

    def _contents(self, state: State) -> dict[str, Ticket | Unreadable]:
        contents: dict[str, Ticket | Unreadable] = {}
        kept: dict[tuple[State, str], tuple[Signature, Ticket | Unreadable]] = {}
        for ticket, signature in self._folders[state].files.items():
            cached = self._read.get((state, ticket))
            try:
                content = cached[1] if cached and cached[0] == signature else self.read(ticket, state)
            except TicketGone:
                continue
            contents[ticket] = content
            kept[state, ticket] = (signature, content)
        self._read = {key: value for key, value in self._read.items() if key[0] != state} | kept
        return contents

    def _unsettled(self, ticket: str, signature: Signature) -> float:
        """Seconds until the file counts as written: old enough by the wall clock, or seen unchanged for long enough."""
        now = self._clock.boottime()
        seen = self._seen.get(ticket)
        if seen is None or seen[0] != signature:
            seen = (signature, now)
            self._seen[ticket] = seen
        age = self._clock.now().timestamp() - signature[1] / 1e9
        return self._settle - max(age, now - seen[1])

    def _unreadable(self, ticket: str, path: Path, problem: BadTicket) -> Unreadable:
        return Unreadable(
            id=ticket,
            path=path.relative_to(self._layout.root).as_posix(),
            code=problem.code,
            reason=problem.reason,
            remedy=problem.remedy,
            line=problem.line,
        )


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


def _read_regular(path: Path) -> tuple[bytes, datetime]:
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
