"""Where agents are to work: what is asked before anything is started there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.workdir import workdir_of
from hermes_company.errors import Refusal
from hermes_company.ports.board import TicketGone

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.domain.agent import Agent


def folders_of(company: Company, agent: Agent) -> list[Path]:
    """Where the agent is to work: its outbox, for tickets without a workdir, and what its tickets name."""
    found = [company.layout.outbox_root / agent.name]
    for ticket, state in company.board.view(fresh=True).states.items():
        if state not in (State.TODO, State.DOING, State.BLOCKED):
            continue
        try:
            content = company.board.read(ticket, state)
            path = workdir_of(content, company.places) if isinstance(content, Ticket) and content.owner == agent.name else None
        except (TicketGone, Refusal):
            continue
        if path and Path(path) not in found:
            found.append(Path(path))
    return found
