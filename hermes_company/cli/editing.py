"""Changing what a ticket's front matter says: checked as a new ticket is, and only as far as it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hermes_company.cli.acts import Did, rewrite, where
from hermes_company.cli.new_ticket import check_needs, check_owner, check_workdir
from hermes_company.domain.ticket import Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.ticket_edit import with_fields
from hermes_company.folders.ticket_file import parse_ticket
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

# What has to be looked at when a key changes.
_CHECKS: dict[str, Callable[[Company, Ticket], tuple[Text, ...]]] = {
    "owner": check_owner,
    "skills": check_owner,
    "workdir": check_workdir,
    "project": check_workdir,
    "needs": check_needs,
}


def edit(company: Company, ticket: str, changes: Mapping[str, object]) -> Did:
    """Set these front matter keys; an empty value takes a key out. Every other byte stays.

    Raises:
        Refusal: `ticket-runs`, what the checks refuse, or see `rewrite`.
    """
    seen, _ = where(company, ticket)
    running = seen.running.get(ticket)
    warnings: list[Text] = []

    def change(raw: bytes) -> bytes:
        changed = with_fields(raw, changes)
        if changed != raw:
            draft = parse_ticket(ticket, changed)
            if running and "owner" in changes and draft.owner not in (None, running.agent):
                raise _runs(ticket, running.agent)
            for check in dict.fromkeys(_CHECKS[key] for key in changes if key in _CHECKS):
                warnings.extend(check(company, draft))
        return changed

    if not rewrite(company, ticket, change):
        return Did(False, say("{ticket} says that already.", ticket=ticket))
    says = say("{ticket}: changed {keys}.", ticket=ticket, keys=", ".join(changes))
    if running:
        says = say("{says} The run that is under way keeps what it was told.", says=says)
    return Did(True, says, tuple(warnings))


def reassign(company: Company, ticket: str, agent: str) -> Did:
    """Give the ticket to another agent.

    Raises:
        Refusal: see `edit`.
    """
    did = edit(company, ticket, {"owner": agent})
    if not did.changed:
        return Did(False, say("{ticket} is for {agent} already.", ticket=ticket, agent=agent))
    return Did(True, say("{ticket} is for {agent} now.", ticket=ticket, agent=agent), did.warnings)


def _runs(ticket: str, agent: str) -> Refusal:
    return Refusal(
        "ticket-runs",
        fact=say("{agent} is at work on {ticket}.", agent=agent, ticket=ticket),
        cause=say("It would go on with it, whoever the ticket is for."),
        remedy=say("End the run first: `hc task stop {ticket}`.", ticket=ticket),
    )
