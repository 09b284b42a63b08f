"""Agents without folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hermes_company.domain.agent import Agent, AgentStatus, UnreadableAgent


@dataclass(slots=True)
class FakeAgents:
    """`AgentBook` in memory; remembers what was reported last."""

    book: dict[str, Agent | UnreadableAgent] = field(default_factory=dict)
    reported: dict[str, tuple[AgentStatus, str | None]] = field(default_factory=dict)

    def all(self) -> Mapping[str, Agent | UnreadableAgent]:
        """See `AgentBook.all`."""
        return dict(self.book)

    def report(self, agent: Agent, status: AgentStatus, *, current: str | None, heartbeat: str | None) -> None:
        """See `AgentBook.report`."""
        self.reported[agent.name] = (status, current)
