"""`hc cost`: what was used, by what people ask for, and what they should know of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.domain.usage import AttemptUsage, Row, Tokens
from hermes_company.folders.atomic import write_atomic
from hermes_company.userspace.cost.book import Entry, UsageBook
from hermes_company.wording import Text, say
from tests.cost.test_transcripts import answer, write
from tests.support.companies import tree
from tests.support.person import Person

PRICES = "prices:\n  opus: {input: 10, cached: 1, cache_write: 12, output: 50}\n"


def used(
    person: Person,
    ticket: str,
    tokens: Tokens,
    *,
    agent: str = "worker",
    model: str = "opus",
    day: str = "2026-05-01",
    problem: Text | None = None,
) -> None:
    """An attempt that was counted."""
    book = UsageBook(person.layout.runs, write=write_atomic)
    number = sum(1 for _ in book.of_ticket(ticket)) + 1
    person.layout.run(ticket, number).mkdir(parents=True)
    rows = (Row(day=day, model=model, tokens=tokens),)
    usage = AttemptUsage(
        ticket=ticket, attempt=number, agent=agent, engine="codex", rows=rows, problems=(problem,) if problem else ()
    )
    book.save(Entry(usage, {}))


def setting(person: Person, text: str) -> None:
    """A person adds lines to company.yaml."""
    with person.layout.settings_file.open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture
def busy(person: Person) -> Person:
    """Two agents have used two models on two days; one model has a price."""
    setting(person, PRICES)
    used(person, "T-1", Tokens(input=1_000, cached=20_000, cache_write=500, output=300))
    used(person, "T-1", Tokens(input=100, output=10, reasoning=5), agent="bob", model="gpt-5", day="2026-04-30")
    used(person, "T-2", Tokens(input=2_000), agent="bob")
    return person


def test_table_adds_up(busy: Person) -> None:
    """A line an agent, the dearest first, then the total; a sum that lacks a price says that it is more than that."""
    lines = busy.ok("cost").lines

    assert lines[:4] == [
        "agent   input  cached  into cache  output  thinking    USD",
        "worker  1,000  20,000         500     300         0   0.05",
        "bob     2,100       0           0      10         5  0.02+",
        "total   3,100  20,000         500     310         5  0.07+",
    ]
    assert lines[5:] == ["! No price for gpt-5 in company.yaml: its tokens are not in the money."]


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("agent", ["worker", "bob"]),
        ("ticket", ["T-1", "T-2"]),
        ("day", ["2026-04-30", "2026-05-01"]),
        ("model", ["opus", "gpt-5"]),
    ],
)
def test_by_what_is_asked(busy: Person, by: str, names: list[str]) -> None:
    """The lines stand for what was asked for; the total is the same."""
    bill = busy.ok("cost", "--by", by, "--json").json

    assert [line["name"] for line in bill["lines"]] == names
    assert bill["total"]["tokens"] == {
        "input": 3_100,
        "cached": 20_000,
        "cache_write": 500,
        "output": 310,
        "reasoning": 5,
        "total": 23_915,
    }
    assert sum(line["tokens"]["total"] for line in bill["lines"]) == 23_915
    assert bill["total"]["money"] == pytest.approx(0.051 + 0.02)
    assert bill["total"]["unpriced"] == ["gpt-5"]


def test_other_words_are_refused(busy: Person) -> None:
    """A grouping that we don't have is answered with those that there are."""
    answer = busy.hc("cost", "--by", "moon")

    assert answer.status == 2
    assert "'ticket'" in answer.err


def test_nothing_yet(person: Person) -> None:
    """A company that used no model says so."""
    assert person.ok("cost").lines == ["No tokens were counted yet."]
    assert person.ok("cost", "--json").json["lines"] == []


def test_chinese(chinese: Person) -> None:
    """The table's heads are Chinese and line up."""
    used(chinese, "T-1", Tokens(input=1_000))
    lines = chinese.ok("cost", "--by", "ticket").lines

    assert lines[:2] == ["工单   输入  缓存读取  缓存写入  输出  推理  USD", "T-1   1,000         0         0     0     0    -"]
    assert "没有 opus 的价格" in lines[3]


def test_status_shows_budgets_that_come_to_their_end(person: Person) -> None:
    """From 80 % on, as `hc cost` says it; a company without budgets has no such lines and counts nothing for them."""
    used(person, "T-1", Tokens(input=85))
    person.drop("T-1")
    before = person.ok("status", "--json").json["budgets"]
    setting(person, "budgets:\n  ticket: {tokens: 100, at_limit: end}\n")
    said = "Ticket T-1 has used 85 % of its budget: 85 of 100 tokens."

    assert before == []
    assert person.ok("status", "--json").json["budgets"] == [{"code": "budget-warning", "says": said}]
    assert f"Budgets\n  !  {said}\n" in person.ok("status").out
    assert person.hc("status", "--lang", "zh").out.count("85%") == 1


def test_budgets_are_pointed_out(person: Person) -> None:
    """From 80 % on a budget is in the findings, and that of a ticket that is done no longer is."""
    today = datetime.now(UTC).astimezone().date().isoformat()
    setting(person, "budgets:\n  ticket: {tokens: 100}\n  agent_day: {tokens: 1000}\n  company_day: {tokens: 100000}\n")
    for ticket, state in (("T-1", State.TODO), ("T-2", State.DONE), ("T-3", State.REVIEW)):
        person.drop(ticket, state=state)
        used(person, ticket, Tokens(input=300 if ticket != "T-3" else 85), agent="worker", day=today)
    used(person, "T-4", Tokens(input=150), agent="worker", day=today)
    bill = person.ok("cost", "--json").json

    found = [(finding["code"], finding["says"]) for finding in bill["findings"] if finding["code"] != "price-missing"]
    assert found == [
        ("budget-warning", "Today worker has used 83 % of its budget: 835 of 1,000 tokens."),
        ("budget-used-up", "Ticket T-1 has used 300 % of its budget: 300 of 100 tokens."),
        ("budget-warning", "Ticket T-3 has used 85 % of its budget: 85 of 100 tokens."),
    ]
    assert [(use["scope"], use["name"], use["share"]) for use in bill["budgets"][:2]] == [
        ("company_day", None, 0.0083),
        ("agent_day", "worker", 0.835),
    ]


def test_what_was_not_counted_is_said_once(person: Person) -> None:
    """The same problem of many attempts is one sentence that names some of them."""
    for number in range(5):
        used(person, f"T-{number}", Tokens(), problem=say("The engine {engine} tells no tokens.", engine="custom"))

    says = person.ok("cost").lines[-1]
    assert says == "! Not all is counted, 5 attempts (T-0/1, T-1/1, T-2/1, …): The engine custom tells no tokens."


def test_running_attempts_are_in_it(person: Person, tmp_path: Path) -> None:
    """What an open attempt has used so far is shown, and showing writes nothing."""
    person.drop("T-1", state=State.DOING)
    run = person.attempt("T-1", engine="claude-code")
    transcript = write(tmp_path / "s.jsonl", answer("m1"))
    report = {"event": "SessionStart", "at": 1.0, "transcript_path": str(transcript)}
    (person.layout.run("T-1", run.number) / "signals.jsonl").write_text(json.dumps(report) + "\n")
    before = tree(person.layout.root)

    assert person.ok("cost", "--json").json["total"]["tokens"]["total"] == 154
    assert tree(person.layout.root) == before


def test_agent_without_code_of_ours_is_hired(person: Person) -> None:
    """`hc agent add --command` makes a custom agent; without a command line it is refused with an example."""
    person.ok("agent", "add", "gem", "--engine", "custom", "--command", "gemini --yolo '--prompt={prompt}'")
    refused = person.hc("agent", "add", "gem2", "--engine", "custom")
    unclosed = person.hc("agent", "add", "gem2", "--engine", "custom", "--command", "tool '{prompt}")

    profile = json.loads(person.layout.profile_json("gem").read_text())
    assert profile["custom"] == {"command": ["gemini", "--yolo", "--prompt={prompt}"]}
    assert refused.status == unclosed.status == 2
    assert "--command 'tool --auto {prompt}'" in refused.err
    assert not person.layout.agent("gem2").exists()
