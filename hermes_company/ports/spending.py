"""What budgets have room for, as the rest of the house asks it."""

from __future__ import annotations

from typing import Protocol

from hermes_company.domain.budget import Hold
from hermes_company.wording import Text


class Spending(Protocol):
    """What is used up. Cheap enough to be asked at every look: counted once, then kept up."""

    def company_hold(self) -> Hold | None:
        """Why nothing at all may start today; None while the company's budget has room or it has none."""

    def agent_hold(self, agent: str) -> Hold | None:
        """Why nothing may start with this agent today."""

    def overdrawn(self, ticket: str, attempt: int, agent: str, engine: str) -> Text | None:
        """Why an attempt at work is to be ended: with it a budget is used up whose `at_limit` is `end`.

        May be asked at every look; what the attempt has used is counted now and then only.
        """

    def ticket_hold(self, ticket: str) -> Hold | None:
        """Why this ticket may not be started again."""
