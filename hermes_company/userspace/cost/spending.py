"""What is used of the budgets: summed up from the book when it is first asked for, then kept up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta, tzinfo

from hermes_company.domain.budget import Hold, Scope, Use, hold
from hermes_company.domain.settings import Budget, Budgets, Settings
from hermes_company.domain.usage import AttemptUsage, ByModel, Row, Tokens, add_up, by_model
from hermes_company.ports.clock import Clock
from hermes_company.userspace.cost.book import UsageBook
from hermes_company.userspace.cost.live import LiveUsage
from hermes_company.userspace.cost.telling import BudgetTeller
from hermes_company.wording import Text


class BookedSpending:
    """See `Spending`.

    Args:
        book: what was counted. Whoever writes to it while this one lives says so with `add`.
        settings: prices and budgets.
        clock: which day it is.
        zone: the readers' time zone; None is the machine's.
        live: counts attempts at work; None where only what is closed counts.
        teller: tells people of budgets that come to their end.
    """

    def __init__(
        self,
        book: UsageBook,
        settings: Settings,
        clock: Clock,
        *,
        zone: tzinfo | None = None,
        live: LiveUsage | None = None,
        teller: BudgetTeller | None = None,
    ) -> None:
        self._book = book
        self._live = live
        self._teller = teller
        self._limited = settings.budgets != Budgets()
        self._settings = settings
        self._clock = clock
        self._zone = zone
        self._sums = _Sums()
        self._loaded = False

    def add(self, usage: AttemptUsage) -> None:
        """Take one more counted attempt in."""
        if self._live:
            self._live.forget(usage.ticket, usage.attempt)
        if self._loaded:
            self._sums.take(usage)
        self._tell()

    def overdrawn(self, ticket: str, attempt: int, agent: str, engine: str) -> Text | None:
        """See `Spending.overdrawn`."""
        if not self._limited or self._live is None or not self._live.renew(ticket, attempt, agent, engine):
            return None
        self._tell()
        for use in self.uses():
            concerns = use.name == {Scope.TICKET: ticket, Scope.AGENT_DAY: agent, Scope.COMPANY_DAY: ""}[use.scope]
            if concerns and use.used_up and use.budget.at_limit == "end":
                return use.says(self._settings.currency)
        return None

    def _tell(self) -> None:
        if self._limited and self._teller:
            self._teller.tell(self.uses(), self._today())

    def company_hold(self) -> Hold | None:
        """See `Spending.company_hold`."""
        return self._hold(Scope.COMPANY_DAY, "")

    def agent_hold(self, agent: str) -> Hold | None:
        """See `Spending.agent_hold`."""
        return self._hold(Scope.AGENT_DAY, agent)

    def ticket_hold(self, ticket: str) -> Hold | None:
        """See `Spending.ticket_hold`."""
        return self._hold(Scope.TICKET, ticket)

    def uses(self, running: Iterable[AttemptUsage] = ()) -> Iterator[Use]:
        """Every limited budget of which something is used, the company's first.

        Args:
            running: what open attempts have used so far, where that is not counted here; it is in no book yet.
        """
        if not any(_limits(self._budget(scope)) for scope in Scope):
            return
        sums = self._all(running)
        today = sums.days.get(self._today(), {})
        names = {Scope.COMPANY_DAY: [""] if today else [], Scope.AGENT_DAY: sorted(today), Scope.TICKET: sorted(sums.tickets)}
        for scope, those in names.items():
            if _limits(self._budget(scope)):
                yield from (self._use(scope, name, sums) for name in those)

    def _hold(self, scope: Scope, name: str) -> Hold | None:
        if not _limits(self._budget(scope)):
            return None
        sums = self._all()
        tomorrow = self._clock.now().astimezone(self._zone).date() + timedelta(days=1)
        # Without a zone the machine's own is meant, with its summer time.
        midnight = datetime.combine(tomorrow, time.min, self._zone).astimezone(self._zone)
        return hold([self._use(scope, name, sums)], midnight=midnight, currency=self._settings.currency)

    def _all(self, running: Iterable[AttemptUsage] = ()) -> _Sums:
        """What is in the book, and what attempts at work have used besides."""
        self._load()
        at_work = [*running, *(self._live.all() if self._live else ())]
        if not at_work:
            return self._sums
        sums = self._sums.copy()
        for usage in at_work:
            sums.take(usage)
        return sums

    def _use(self, scope: Scope, name: str, sums: _Sums) -> Use:
        today = sums.days.get(self._today(), {})
        if scope is Scope.TICKET:
            models = [sums.tickets.get(name, {})]
        elif scope is Scope.AGENT_DAY:
            models = [today.get(name, {})]
        else:
            models = list(today.values())
        return Use(scope=scope, name=name, spent=add_up(models, self._settings.prices), budget=self._budget(scope))

    def _budget(self, scope: Scope) -> Budget:
        budget: Budget = getattr(self._settings.budgets, scope.value)
        return budget

    def _today(self) -> str:
        return self._clock.now().astimezone(self._zone).date().isoformat()

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            for usage in self._book.all():
                self._sums.take(usage)


def _limits(budget: Budget) -> bool:
    return bool(budget.tokens or budget.money)


@dataclass(slots=True)
class _Sums:
    """Tokens by model: of each ticket, and of each agent on each day."""

    tickets: dict[str, ByModel] = field(default_factory=dict)
    days: dict[str, dict[str, ByModel]] = field(default_factory=dict)

    def take(self, usage: AttemptUsage) -> None:
        """Add one attempt."""
        self.tickets[usage.ticket] = _plus(self.tickets.get(usage.ticket, {}), usage.rows)
        for row in usage.rows:
            day = self.days.setdefault(row.day, {})
            day[usage.agent] = _plus(day.get(usage.agent, {}), [row])

    def copy(self) -> _Sums:
        """One that can be added to without changing this one."""
        return _Sums(dict(self.tickets), {day: dict(agents) for day, agents in self.days.items()})


def _plus(models: ByModel, rows: Iterable[Row]) -> ByModel:
    more = by_model(rows)
    return {model: models.get(model, Tokens()) + more.get(model, Tokens()) for model in {**models, **more}}
