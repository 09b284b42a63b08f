"""The task folders: what lies where, and the one transaction that moves a ticket.

State is the folder. A move is one rename that never overwrites; nothing else decides who holds a ticket.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from pathlib import Path

from hermes_company.domain.ticket import State, Ticket, Unreadable
from hermes_company.folders.atomic import create_exclusive, rename_noreplace, replace_existing, sync_folder
from hermes_company.folders.layout import Layout
from hermes_company.folders.places import Places
from hermes_company.folders.ticket_file import BadTicket, parse_ticket, with_runtime
from hermes_company.folders.ticket_folder import FINE_SECONDS, Scanned, Signature, TicketFolder, read_regular, signature
from hermes_company.ports.board import BoardView, PlaceTaken, TicketGone
from hermes_company.ports.clock import Clock

_READ = (State.TODO, State.DOING)


class FolderBoard:
    """`Board` on real folders. What it knows is brought up to date by what changed, not built anew.

    Args:
        layout: the company.
        clock: wall time for file ages, boot time for how long a file was seen unchanged.
        settle_seconds: how long a hand-dropped file must rest before it counts as written.
    """

    def __init__(self, layout: Layout, clock: Clock, settle_seconds: float) -> None:
        self._layout = layout
        self._clock = clock
        self._settle = settle_seconds
        self._folders = {state: TicketFolder(layout.state(state), clock) for state in State}
        self._places = Places()
        self._contents: dict[State, dict[str, Ticket | Unreadable]] = {state: {} for state in _READ}
        # Files in todo that may still be in somebody's editor → boot time at which they were first seen as they are.
        self._resting: dict[str, float] = {}
        # What was read last of each ticket, and of which file.
        self._known: dict[str, tuple[Signature, Ticket]] = {}
        self._changed: set[str] = set()
        self._version = 0
        self._arrivals = 0

    def view(self, *, fresh: bool = False) -> BoardView:
        """See `Board.view`."""
        for state, folder in self._folders.items():
            scanned = folder.look(fresh=fresh, unsure=self._resting if state is State.TODO else ())
            if scanned is not None:
                self._update(state, scanned)
        return BoardView(
            states=self._places.states,
            conflicts=self._places.conflicts,
            todo=self._contents[State.TODO],
            doing=self._contents[State.DOING],
            unsettled=self._unsettled(),
            strangers=self._strangers(),
            version=self._version,
            arrivals=self._arrivals,
        )

    def changes(self) -> Set[str]:
        """See `Board.changes`."""
        changed, self._changed = self._changed, set()
        return changed

    def read(self, ticket: str, state: State) -> Ticket | Unreadable:
        """See `Board.read`."""
        path = self._layout.ticket(ticket, state)
        try:
            now = signature(path.stat(follow_symlinks=False))
        except FileNotFoundError:
            raise TicketGone(ticket) from None
        return self._content(ticket, state, path, now)

    def _content(self, ticket: str, state: State, path: Path, now: Signature) -> Ticket | Unreadable:
        """The file's content; not read again while inode, time and size are as they were, which a rename leaves alone."""
        known = self._known.get(ticket)
        if known and known[0] == now and self._clock.now().timestamp() - now[1] / 1e9 > FINE_SECONDS:
            return known[1]
        try:
            raw, modified = read_regular(path)
            found = parse_ticket(ticket, raw)
        except FileNotFoundError:
            raise TicketGone(ticket) from None
        except BadTicket as problem:
            return self._unreadable(ticket, path, problem)
        content = found if found.created else replace(found, created=modified)
        self._known[ticket] = (now, content)
        return content

    def move(self, ticket: str, source: State, target: State) -> None:
        """See `Board.move`."""
        path = self._layout.ticket(ticket, target)
        current = [state for state in (source, target) if self._folders[state].is_current()]
        try:
            rename_noreplace(self._layout.ticket(ticket, source), path)
        except FileNotFoundError:
            raise TicketGone(ticket) from None
        except FileExistsError:
            raise PlaceTaken(ticket) from None
        read_before = self._known.get(ticket)
        self._leave(ticket, source)
        if read_before:
            self._known[ticket] = read_before
        self._arrive(ticket, target, path)
        for state in current:
            self._folders[state].changed_by_us()
        sync_folder(self._layout.state(target))
        sync_folder(self._layout.state(source))

    def mark(self, ticket: str, state: State, runtime: Mapping[str, object] | None) -> bool:
        """See `Board.mark`."""
        path = self._layout.ticket(ticket, state)
        folder = self._folders[state]
        current = folder.is_current()
        try:
            raw, _ = read_regular(path)
            marked = with_runtime(raw, runtime)
            if marked == raw:
                return True
            replaced = replace_existing(path, marked, expected=raw, durable=False)
            if replaced:
                folder.files[ticket] = signature(path.stat(follow_symlinks=False))
        except (FileNotFoundError, BadTicket):
            return False
        if current:
            folder.changed_by_us()
        return replaced

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

    def _update(self, state: State, scanned: Scanned) -> None:
        folder = self._folders[state]
        if scanned.files != folder.files:
            for ticket in folder.files.keys() - scanned.files.keys():
                self._leave(ticket, state)
            for ticket, seen in scanned.files.items():
                if folder.files.get(ticket) != seen:
                    self._arrive(ticket, state, seen)
        if scanned.strangers.keys() != folder.strangers.keys():
            folder.strangers = dict(scanned.strangers)
            self._version += 1

    def _arrive(self, ticket: str, state: State, seen: Signature | Path) -> None:
        """A file is there, or there with another content."""
        try:
            if isinstance(seen, Path):
                seen = signature(seen.stat(follow_symlinks=False))
            if state in _READ:
                path = self._layout.ticket(ticket, state)
                self._contents[state][ticket] = self._content(ticket, state, path, seen)
        except (FileNotFoundError, TicketGone):
            self._leave(ticket, state)
            return
        self._folders[state].files[ticket] = seen
        if self._places.add(ticket, state):
            self._changed.add(ticket)
        if state is State.TODO:
            self._resting[ticket] = self._clock.boottime()
            self._arrivals += 1
        self._version += 1

    def _leave(self, ticket: str, state: State) -> None:
        self._folders[state].files.pop(ticket, None)
        self._changed |= self._places.remove(ticket, state)
        if ticket not in self._places.states and ticket not in self._places.conflicts:
            self._known.pop(ticket, None)
        if state in _READ:
            self._contents[state].pop(ticket, None)
        if state is State.TODO:
            self._resting.pop(ticket, None)
        self._version += 1

    def _unsettled(self) -> dict[str, float]:
        """Seconds until a file in todo counts as written: old enough by the wall clock, or seen unchanged for long enough."""
        waiting: dict[str, float] = {}
        if not self._resting:
            return waiting
        now, wall = self._clock.boottime(), self._clock.now().timestamp()
        files = self._folders[State.TODO].files
        for ticket, since in list(self._resting.items()):
            left = self._settle - max(wall - files[ticket][1] / 1e9, now - since)
            if left > 0:
                waiting[ticket] = left
            else:
                del self._resting[ticket]
                self._version += 1
        return waiting

    def _strangers(self) -> tuple[Unreadable, ...]:
        return tuple(
            self._unreadable(name[:-3], folder.path / name, problem)
            for folder in self._folders.values()
            for name, problem in sorted(folder.strangers.items())
        )

    def _unreadable(self, ticket: str, path: Path, problem: BadTicket) -> Unreadable:
        return Unreadable(
            id=ticket,
            path=path.relative_to(self._layout.root).as_posix(),
            code=problem.code,
            reason=problem.reason,
            remedy=problem.remedy,
            line=problem.line,
        )
