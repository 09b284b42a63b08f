"""Budgets while attempts are at work: told once at 80 % and at 100 %, ended where that is wanted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_company.domain.settings import Budget, Budgets
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.event_log import EventLog
from hermes_company.ports.events import Event
from hermes_company.userspace.cost.book import UsageBook
from hermes_company.userspace.cost.counting import Counter
from hermes_company.userspace.cost.live import LiveUsage
from hermes_company.userspace.cost.program import Cost
from hermes_company.userspace.cost.spending import BookedSpending
from hermes_company.userspace.cost.telling import BudgetTeller
from tests.cost.test_counting import NIGHT, PER_ANSWER, Office
from tests.cost.test_transcripts import answer, write

ONE = PER_ANSWER.total


class Busy(Office):
    """An office that counts what is at work and tells people of its budgets."""

    def restart(self) -> None:
        self.book = UsageBook(self.root / "runs", write=write_atomic)
        self.counter = Counter(self.book, self.signals, zone=NIGHT)
        self.events = EventLog(self.root / "events.jsonl", self.clock)
        teller = BudgetTeller(self.root / "budgets.json", write=write_atomic, events=self.events, currency="USD", lang="en")
        live = LiveUsage(self.counter, self.clock)
        self.spending = BookedSpending(self.book, self.settings, self.clock, zone=NIGHT, live=live, teller=teller)
        self.program = Cost(self.book, self.counter, self.spending)

    def limit(self, **budgets: Budget) -> None:
        self.settings = replace(self.settings, budgets=Budgets(**budgets))
        self.restart()

    def told(self) -> list[tuple[str, str, str | None]]:
        """What was told of budgets: kind, scope, whose."""
        events: list[Event] = list(self.events.after(0))
        return [(event.kind.removeprefix("budget."), event.data["scope"], event.ticket or event.agent) for event in events]

    def over(self, ticket: str = "T-1", agent: str = "ann") -> str | None:
        """Look at a running attempt, long after the last look."""
        self.clock.advance(20)
        reason = self.spending.overdrawn(ticket, 1, agent, "claude-code")
        return str(reason) if reason else None


@pytest.fixture
def office(tmp_path: Path) -> Busy:
    """Nothing was counted yet; it is the day on which the transcripts were written."""
    office = Busy(tmp_path)
    office.clock.jump((datetime(2026, 5, 1, 9, tzinfo=UTC) - office.clock.now()).total_seconds())
    return office


def answers(office: Busy, count: int, ticket: str = "T-1") -> None:
    """The running attempt's model has answered so often."""
    path = write(office.root / f"{ticket}.jsonl", *(answer(f"m{number}") for number in range(count)))
    office.ran(ticket, 1, path)


def test_a_running_attempt_is_ended_where_the_budget_says_so(office: Busy) -> None:
    """Below 100 % it goes on; at 100 % the reason names the budget; with `hold` it goes on all the same."""
    office.limit(ticket=Budget(tokens=2 * ONE, at_limit="end"), agent_day=Budget(tokens=2 * ONE))
    answers(office, 1)
    assert office.over() is None
    answers(office, 2)
    assert office.over() == f"Ticket T-1 has used 100 % of its budget: {2 * ONE} of {2 * ONE} tokens."

    office.limit(ticket=Budget(tokens=2 * ONE))
    assert office.over() is None


@pytest.mark.parametrize("scope", ["ticket", "agent_day", "company_day"])
def test_whose_budget_it_is_decides_who_is_ended(office: Busy, scope: str) -> None:
    """A ticket's budget ends that ticket, an agent's day its tickets, the company's day everything."""
    office.limit(**{scope: Budget(tokens=ONE, at_limit="end")})
    answers(office, 1)
    answers(office, 0, "T-2")
    assert office.over() is not None

    same_agent, other_agent = office.over("T-2", "ann"), office.over("T-3", "bob")
    assert (same_agent is not None, other_agent is not None) == {
        "ticket": (False, False),
        "agent_day": (True, False),
        "company_day": (True, True),
    }[scope]


def test_what_is_at_work_holds_new_starts_too(office: Busy) -> None:
    """A running attempt that has used a budget up holds others before it is closed, and counts once when it is."""
    office.limit(company_day=Budget(tokens=2 * ONE))
    answers(office, 1)
    office.over()
    assert office.spending.company_hold() is None
    office.close("T-1", 1)
    assert office.spending.company_hold() is None
    answers(office, 1, "T-2")
    office.over("T-2")

    assert office.spending.company_hold() is not None


def test_each_step_is_told_once(office: Busy) -> None:
    """80 % and 100 %, each once, over looks, closes and restarts; a budget that was raised is a new one."""
    office.limit(ticket=Budget(tokens=5 * ONE), agent_day=Budget(tokens=100 * ONE))
    answers(office, 3)
    office.over()
    assert office.told() == []
    answers(office, 4)
    office.over()
    office.over()
    office.restart()
    office.over()
    assert office.told() == [("warning", "ticket", "T-1")]
    answers(office, 5)
    office.over()
    office.close("T-1", 1)
    office.restart()
    office.spend("T-9", "bob", tokens=1)
    assert office.told() == [("warning", "ticket", "T-1"), ("used_up", "ticket", "T-1")]

    office.limit(ticket=Budget(tokens=6 * ONE))
    office.spend("T-9", "bob", tokens=1)

    assert office.told()[2:] == [("warning", "ticket", "T-1")]


def test_another_day_is_told_again(office: Busy) -> None:
    """A day's budget is warned of on each day that comes near its end."""
    office.limit(agent_day=Budget(tokens=100))
    office.spend("T-1", tokens=90)
    office.clock.advance(24 * 3600)
    office.spend("T-2", tokens=90, day="2026-05-02")

    assert office.told() == [("warning", "agent_day", "ann")] * 2


def test_an_attempt_is_counted_seldom(office: Busy) -> None:
    """Looks in between read nothing: the transcript is gone and nobody notices."""
    office.limit(ticket=Budget(tokens=ONE, at_limit="end"))
    answers(office, 0)
    assert office.over() is None
    answers(office, 1)

    assert office.spending.overdrawn("T-1", 1, "ann", "claude-code") is None
    assert office.over() is not None


def test_without_budgets_nothing_is_read_or_told(office: Busy) -> None:
    """Who set no budget pays nothing for them."""
    office.limit()
    answers(office, 9)

    assert office.over() is None
    assert list(office.spending.uses()) == []
    assert not (office.root / "budgets.json").exists()
