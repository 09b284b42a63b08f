"""Where a ticket's work happens. A stated rule, never a guess.

`workdir:` as written (`~` is the home folder, a relative path counts from the company's root), or `project:` by its name in
company.yaml, or else the ticket's own empty outbox folder.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from hermes_company.domain.ticket import Ticket
from hermes_company.errors import Refusal
from hermes_company.wording import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Places:
    """What the rule needs to know of the machine."""

    root: str
    home: str
    projects: Mapping[str, str]


def workdir_of(ticket: Ticket, places: Places) -> str | None:
    """The absolute path as a string; None means the ticket's own outbox folder.

    Raises:
        Refusal: `workdir-ambiguous` (workdir and project both given), `project-unknown`.
    """
    if ticket.workdir and ticket.project:
        raise Refusal(
            "workdir-ambiguous",
            fact=say("{ticket} names both a workdir and a project.", ticket=ticket.id),
            cause=say("They could be two different folders."),
            remedy=say("Keep one of the two lines."),
        )
    if ticket.project:
        if ticket.project not in places.projects:
            raise Refusal(
                "project-unknown",
                fact=say("{ticket} names the project `{project}`.", ticket=ticket.id, project=ticket.project),
                cause=say("company.yaml has no such project."),
                remedy=say("Add it below `projects:` in company.yaml, or write `workdir:` with the folder itself."),
            )
        return _absolute(places.projects[ticket.project], places)
    return _absolute(ticket.workdir, places) if ticket.workdir else None


def _absolute(path: str, places: Places) -> str:
    if path == "~" or path.startswith("~/"):
        path = posixpath.join(places.home, path[2:])
    return posixpath.normpath(posixpath.join(places.root, path))


def missing_workdir(ticket: str, path: str) -> Refusal:
    """The refusal for a workdir that is not there."""
    return Refusal(
        "workdir-missing",
        fact=say("{ticket}: the workdir {path} is not a folder.", ticket=ticket, path=path),
        cause=say("The agent would work somewhere else."),
        remedy=say("Create the folder or correct `workdir:` in the ticket."),
    )
