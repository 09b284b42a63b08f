"""Several agents, and what their engines ask beforehand."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Founded
from tests.support.e2e import House
from tests.support.e2e_work import GATE, Chore

pytestmark = pytest.mark.timeout(300)


def test_two_agents_at_once(founded: Founded) -> None:
    """Claude Code and Codex work side by side, each in its own window, on its own ticket; both tickets reach review."""
    work = [Chore("A", (GATE,), "## Steps\n\n- by claude\n"), Chore("B", (GATE,), "## Steps\n\n- by codex\n")]
    with founded({"ann": "claude-code", "bob": "codex"}, work) as (house, _):
        house.run()
        house.drop("A", "---\nowner: ann\n---\n# One\n")
        house.drop("B", "---\nowner: bob\n---\n# Other\n")
        for ticket, agent in (("A", "ann"), ("B", "bob")):
            house.wait((house.layout.outbox(agent, ticket) / "gate").exists, f"{agent} at work")
        panes = house.panes()
        for ticket, agent in (("A", "ann"), ("B", "bob")):
            assert panes[f"agent_{agent}"].pid == house.record(ticket, name="started.json")["pid"]
            house.open_gate(ticket, agent)

        closed = [house.event("attempt.closed", ticket, outcome="finished") for ticket in "AB"]
        started = [house.event("attempt.started", ticket) for ticket in "AB"]
        assert max(event["at"] for event in started) < min(event["at"] for event in closed)
        assert {start["data"]["window"] for start in started} == {"agent_ann", "agent_bob"}
        assert [_summary(house, ticket, agent) for ticket, agent in (("A", "ann"), ("B", "bob"))] == [
            "## Steps\n\n- by claude\n",
            "## Steps\n\n- by codex\n",
        ]


def _summary(house: House, ticket: str, agent: str) -> str:
    return (house.layout.outbox(agent, ticket) / "summary.md").read_text()
