"""Making a ticket: whatever can be known to be wrong is refused before anything is written."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.consents import usable_agent
from hermes_company.domain.agent import Agent
from hermes_company.domain.matching import best_first
from hermes_company.domain.names import is_ticket_id
from hermes_company.domain.readiness import judge
from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.workdir import missing_workdir, workdir_of
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.ticket_file import parse_ticket, render_ticket
from hermes_company.ports.board import PlaceTaken
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_NUMBERED = re.compile(r"TASK-(\d{1,9})", re.IGNORECASE)
_MOST_BODY_BYTES = 900_000


def read_body(file: str, cwd: Path) -> str:
    """The ticket's text from a file, or from standard input (`-`).

    Raises:
        Refusal: `brief-unreadable`.
    """
    try:
        raw = sys.stdin.buffer.read(_MOST_BODY_BYTES + 1) if file == "-" else _head(cwd / Path(file).expanduser())
        if len(raw) > _MOST_BODY_BYTES:
            raise _unreadable(file, say("it is larger than {limit} bytes", limit=_MOST_BODY_BYTES))
        return raw.decode("utf-8-sig")
    except OSError as problem:
        raise _unreadable(file, say("{problem}", problem=problem.strerror or str(problem))) from None
    except UnicodeDecodeError:
        raise _unreadable(file, say("it is not UTF-8 text")) from None


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BODY_BYTES + 1)


def _unreadable(file: str, reason: Text) -> Refusal:
    return Refusal(
        "brief-unreadable",
        fact=say("{file} was not read: {reason}.", file=file, reason=reason),
        cause=say("The ticket would say nothing."),
        remedy=say("Name a UTF-8 text file, or `-` for standard input."),
    )


def make_ticket(
    company: Company, fields: Mapping[str, object], body: str, *, ticket_id: str, cwd: Path
) -> tuple[Path, tuple[Text, ...]]:
    """Write the ticket into `todo`.

    Args:
        fields: its front matter in order; a relative workdir counts from `cwd`.
        ticket_id: the wanted id; empty for the next free TASK-NNN.

    Returns:
        Its file, and what the person should know about it.

    Raises:
        Refusal: the first thing that is wrong with it.
    """
    who = company.environ.get("USER") or company.environ.get("LOGNAME") or "person"
    now = company.clock.now().astimezone().isoformat(timespec="seconds")
    whole = {**fields, "workdir": absolute(str(fields["workdir"]), cwd), "created": now, "created_by": who}
    raw = render_ticket(whole, body or f"# {fields['title']}")
    draft = parse_ticket(ticket_id or "TASK-new", raw)
    warnings = check_owner(company, draft)
    check_workdir(company, draft)
    check_needs(company, draft)
    if ticket_id:
        return _create(company, _reserved(company, ticket_id), raw), warnings
    while True:
        with suppress(FileExistsError, PlaceTaken):
            return _create(company, _next_free(company.layout), raw), warnings


def absolute(workdir: str, cwd: Path) -> str:
    """A workdir as it stands in a ticket: what is relative counts from where the person stands."""
    return str((cwd / Path(workdir).expanduser()).resolve()) if workdir else ""


def check_owner(company: Company, draft: Ticket) -> tuple[Text, ...]:
    """Whether somebody can do it. What may come right by itself is only told.

    Raises:
        Refusal: `agent-unknown`, the profile's own problem, `engine-unknown`.
    """
    if not draft.owner:
        if not draft.skills or best_first(draft, [a for a in company.agents.all().values() if isinstance(a, Agent)]):
            return ()
        return (say("No agent has all of these skills: {skills}.", skills=", ".join(draft.skills)),)
    agent = usable_agent(company, draft.owner)
    problem = company.engines[agent.engine].check(company.sight.engine_settings(agent.engine), company.environ).refusal
    return (say("{fact} {remedy}", fact=problem.fact, remedy=problem.remedy),) if problem else ()


def check_workdir(company: Company, draft: Ticket) -> tuple[Text, ...]:
    """Whether its folder is there.

    Raises:
        Refusal: `workdir-missing`, `workdir-ambiguous`, `project-unknown`.
    """
    path = workdir_of(draft, company.places)
    if path is not None and not Path(path).is_dir():
        raise missing_workdir(draft.id, path)
    return ()


def check_needs(company: Company, draft: Ticket) -> tuple[Text, ...]:
    """Whether what it waits for can ever be done.

    Raises:
        Refusal: `need-unknown`, `need-circle`.
    """
    view = company.board.view(fresh=True)
    facts = company.assessor.facts(view, ())
    facts = replace(
        facts,
        states={**view.states, draft.id: State.TODO},
        needs={**facts.needs, draft.id: draft.needs},
        conflicts={},
        unsettled={},
    )
    verdict = judge(replace(draft, hold=False, not_before=None), facts)
    if verdict.code in ("need-unknown", "need-circle"):
        raise Refusal(verdict.code, fact=verdict.reason, cause=say("It would wait for ever."), remedy=verdict.remedy)
    return ()


def _next_free(layout: Layout) -> str:
    """Reserve the number after the highest one that any ticket has or ever had a run under.

    Raises:
        FileExistsError: somebody else was faster.
    """
    names = [path.stem for state in State for path in _entries(layout.state(state))]
    names += [path.name for path in _entries(layout.runs)]
    used = [int(found.group(1)) for name in names if (found := _NUMBERED.fullmatch(name))]
    ticket = f"TASK-{max(used, default=0) + 1:03}"
    _reserve(layout, ticket)
    return ticket


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _reserve(layout: Layout, ticket: str) -> None:
    # The folder of its runs is made anyway once it is claimed; making it is what only one of several can do.
    layout.runs.mkdir(parents=True, exist_ok=True, mode=0o700)
    layout.ticket_runs(ticket).mkdir(mode=0o700)


def _reserved(company: Company, ticket: str) -> str:
    """The id that a person wants, if it is free.

    Raises:
        Refusal: `ticket-bad-name`, `ticket-id-taken`.
    """
    if not is_ticket_id(ticket):
        raise Refusal(
            "ticket-bad-name",
            fact=say("{ticket} can't be a ticket's id.", ticket=repr(ticket)),
            cause=say("It becomes the name of a file."),
            remedy=say("Take letters, digits, `_`, `-` and `.` only, at most 80, e.g. TASK-042."),
        )
    view = company.board.view(fresh=True)
    taken = {word.casefold() for word in (*view.states, *view.conflicts)}
    with suppress(FileExistsError):
        if ticket.casefold() not in taken:
            _reserve(company.layout, ticket)
            return ticket
    raise _taken(ticket)


def _create(company: Company, ticket: str, raw: bytes) -> Path:
    try:
        return company.board.create(ticket, raw)
    except BaseException:
        company.layout.ticket_runs(ticket).rmdir()
        raise


def _taken(ticket: str) -> Refusal:
    return Refusal(
        "ticket-id-taken",
        fact=say("There is or was a ticket {ticket}.", ticket=ticket),
        cause=say("Its attempts and what it left would be taken for the new one's."),
        remedy=say("Take another id, or leave --id away."),
    )
