"""Which ticket goes first, and which agent one without an owner goes to."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket


def fits(ticket: Ticket, agent: Agent) -> bool:
    """Whether the agent's skills cover the ticket's."""
    return {s.casefold() for s in ticket.skills} <= {s.casefold() for s in agent.skills}


def best_first(ticket: Ticket, agents: Iterable[Agent]) -> list[Agent]:
    """The agents that fit: fewest skills beyond those asked for, then by name."""
    return sorted((a for a in agents if fits(ticket, a)), key=lambda a: (len(a.skills) - len(ticket.skills), a.name))


# A sort key: priority, moment, id.
Turn = tuple[int, datetime, str]
_NEVER = datetime.max.replace(tzinfo=UTC)


def turn(ticket: Ticket, now: datetime, ageing_hours: float) -> Turn:
    """The sort key of waiting tickets: most urgent first, then oldest, then by id.

    A ticket that waits long rises by one priority for each `ageing_hours`, so that low ones are not starved.
    """
    rank = ticket.priority.rank
    if ticket.created and ageing_hours:
        waited = max(0.0, (now - ticket.created).total_seconds() / 3_600)
        rank = max(0, rank - int(waited / ageing_hours))
    return rank, ticket.created or _NEVER, ticket.id
