"""The company's agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hermes_company.domain.agent import Agent, AgentStatus, UnreadableAgent


class AgentBook(Protocol):
    """`agents/<name>`."""

    def all(self) -> Mapping[str, Agent | UnreadableAgent]:
        """Every agent folder by name, read now (or unchanged since)."""

    def report(self, agent: Agent, status: AgentStatus, *, current: str | None, heartbeat: str | None) -> None:
        """Write `runtime.json` when its content changes. `heartbeat` is ISO 8601 UTC."""
