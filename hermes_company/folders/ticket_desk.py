"""`TicketDesk` on the task folders."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from hermes_company.domain.ticket import State
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.ticket_file import render_ticket
from hermes_company.ports.board import PlaceTaken


class BoardDesk:
    """See `TicketDesk`."""

    def __init__(self, board: FolderBoard) -> None:
        self._board = board

    def where(self, ticket: str) -> State | None:
        """See `TicketDesk.where`."""
        return self._board.view().states.get(ticket)

    def file(self, ticket: str, fields: Mapping[str, object], body: str) -> None:
        """See `TicketDesk.file`."""
        with suppress(PlaceTaken):
            self._board.create(ticket, render_ticket(fields, body), State.REVIEW)
