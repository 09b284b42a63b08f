"""Budgets that are used up when the test says so."""

from __future__ import annotations

from dataclasses import dataclass, field

from hermes_company.domain.budget import Hold


@dataclass(slots=True)
class FakeSpending:
    """`Spending` without any counting."""

    company: Hold | None = None
    agents: dict[str, Hold] = field(default_factory=dict)
    tickets: dict[str, Hold] = field(default_factory=dict)

    def company_hold(self) -> Hold | None:
        """See `Spending.company_hold`."""
        return self.company

    def agent_hold(self, agent: str) -> Hold | None:
        """See `Spending.agent_hold`."""
        return self.agents.get(agent)

    def ticket_hold(self, ticket: str) -> Hold | None:
        """See `Spending.ticket_hold`."""
        return self.tickets.get(ticket)
