"""An agent's folder that is broken, gone or not ours to write: the others go on."""

from __future__ import annotations

import logging
import shutil

import pytest

from hermes_company.domain.agent import Agent, AgentStatus
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State
from hermes_company.folders.agent_files import AgentFiles
from tests.support.person import Person


def test_a_runtime_file_that_cannot_be_written_holds_nobody_up(person: Person) -> None:
    """Where `runtime.json` is a folder, that agent's tickets and everybody else's are started as ever."""
    person.ok("agent", "add", "bob", "--engine", "shell")
    (person.layout.runtime_json("worker") / "x").mkdir(parents=True)
    for agent in ("worker", "bob"):
        person.ok("task", "new", "one", "--owner", agent, "--file", "-", stdin="```sh\nsleep 600\n```\n")
    person.ok("run", "--once", "--plain")

    assert [person.where(f"TASK-00{number}") for number in (1, 2)] == [State.DOING, State.DOING]
    assert '"status": "busy"' in person.layout.runtime_json("bob").read_text()


def test_what_cannot_be_written_is_told_once(person: Person, caplog: pytest.LogCaptureFixture) -> None:
    """It stands in the log when it happens, not again at every look."""
    (person.layout.runtime_json("worker") / "x").mkdir(parents=True)
    book = AgentFiles(person.layout, Settings())
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            book.report(Agent(name="worker", engine="shell"), AgentStatus.IDLE, current=None, heartbeat=None)

    assert len(caplog.records) == 1
    assert "runtime.json is not written" in caplog.text


def test_an_agent_that_is_gone_stops_only_its_own_tickets(person: Person) -> None:
    """Its folder deleted, its tickets wait with the reason, and the others' are started."""
    person.ok("agent", "add", "bob", "--engine", "shell")
    for agent in ("worker", "bob"):
        person.ok("task", "new", "one", "--owner", agent, "--file", "-", stdin="```sh\nsleep 600\n```\n")
    shutil.rmtree(person.layout.agent("worker"))
    person.ok("run", "--once", "--plain")

    assert [person.where(f"TASK-00{number}") for number in (1, 2)] == [State.TODO, State.DOING]
    assert person.ok("why", "TASK-001", "--json").json["code"] == "owner-unknown"
