"""Budgets: how much of one is used, from when on a person is told, and what waits when it is used up.

What a ticket, an agent or the company may use is no judgement of anybody's work: a used budget is a reason to wait and is
never counted as a failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hermes_company.domain.settings import Budget
from hermes_company.domain.usage import Sum
from hermes_company.wording import Text, say

WARNING_SHARE = 0.8


class Scope(StrEnum):
    """Whose budget it is."""

    TICKET = "ticket"
    AGENT_DAY = "agent_day"
    COMPANY_DAY = "company_day"


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """How much of one budget is used."""

    scope: Scope
    # The ticket or the agent; empty for the company.
    name: str = ""
    spent: Sum
    budget: Budget

    @property
    def share(self) -> float:
        """The used part of the limit that is nearer to its end; 0 where there is no limit."""
        return max(self._of_tokens(), self._of_money())

    @property
    def warns(self) -> bool:
        """Whether a person should know that it is going to be used up."""
        return WARNING_SHARE <= self.share < 1

    @property
    def used_up(self) -> bool:
        """Whether nothing more may start on it."""
        return self.share >= 1

    def says(self, currency: str) -> Text:
        """The sentence for people."""
        percent = int(self.share * 100)
        if self._of_money() > self._of_tokens():
            return say(
                "{whose} has used {percent} % of its budget: {spent} of {limit} {currency}.",
                whose=self._whose(),
                percent=percent,
                spent=f"{self.spent.money:.2f}",
                limit=f"{self.budget.money:.2f}",
                currency=currency,
            )
        return say(
            "{whose} has used {percent} % of its budget: {spent} of {limit} tokens.",
            whose=self._whose(),
            percent=percent,
            spent=f"{self.spent.tokens.total:,}",
            limit=f"{self.budget.tokens:,}",
        )

    def _whose(self) -> Text:
        if self.scope is Scope.TICKET:
            return say("Ticket {ticket}", ticket=self.name)
        if self.scope is Scope.AGENT_DAY:
            return say("Today {agent}", agent=self.name)
        return say("Today the company")

    def _of_tokens(self) -> float:
        return self.spent.tokens.total / self.budget.tokens if self.budget.tokens else 0.0

    def _of_money(self) -> float:
        return self.spent.money / self.budget.money if self.budget.money else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """Why nothing may start on a budget, in the words of a readiness verdict."""

    code: str
    reason: Text
    remedy: Text
    # When it is free again by itself.
    until: datetime | None = None


def hold(uses: Iterable[Use], *, midnight: datetime, currency: str) -> Hold | None:
    """The first used-up budget as a reason to wait; None while all have room.

    Args:
        midnight: the end of the readers' day, when a day's budget begins anew.
    """
    for use in uses:
        if use.used_up:
            until = None if use.scope is Scope.TICKET else midnight
            return Hold(code="budget-used-up", reason=use.says(currency), remedy=_remedy(use.scope, until), until=until)
    return None


def _remedy(scope: Scope, until: datetime | None) -> Text:
    if until is None:
        return say("Look at it (`hc cost --by ticket`), or raise `budgets.{scope}` in company.yaml.", scope=scope.value)
    moment = until.strftime("%Y-%m-%d %H:%M")
    return say("It goes on at {moment}, or raise `budgets.{scope}` in company.yaml.", moment=moment, scope=scope.value)
