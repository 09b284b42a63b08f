"""The program that counts each attempt once it is closed."""

from __future__ import annotations

from hermes_company.domain.names import is_agent_name, is_ticket_id
from hermes_company.ports.events import Event
from hermes_company.userspace.cost.book import UsageBook
from hermes_company.userspace.cost.counting import Counter
from hermes_company.userspace.cost.spending import BookedSpending


class Cost:
    """See `Program`. What is counted already is not counted again.

    Args:
        book: where it is written.
        counter: reads the transcripts.
        spending: is told what was added.
    """

    name = "cost"

    def __init__(self, book: UsageBook, counter: Counter, spending: BookedSpending) -> None:
        self._book = book
        self._counter = counter
        self._spending = spending

    def handle(self, event: Event) -> None:
        """See `Program.handle`."""
        if event.kind != "attempt.closed" or event.attempt is None:
            return
        ticket, agent = event.ticket or "", event.agent or ""
        if not is_ticket_id(ticket) or not is_agent_name(agent) or self._book.get(ticket, event.attempt):
            return
        entry = self._counter.count(ticket, event.attempt, agent, str(event.data.get("engine")))
        if entry:
            self._book.save(entry)
            self._spending.add(entry.usage)
