"""Budgets that are used up when the test says so."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_company.domain.budget import Hold
from hermes_company.wording import Text


@dataclass(slots=True)
class FakeSpending:
    """`Spending` without any counting."""

    company: Hold | None = None
    agents: dict[str, Hold] = field(default_factory=dict)
    tickets: dict[str, Hold] = field(default_factory=dict)
    # What ends tickets that are at work.
    ends: dict[str, Hold] = field(default_factory=dict)

    def company_hold(self) -> Hold | None:
        """See `Spending.company_hold`."""
        return self.company

    def agent_hold(self, agent: str) -> Hold | None:
        """See `Spending.agent_hold`."""
        return self.agents.get(agent)

    def overdrawn(self, ticket: str, attempt: int, agent: str, engine: str) -> Text | None:
        """See `Spending.overdrawn`."""
        hold = self.ends.get(ticket)
        return hold.reason if hold else None

    def ticket_hold(self, ticket: str) -> Hold | None:
        """See `Spending.ticket_hold`."""
        return self.tickets.get(ticket)
