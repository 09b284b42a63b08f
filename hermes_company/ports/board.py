"""The board: five folders of tickets and the one transaction that moves them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Protocol

from hermes_company.domain.ticket import State, Ticket, Unreadable


class TicketGone(Exception):
    """The ticket is not where it was: somebody moved or deleted it, and they win."""


class PlaceTaken(Exception):
    """A file of that name is already there; both files are untouched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardView:
    """The board. Only `todo` and `doing` are read; of the others the names suffice.

    The mappings are the board's own and move on with it: `version` tells whether they have.
    """

    # Every ticket that lies in exactly one folder.
    states: Mapping[str, State]
    # Ids that lie in several folders (or differ only in case): never claimed.
    conflicts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Content of what lies in todo and doing.
    todo: Mapping[str, Ticket | Unreadable] = field(default_factory=dict)
    doing: Mapping[str, Ticket | Unreadable] = field(default_factory=dict)
    # Ids in todo that may still be in somebody's editor, with the seconds until they count as settled.
    unsettled: Mapping[str, float] = field(default_factory=dict)
    # Files in the task folders that can't be tickets at all.
    strangers: tuple[Unreadable, ...] = ()
    # Grows with every change; `arrivals` only when a file comes to todo or its content changes there.
    version: int = 0
    arrivals: int = 0


class Board(Protocol):
    """The task folders."""

    def view(self, *, fresh: bool = False) -> BoardView:
        """The board now. Unchanged folders are answered from memory unless `fresh`."""

    def changes(self) -> Set[str]:
        """Tickets whose place may have changed since this was asked last; at the first call every ticket."""

    def read(self, ticket: str, state: State) -> Ticket | Unreadable:
        """One ticket's file, read now.

        Raises:
            TicketGone: it does not lie there.
        """

    def move(self, ticket: str, source: State, target: State) -> None:
        """The transaction: one rename that never overwrites.

        Raises:
            TicketGone: it does not lie in `source`.
            PlaceTaken: a file of that name lies in `target`.
        """

    def mark(self, ticket: str, state: State, runtime: Mapping[str, object] | None) -> bool:
        """Write (or with None remove) our `runtime:` block; every other byte stays.

        Returns:
            False when the file was moved or edited at that very moment; the block is cosmetic, so nobody has to care.
        """
