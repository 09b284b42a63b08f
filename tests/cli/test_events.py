"""`hc events`: what happened, in both languages and for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from hermes_company.cli.lines import event_line
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.events import Event
from hermes_company.wording import say
from tests.support.person import Person
from tests.support.tmux import until

KNOWN: list[tuple[str, dict[str, Any]]] = [
    ("ticket.added", {"to": "todo", "by": "person"}),
    ("ticket.moved", {"from": "todo", "to": "doing", "by": "hc"}),
    ("ticket.moved", {"from": "doing", "to": "review", "by": "hc"}),
    ("ticket.moved", {"from": "blocked", "to": "todo", "by": "person"}),
    ("ticket.approved", {"from": "review", "to": "done", "by": "person"}),
    ("ticket.rejected", {"from": "review", "to": "doing", "by": "person", "feedback": "once\nmore"}),
    ("ticket.rejected", {"from": "review", "to": "todo", "by": "person"}),
    ("ticket.removed", {}),
    ("attempt.started", {"engine": "codex", "window": "agent_ann", "workdir": "/x", "title": "t"}),
    ("attempt.started", {"engine": "codex", "window": "agent_ann", "workdir": "/x", "title": "t", "resumes": "1"}),
    ("attempt.adopted", {}),
    ("attempt.closed", {"outcome": "died", "reason": "Its process is gone without a trace."}),
    ("attempt.stuck", {"pids": [7, 8]}),
    ("attempt.quiet", {"minutes": 12}),
    ("attempt.asks", {"dialog": "trust", "asks": say("whether the folder is trusted").to_json()}),
    ("ticket.told", {"how": "typed", "words": "shorter", "bytes": 7, "submitted": True}),
    ("ticket.told", {"how": "kept", "words": "shorter", "bytes": 7, "submitted": False}),
    ("ticket.chat", {"seconds": 61}),
    ("engine.paused", {"engine": "codex", "until": "2026-05-01T10:00:00+00:00", "reason": "Its process never started."}),
    ("kernel.fault", {"problem": "KeyError: x"}),
    ("program.failed", {"program": "archive", "at_seq": 3, "problem": "OSError: full"}),
    ("memory.archived", {"status": "pending"}),
    ("memory.skipped", {"reason": say("Nobody answered.").to_json()}),
    ("something.new", {"a": 1}),
]


def event(kind: str, data: dict[str, Any]) -> Event:
    """An event as the log has it."""
    at = "2026-05-01T09:00:00.000+00:00"
    return Event(seq=1, at=at, kind=kind, ticket="TASK-1", agent="ann", attempt=2, data=data)


def test_every_event_has_a_sentence() -> None:
    """Each kind of event is one line with its ticket, and reads differently in Chinese; an unknown one is shown as it is."""
    for kind, data in KNOWN:
        english, chinese = (event_line(event(kind, data), lang) for lang in ("en", "zh"))  # type: ignore[arg-type]
        assert "\n" not in english
        assert "  TASK-1  " in english
        assert "None" not in english
        same = kind == "something.new" or data == {"from": "doing", "to": "review", "by": "hc"}
        assert (english == chinese) is same, english

    assert event_line(event("something.new", {"a": 1}), "en").endswith('something.new {"a": 1}')


def test_feedback_stays_on_its_line() -> None:
    """What a reviewer wrote over several lines is one line here, and no escape sequence of it gets through."""
    line = event_line(event("ticket.rejected", {"from": "review", "to": "doing", "feedback": "a\n\x1b[2Jb"}), "en")

    assert line.endswith("review → doing: sent back, “a �[2Jb”")


def fill(person: Person) -> None:
    """Three events of two tickets."""
    log = EventLog(person.layout.events_file, SystemClock())
    for ticket in ("TASK-1", "TASK-2", "TASK-1"):
        log.append("ticket.added", ticket=ticket, data={"to": "todo"})


def test_after_and_ticket(person: Person) -> None:
    """`--after` and `--ticket` leave the others out."""
    fill(person)

    assert len(person.ok("events").lines) == 3
    assert len(person.ok("events", "--after", "1").lines) == 2
    assert len(person.ok("events", "--after", "1", "--ticket", "TASK-1").lines) == 1


def test_for_programs(person: Person) -> None:
    """With --json each line is one event as the log has it, and `--after` takes up where one left off."""
    fill(person)
    events = [json.loads(line) for line in person.ok("events", "--json").lines]

    assert [(event["seq"], event["kind"], event["ticket"]) for event in events] == [
        *((1, "ticket.added", "TASK-1"), (2, "ticket.added", "TASK-2"), (3, "ticket.added", "TASK-1"))
    ]
    assert events[0]["data"] == {"to": "todo"}


def test_follow(person: Person) -> None:
    """`--follow` shows what is there and then what comes, until Ctrl-C."""
    fill(person)
    command = [sys.executable, "-u", "-m", "hermes_company", "events", "--follow", "--json", "--after", "2"]
    with subprocess.Popen([*command, "--root", str(person.here)], stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout
        first = json.loads(following.stdout.readline())
        EventLog(person.layout.events_file, SystemClock()).append("ticket.removed", ticket="TASK-1")
        second = json.loads(following.stdout.readline())
        following.send_signal(2)
        until(lambda: following.poll() is not None, what="end after Ctrl-C")

    assert (first["seq"], second["seq"], following.returncode) == (3, 4, 130)


def test_an_empty_log(person: Person) -> None:
    """A company where nothing has happened yet has no events."""
    assert person.ok("events").out == ""
