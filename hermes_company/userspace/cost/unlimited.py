"""A company without budgets: nothing is counted to find out that nothing is used up."""

from __future__ import annotations


class Unlimited:
    """See `Spending`."""

    def company_hold(self) -> None:
        """Never."""

    def agent_hold(self, agent: str) -> None:
        """Never."""

    def overdrawn(self, ticket: str, attempt: int, agent: str, engine: str) -> None:
        """Never."""

    def ticket_hold(self, ticket: str) -> None:
        """Never."""
