"""Attempts are counted once, days and agents are summed up, budgets hold what they should and nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.budget import Scope
from hermes_company.domain.settings import Budget, Budgets, Price, Settings
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.domain.usage import AttemptUsage, Row, Tokens
from hermes_company.folders.atomic import write_atomic
from hermes_company.ports.events import Event
from hermes_company.userspace.cost.book import Entry, UsageBook
from hermes_company.userspace.cost.counting import Counter
from hermes_company.userspace.cost.program import Cost
from hermes_company.userspace.cost.spending import BookedSpending
from tests.cost.test_transcripts import answer, context, count, write
from tests.fakes.clock import FakeClock
from tests.support.companies import tree

NIGHT = timezone(timedelta(hours=8))
PER_ANSWER = Tokens(input=100, cached=30, cache_write=4, output=20)


@dataclass
class Office:
    """Where attempts are counted."""

    root: Path
    settings: Settings = field(default_factory=Settings)
    clock: FakeClock = field(default_factory=FakeClock)
    reported: dict[tuple[str, int], list[Signal]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Everything anew, as after a crash: only the files are left."""
        self.book = UsageBook(self.root / "runs", write=write_atomic)
        self.counter = Counter(self.book, self.signals, zone=NIGHT)
        self.spending = BookedSpending(self.book, self.settings, self.clock, zone=NIGHT)
        self.program = Cost(self.book, self.counter, self.spending)

    def signals(self, ticket: str, attempt: int, engine: str) -> Sequence[Signal]:
        """What the attempt's engine reported."""
        return self.reported.get((ticket, attempt), [])

    def ran(self, ticket: str, attempt: int, transcript: Path | None, *kinds: SignalKind) -> None:
        """An attempt whose engine reported something."""
        (self.root / "runs" / ticket / str(attempt)).mkdir(parents=True, exist_ok=True)
        at = datetime(2026, 5, 1, tzinfo=UTC)
        path = str(transcript) if transcript else None
        wanted = kinds or (SignalKind.SESSION_STARTED, SignalKind.TOOL_USED, SignalKind.TURN_ENDED)
        self.reported[ticket, attempt] = [Signal(kind=kind, at=at, transcript=path) for kind in wanted]

    def close(self, ticket: str, attempt: int, *, agent: str = "ann", engine: str = "claude-code") -> AttemptUsage | None:
        """The attempt is closed; what the book says of it then."""
        data = {"engine": engine, "outcome": "finished"}
        at = "2026-05-01T09:00:00.000+00:00"
        event = Event(seq=1, at=at, kind="attempt.closed", ticket=ticket, agent=agent, attempt=attempt, data=data)
        self.program.handle(event)
        entry = self.book.get(ticket, attempt)
        return entry.usage if entry else None

    def spend(self, ticket: str, agent: str = "ann", *, tokens: int, model: str = "opus", day: str = "2026-05-01") -> None:
        """Something that was counted."""
        row = Row(day=day, model=model, tokens=Tokens(input=tokens))
        number = sum(1 for _ in self.book.of_ticket(ticket)) + 1
        (self.root / "runs" / ticket / str(number)).mkdir(parents=True)
        usage = AttemptUsage(ticket=ticket, attempt=number, agent=agent, engine="codex", rows=(row,))
        self.book.save(Entry(usage, {}))
        self.spending.add(usage)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """An office in which nothing was counted yet; its clock says 2026-05-01, 17:00 where its readers are."""
    (tmp_path / "runs").mkdir()
    return Office(tmp_path)


# --- counting ---------------------------------------------------------------------------------------------------------


def test_attempt_is_counted_when_it_is_closed(office: Office, tmp_path: Path) -> None:
    """Tokens by model and by the readers' local day are written beside the attempt's record."""
    late = {**answer("m2"), "timestamp": "2026-05-01T17:00:00Z"}
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", answer("m1"), late, answer("m3", model="haiku")))
    usage = office.close("T-1", 1)

    assert usage == AttemptUsage(
        ticket="T-1",
        attempt=1,
        agent="ann",
        engine="claude-code",
        rows=(
            Row(day="2026-05-01", model="opus", tokens=PER_ANSWER),
            Row(day="2026-05-02", model="opus", tokens=PER_ANSWER),
            Row(day="2026-05-01", model="haiku", tokens=PER_ANSWER),
        ),
    )
    assert (tmp_path / "runs/T-1/1/usage.json").is_file()


def test_counting_again_changes_nothing(office: Office, tmp_path: Path) -> None:
    """The same event after a crash, and a transcript that has grown or gone since, leave what was counted."""
    transcript = write(tmp_path / "s.jsonl", answer("m1"))
    office.ran("T-1", 1, transcript)
    office.close("T-1", 1)
    before = tree(tmp_path / "runs")
    transcript.unlink()
    office.restart()
    office.close("T-1", 1)

    assert tree(tmp_path / "runs") == before


@pytest.mark.parametrize("engine", ["claude-code", "codex"])
def test_conversation_that_goes_on_is_billed_once(office: Office, tmp_path: Path, engine: str) -> None:
    """The next attempt in the same transcript counts only what is new in it, also after a restart."""
    first = [answer("m1")] if engine == "claude-code" else [context(), count(100, 0, 20, 0)]
    second = [answer("m2")] if engine == "claude-code" else [count(150, 0, 40, 0)]
    transcript = write(tmp_path / "s.jsonl", *first)
    office.ran("T-1", 1, transcript)
    one = office.close("T-1", 1, engine=engine)
    write(transcript, *first, *second)
    office.restart()
    office.ran("T-1", 2, transcript)
    two = office.close("T-1", 2, engine=engine)

    assert one
    assert two
    expected = PER_ANSWER if engine == "claude-code" else Tokens(input=50, output=20)
    assert [row.tokens for row in two.rows] == [expected]
    assert not two.problems


def test_sub_agents_count(office: Office, tmp_path: Path) -> None:
    """What Claude's sub-agents used belongs to the attempt that had them."""
    transcript = write(tmp_path / "s.jsonl", answer("m1"))
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    write(tmp_path / "s/subagents/agent-a.jsonl", answer("m1", model="haiku"))
    office.ran("T-1", 1, transcript)
    usage = office.close("T-1", 1)

    assert usage
    assert {row.model: row.tokens for row in usage.rows} == {"opus": PER_ANSWER, "haiku": PER_ANSWER}


def test_running_attempt_can_be_counted(office: Office, tmp_path: Path) -> None:
    """An attempt that is not closed is counted as far as it has come, and nothing is written for that."""
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", answer("m1")))
    before = tree(tmp_path)
    entry = office.counter.count("T-1", 1, "ann", "claude-code")

    assert entry
    assert entry.usage.rows[0].tokens == PER_ANSWER
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("engine", "lines", "said"),
    [
        ("claude-code", [{"kind": "reply", "tokens": 5}], "tells no tokens of this attempt"),
        ("claude-code", None, "named no transcript"),
        ("custom", None, "The engine custom tells no tokens"),
        ("claude-code", [answer("m1", usage={})], "is not written as we know it"),
    ],
)
def test_what_cannot_be_counted_is_said(office: Office, tmp_path: Path, engine: str, lines: Any, said: str) -> None:
    """An attempt whose tokens we can't tell is in the book with the reason: it is not taken for free."""
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", *lines) if lines else None)
    usage = office.close("T-1", 1, engine=engine)

    assert usage
    assert [said in str(problem) for problem in usage.problems] == [True]


def test_transcript_that_is_gone_is_said(office: Office, tmp_path: Path) -> None:
    """A transcript that somebody deleted is named."""
    office.ran("T-1", 1, tmp_path / "gone.jsonl")
    usage = office.close("T-1", 1)

    assert usage
    assert "gone.jsonl can't be read" in str(usage.problems[0])


def test_what_has_no_model_is_not_counted(office: Office) -> None:
    """The shell engine, and attempts whose engine never came up, leave no file and no complaint."""
    office.ran("T-1", 1, None)
    (office.root / "runs/T-2/1").mkdir(parents=True)

    assert office.close("T-1", 1, engine="shell") is None
    assert office.close("T-2", 1) is None


def test_aborted_start_is_no_complaint(office: Office, tmp_path: Path) -> None:
    """An engine that came up and was ended before its model answered has used nothing, and that is no problem."""
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", {"type": "mode"}), SignalKind.SESSION_STARTED)
    usage = office.close("T-1", 1)

    assert usage
    assert (usage.rows, usage.problems) == ((), ())


def test_damaged_file_is_said(office: Office, tmp_path: Path) -> None:
    """A usage.json that can't be read is no reason to count twice or to fail; it is named."""
    office.spend("T-1", tokens=5)
    (tmp_path / "runs/T-1/1/usage.json").write_text('{"ticket": "T-1"}')

    assert [str(problem) for usage in office.book.all() for problem in usage.problems] == [
        f"{tmp_path}/runs/T-1/1/usage.json can't be read."
    ]


@pytest.mark.parametrize(
    ("kind", "ticket", "agent", "attempt"),
    [("attempt.started", "T-1", "ann", 1), ("attempt.closed", "../x", "ann", 1), ("attempt.closed", "T-1", "ann", None)],
)
def test_other_events_are_none_of_its_business(
    office: Office, tmp_path: Path, kind: str, ticket: str, agent: str, attempt: int | None
) -> None:
    """Only closed attempts are counted, and no name leads out of the runs."""
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", answer("m1")))
    before = tree(tmp_path)
    data = {"engine": "claude-code"}
    office.program.handle(Event(seq=1, at="", kind=kind, ticket=ticket, agent=agent, attempt=attempt, data=data))

    assert tree(tmp_path) == before


# --- budgets ----------------------------------------------------------------------------------------------------------


def limited(office: Office, **budgets: Budget) -> Office:
    """The same office with budgets and a price."""
    prices = {"opus": Price(input=10, cached=1, output=50)}
    office.settings = replace(office.settings, budgets=Budgets(**budgets), prices=prices)
    office.restart()
    return office


def test_without_budgets_nothing_is_even_read(office: Office) -> None:
    """A company that set no budget pays nothing for them: the book is not opened."""
    (office.root / "runs").rmdir()
    (office.root / "runs").write_text("a file: reading it as a folder would fail")

    assert office.spending.company_hold() is office.spending.agent_hold("ann") is office.spending.ticket_hold("T-1") is None
    assert list(office.spending.uses()) == []


def test_company_waits_until_tomorrow(office: Office) -> None:
    """At 100 % of the company's day nothing starts before midnight, where its readers are; then it is free again."""
    limited(office, company_day=Budget(tokens=1_000))
    office.spend("T-1", "ann", tokens=400)
    assert office.spending.company_hold() is None
    office.spend("T-2", "bob", tokens=600)
    held = office.spending.company_hold()

    assert held
    assert (held.code, held.until) == ("budget-used-up", datetime(2026, 5, 2, tzinfo=NIGHT))
    assert str(held.reason) == "Today the company has used 100 % of its budget: 1,000 of 1,000 tokens."
    assert "budgets.company_day" in str(held.remedy)
    office.clock.advance(7 * 3600)
    assert office.spending.company_hold() is None


def test_agent_waits_and_others_go_on(office: Office) -> None:
    """One agent's used-up day holds nobody else."""
    limited(office, agent_day=Budget(money=0.01))
    office.spend("T-1", "ann", tokens=1_000)
    held = office.spending.agent_hold("ann")

    assert held
    assert str(held.reason) == "Today ann has used 100 % of its budget: 0.01 of 0.01 USD."
    assert office.spending.agent_hold("bob") is None
    assert office.spending.company_hold() is None


def test_ticket_waits_for_a_person(office: Office) -> None:
    """A ticket's budget does not come back by itself; all of its attempts count, whoever made them and when."""
    limited(office, ticket=Budget(tokens=1_000))
    office.spend("T-1", "ann", tokens=600, day="2026-04-01")
    office.spend("T-1", "bob", tokens=600)
    held = office.spending.ticket_hold("T-1")

    assert held
    assert held.until is None
    assert "120%" in held.reason.in_lang("zh")
    assert office.spending.ticket_hold("T-2") is None


def test_budgets_survive_a_restart(office: Office) -> None:
    """What was counted before counts after a restart, once."""
    limited(office, company_day=Budget(tokens=1_000))
    office.spend("T-1", tokens=999)
    office.restart()
    assert office.spending.company_hold() is None
    office.spend("T-2", tokens=1)
    assert office.spending.company_hold()
    office.restart()

    assert office.spending.company_hold()


def test_person_is_told_at_eighty_percent(office: Office) -> None:
    """From 80 % on a budget warns, at 100 % it is used up; the nearer one of its two limits counts."""
    limited(office, company_day=Budget(tokens=1_000, money=1_000))
    shares = []
    for tokens in (799, 1, 199, 1):
        office.spend("T-1", tokens=tokens)
        use = next(office.spending.uses())
        shares.append((use.warns, use.used_up))

    assert shares == [(False, False), (True, False), (True, False), (False, True)]


def test_running_attempts_count_where_it_is_shown(office: Office) -> None:
    """What open attempts have used so far is in what people see, and in nothing that is kept."""
    limited(office, company_day=Budget(tokens=1_000), agent_day=Budget(tokens=500), ticket=Budget(tokens=400))
    office.spend("T-1", tokens=100)
    row = Row(day="2026-05-01", model="opus", tokens=Tokens(output=300))
    live = AttemptUsage(ticket="T-1", attempt=2, agent="bob", engine="codex", rows=(row,))

    for _ in range(2):
        seen = {(use.scope, use.name): use.spent.tokens.total for use in office.spending.uses([live])}
        assert seen == {
            (Scope.COMPANY_DAY, ""): 400,
            (Scope.AGENT_DAY, "ann"): 100,
            (Scope.AGENT_DAY, "bob"): 300,
            (Scope.TICKET, "T-1"): 400,
        }
    assert office.spending.ticket_hold("T-1") is None


def test_model_without_a_price_costs_tokens_only(office: Office) -> None:
    """A budget in money does not see a model that the table lacks; its name is kept, so that it can be said."""
    limited(office, company_day=Budget(money=1, tokens=10**9))
    office.spend("T-1", tokens=10**8, model="new")
    use = next(office.spending.uses())

    assert (use.spent.money, use.spent.unpriced) == (0.0, ("new",))
    assert not use.used_up


def test_counting_feeds_the_budget(office: Office, tmp_path: Path) -> None:
    """An attempt that was just counted is in the budget at once."""
    limited(office, company_day=Budget(tokens=154))
    assert office.spending.company_hold() is None
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", answer("m1")))
    office.close("T-1", 1)

    assert office.spending.company_hold()


def test_file_can_be_read_by_people(office: Office, tmp_path: Path) -> None:
    """The file has plain names and numbers."""
    office.ran("T-1", 1, write(tmp_path / "s.jsonl", answer("m1")))
    office.close("T-1", 1)

    raw = json.loads((tmp_path / "runs/T-1/1/usage.json").read_text())
    assert raw["used"] == [
        {"day": "2026-05-01", "model": "opus", "input": 100, "cached": 30, "cache_write": 4, "output": 20, "reasoning": 0}
    ]
