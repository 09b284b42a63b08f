"""`hc engine`: what can start, and how to end a pause."""

from __future__ import annotations

from datetime import timedelta

from hermes_company.domain.breaker import EngineNote
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.system_clock import SystemClock
from tests.support.person import Person


def _pause(person: Person) -> RunFiles:
    runs = RunFiles(Layout(person.here))
    until = SystemClock().now() + timedelta(minutes=5)
    runs.remember_engine("shell", EngineNote(failures=("x",) * 3, tickets=("A", "B", "C"), opened=1, until=until, reason="x"))
    return runs


def test_a_paused_engine_is_named_with_its_end_and_the_way_out(person: Person) -> None:
    """`list` and `why` say until when, and how to go on at once."""
    _pause(person)
    person.ok("task", "new", "sweep", "--owner", "worker")

    assert "is paused until" in person.ok("engine", "list").out
    assert "hc engine resume shell" in person.ok("why", "TASK-001").out
    listed = {row["engine"]: row["problem"] for row in person.ok("engine", "list", "--json").json}
    assert listed["shell"]["code"] == "engine-paused"


def test_resume_ends_the_pause_and_may_be_repeated(person: Person) -> None:
    """After `resume` the engine is as one that never failed; saying it again changes nothing."""
    runs = _pause(person)

    assert person.ok("engine", "resume", "shell").lines == ["shell may start again."]
    assert runs.engine("shell") == EngineNote()
    assert person.ok("engine", "resume", "shell").lines == ["shell was not paused."]


def test_an_unknown_engine_is_refused_with_a_guess(person: Person) -> None:
    """A misspelt name changes nothing and is answered with the nearest one."""
    answer = person.hc("engine", "resume", "shel")

    assert answer.status != 0
    assert "shell" in answer.err
