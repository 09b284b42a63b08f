"""What is used of the budgets: summed up from the book when it is first asked for, then kept up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta, tzinfo

from hermes_company.domain.budget import Hold, Scope, Use, hold
from hermes_company.domain.settings import Budget, Settings
from hermes_company.domain.usage import AttemptUsage, ByModel, Row, Tokens, add_up, by_model
from hermes_company.ports.clock import Clock
from hermes_company.userspace.cost.book import UsageBook


class BookedSpending:
    """See `Spending`.

    Args:
        book: what was counted. Whoever writes to it while this one lives says so with `add`.
        settings: prices and budgets.
        clock: which day it is.
        zone: the readers' time zone; None is the machine's.
    """

    def __init__(self, book: UsageBook, settings: Settings, clock: Clock, *, zone: tzinfo | None = None) -> None:
        self._book = book
        self._settings = settings
        self._clock = clock
        self._zone = zone
        self._sums = _Sums()
        self._loaded = False

    def add(self, usage: AttemptUsage) -> None:
        """Take one more counted attempt in."""
        if self._loaded:
            self._sums.take(usage)

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
            running: what open attempts have used so far; it is in no book yet.
        """
        if not any(_limits(self._budget(scope)) for scope in Scope):
            return
        self._load()
        sums = self._sums.copy()
        for usage in running:
            sums.take(usage)
        today = sums.days.get(self._today(), {})
        names = {Scope.COMPANY_DAY: [""] if today else [], Scope.AGENT_DAY: sorted(today), Scope.TICKET: sorted(sums.tickets)}
        for scope, those in names.items():
            if _limits(self._budget(scope)):
                yield from (self._use(scope, name, sums) for name in those)

    def _hold(self, scope: Scope, name: str) -> Hold | None:
        if not _limits(self._budget(scope)):
            return None
        self._load()
        tomorrow = self._clock.now().astimezone(self._zone).date() + timedelta(days=1)
        # Without a zone the machine's own is meant, with its summer time.
        midnight = datetime.combine(tomorrow, time.min, self._zone).astimezone(self._zone)
        return hold([self._use(scope, name, self._sums)], midnight=midnight, currency=self._settings.currency)

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
