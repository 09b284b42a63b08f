"""Memory as lists: what was found, and why it is shown to an agent or not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.acts import last_attempt, where
from hermes_company.cli.consents import usable_agent
from hermes_company.domain.agent import Agent
from hermes_company.domain.matching import best_first
from hermes_company.domain.ticket import Ticket
from hermes_company.domain.workdir import workdir_of
from hermes_company.errors import Refusal
from hermes_company.userspace.memory.retriever import Judged
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


def explained(company: Company, ticket_id: str, agent_name: str) -> list[Judged]:
    """Every note that has to do with the ticket, best first, as its prompt would judge them.

    Raises:
        Refusal: `ticket-unknown`, the ticket's or the agent's own problem, `nobody-fits`.
    """
    _, state = where(company, ticket_id)
    ticket = company.board.read(ticket_id, state)
    if not isinstance(ticket, Ticket):
        raise Refusal(ticket.code, fact=ticket.reason, cause=say("The ticket can't be read."), remedy=ticket.remedy)
    agent = _agent(company, ticket, agent_name)
    workdir = workdir_of(ticket, company.places) or str(company.outbox.folder(agent.name, ticket.id))
    return company.retriever.explain(ticket, agent, project=company.prompts.project_of(ticket, Path(workdir)))


def _agent(company: Company, ticket: Ticket, name: str) -> Agent:
    """Who is told: the one that is named, who has worked on it, or who would get it."""
    run = last_attempt(company, ticket.id)
    chosen = name or ticket.owner or (run.agent if run else "")
    if chosen:
        return usable_agent(company, chosen)
    fitting = best_first(ticket, [agent for agent in company.agents.all().values() if isinstance(agent, Agent)])
    if not fitting:
        raise Refusal(
            "nobody-fits",
            fact=say("No agent has all of these skills: {skills}.", skills=", ".join(ticket.skills)),
            cause=say("What is told depends on who is told."),
            remedy=say("Name one with --agent."),
        )
    return fitting[0]


def found_rows(found: Sequence[Judged], *, verdicts: bool = False) -> list[tuple[str, ...]]:
    """One row a note: its verdict or status, its id, whose it is, its title and the words in common."""
    return [
        (
            item.verdict.value if verdicts else item.entry.status.value,
            item.entry.id,
            item.entry.agent,
            item.entry.created or "",
            f"{item.entry.title}  ({', '.join(item.rating.terms[:6])})",
        )
        for item in found
    ]


def judged_json(item: Judged) -> dict[str, object]:
    """One note for `--json`."""
    return {
        "id": item.entry.id,
        "kind": item.entry.kind.value,
        "agent": item.entry.agent,
        "ticket": item.entry.ticket,
        "title": item.entry.title,
        "status": item.entry.status.value,
        "created": item.entry.created,
        "path": str(item.entry.path),
        "score": round(item.rating.score, 3),
        "terms": list(item.rating.terms),
        "verdict": item.verdict.value,
        "text": item.recalled.text if item.recalled else None,
    }
