"""What is used of the budgets: asked by whoever looks, so nothing else is loaded here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hermes_company.folders.atomic import write_atomic
from hermes_company.userspace.cost.live import LiveUsage
from hermes_company.userspace.cost.spending import BookedSpending
from hermes_company.userspace.cost.telling import BudgetTeller

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


def spending_of(company: Company) -> BookedSpending:
    """What is used of the budgets."""
    teller = BudgetTeller(
        company.layout.private / "budgets.json",
        write=partial(write_atomic, mode=0o600, durable=False),
        events=company.events,
        currency=company.settings.currency,
        lang=company.settings.lang,
    )
    live = LiveUsage(company.usage_counter, company.clock)
    return BookedSpending(company.usage, company.settings, company.clock, live=live, teller=teller)
