"""What the guard refused and what was put back, where people look for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.system_clock import SystemClock
from tests.support.person import Person, both_ways

pytestmark = both_ways


def refused(person: Person, *calls: str) -> None:
    """The guard of TASK-1's attempt has refused these."""
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1", engine="codex")
    signals = person.layout.run("TASK-1", 1) / "signals.jsonl"
    lines = [{"event": "GuardRefused", "at": 1_700_000_000 + n, "rule": "push", "call": call} for n, call in enumerate(calls)]
    signals.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_why_says_it(person: Person) -> None:
    """`hc why` tells how many calls were refused and the last of them, in words and in JSON."""
    refused(person, "git push", "git push\n--tags")

    assert "  ! The guard refused 2 of its calls, last by push: git push --tags" in person.ok("why", "TASK-1").lines
    assert [call["call"] for call in person.ok("why", "TASK-1", "--json").json["refused"]] == ["git push", "git push\n--tags"]


def test_the_ticket_shows_the_last_ones(person: Person) -> None:
    """`hc task show` has the last five of each attempt with their rules, and says how many came before; JSON has all."""
    refused(person, *(f"git push r{number}" for number in range(7)))
    lines = person.ok("task", "show", "TASK-1").lines

    assert "  ! The guard refused 2 calls before these." in lines
    assert [line.rsplit(" ", 1)[1] for line in lines if "refused by push: git push" in line] == ["r2", "r3", "r4", "r5", "r6"]
    assert len(person.ok("task", "show", "TASK-1", "--json").json["attempts"][0]["refused"]) == 7


def test_nothing_refused_is_not_mentioned(person: Person) -> None:
    """Without refusals nobody reads of the guard."""
    refused(person)

    assert "guard" not in person.ok("why", "TASK-1").out + person.ok("task", "show", "TASK-1").out


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("guard.refused", {"rule": "push", "call": "git push"}, "refused by push: git push"),
        ("guard.changed", {"path": "company/A.md", "put_back": True}, "company/A.md was changed by the agent and put back"),
        ("guard.changed", {"path": "company/A.md", "put_back": False}, "company/A.md changed while the agent ran; it was left"),
    ],
)
def test_events_say_it(person: Person, kind: str, data: dict[str, object], said: str) -> None:
    """`hc events` has a sentence for each."""
    EventLog(Path(person.layout.events_file), SystemClock()).append(kind, ticket="TASK-1", data=data)

    assert person.ok("events").lines[-1].endswith(said)
