"""Prompts that say what they were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket
from hermes_company.ports.prompts import RenderedPrompt


@dataclass(slots=True)
class FakePrompts:
    """`Prompts` that records each request."""

    rendered: list[tuple[str, int, str | None]] = field(default_factory=list)

    def render(
        self,
        ticket: Ticket,
        agent: Agent,
        *,
        attempt: int,
        token: str,
        workdir: Path,
        outbox: Path,
        runner: str,
        feedback: str | None = None,
        previous_summary: Path | None = None,
    ) -> RenderedPrompt:
        """See `Prompts.render`."""
        self.rendered.append((ticket.id, attempt, feedback))
        return RenderedPrompt(text=f"do {ticket.id} in {workdir}\n{feedback or ''}")

    def render_feedback(
        self,
        ticket: Ticket,
        agent: Agent,
        *,
        attempt: int,
        token: str,
        workdir: Path,
        outbox: Path,
        feedback: str,
        previous_summary: Path | None = None,
    ) -> RenderedPrompt:
        """See `Prompts.render_feedback`."""
        self.rendered.append((ticket.id, attempt, feedback))
        return RenderedPrompt(text=f"again {ticket.id}: {feedback}")
