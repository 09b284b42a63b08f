"""Tickets as userspace programs deal with them: they look where one lies, and file new ones. The kernel does the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hermes_company.domain.ticket import State


class TicketDesk(Protocol):
    """Where programs put tickets."""

    def where(self, ticket: str) -> State | None:
        """The one folder that the ticket lies in; None where it lies in none or in several."""

    def file(self, ticket: str, fields: Mapping[str, object], body: str) -> None:
        """Put a new ticket into review; nothing happens where its id is in use.

        Raises:
            OSError: it is not there.
        """
