"""Which agent a ticket without an owner goes to."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket


def fits(ticket: Ticket, agent: Agent) -> bool:
    """Whether the agent's skills cover the ticket's."""
    return {s.casefold() for s in ticket.skills} <= {s.casefold() for s in agent.skills}


def best_first(ticket: Ticket, agents: Iterable[Agent]) -> list[Agent]:
    """The agents that fit: fewest skills beyond those asked for, then by name."""
    return sorted((a for a in agents if fits(ticket, a)), key=lambda a: (len(a.skills) - len(ticket.skills), a.name))
