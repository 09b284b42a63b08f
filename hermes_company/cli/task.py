"""`hc task`: making tickets, looking at them, and what a person may do to them."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door, bad_usage
from hermes_company.cli.words import columns, listed
from hermes_company.domain.ticket import Approval, Priority, State
from hermes_company.wording import say

app = Commands()

_Id = Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")]
_Ids = Annotated[list[str], Argument(metavar="TICKET…", help="One or more ids.")]


@command(app, "new", help="Make a ticket in tasks/todo.", shows=True)
def new(
    door: Door,
    title: Annotated[str, Argument(metavar="TITLE", help="What is to be done, in one line.")],
    owner: Annotated[str, Option("--owner", metavar="AGENT", help="Who does it; else whoever has the skills.")] = "",
    workdir: Annotated[str, Option("--workdir", metavar="FOLDER", help="Where; else in a folder of its own.")] = "",
    project: Annotated[str, Option("--project", help="Where, by a name from company.yaml.")] = "",
    priority: Annotated[Priority, Option("--priority", help="What goes first.")] = Priority.NORMAL,
    needs: Annotated[str, Option("--needs", metavar="ID,ID", help="Tickets that must be done before.")] = "",
    skills: Annotated[str, Option("--skills", metavar="A,B", help="Skills that its agent must have.")] = "",
    skill_pack: Annotated[str, Option("--skill-pack", metavar="A,B", help="Company skills to work by.")] = "",
    timeout_minutes: Annotated[float | None, Option("--timeout-minutes", help="Time limit of one attempt.")] = None,
    hold: Annotated[bool, Option("--hold", help="Not to start until it is released.")] = False,
    approve: Annotated[bool, Option("--approve", help="Not to start until a person approves it (`hc approve`).")] = False,
    not_before: Annotated[str, Option("--not-before", metavar="TIME", help="Not earlier, e.g. 2026-05-01T09:00.")] = "",
    expects: Annotated[str, Option("--expects", metavar="FILE,…", help="Files that must be handed in.")] = "",
    file: Annotated[str, Option("--file", metavar="FILE", help="The ticket's text; `-` reads standard input.")] = "",
    ticket_id: Annotated[str, Option("--id", metavar="ID", help="Its id, else the next free TASK-NNN.")] = "",
) -> None:
    """Everything that can be known to be wrong is refused now."""
    from hermes_company.cli.new_ticket import make_ticket, read_body
    from hermes_company.cli.seeing import explain, look, why_json
    from hermes_company.folders.watch import ring

    fields = {
        "title": title,
        "owner": owner,
        "priority": priority.value if priority is not Priority.NORMAL else "",
        "needs": listed(needs),
        "skills": listed(skills),
        "skill_pack": listed(skill_pack),
        "workdir": workdir,
        "project": project,
        "timeout_minutes": f"{timeout_minutes:g}" if timeout_minutes is not None else "",
        "hold": hold or "",
        "approve": Approval.BEFORE.value if approve else "",
        "not_before": not_before,
        "expects": listed(expects),
    }
    body = read_body(file, door.cwd) if file else ""
    path, warnings = make_ticket(door.company, fields, body, ticket_id=ticket_id, cwd=door.cwd)
    ring(door.company.layout.doorbell)
    for warning in warnings:
        door.warn(warning)
    why = explain(door.company, look(door.company), path.stem)
    if door.as_json:
        door.json({"file": str(path), **why_json(why)})
        return
    door.line(f"{path.stem}  {path.relative_to(door.company.layout.root)}")
    door.line(f"  {door.words(why.reason, why.remedy)}")


@command(app, "list", help="Show the tickets that are not done yet.", shows=True)
def list_tasks(
    door: Door,
    state: Annotated[State | None, Option("--state", help="Only those in that folder.")] = None,
) -> None:
    """One line a ticket."""
    from hermes_company.cli.seeing import look, troubles, why_json
    from hermes_company.cli.tickets import list_rows, row_json

    seen = look(door.company)
    chosen = (state,) if state else tuple(s for s in State if s is not State.DONE)
    rows = list(list_rows(door.company, seen, chosen))
    wrong = troubles(seen) if state is None else []
    if door.as_json:
        door.json({"tickets": [row_json(row) for row in rows], "unreadable": [why_json(why) for why in wrong]})
        return
    table = [(row.id, row.state.value, row.priority, row.agent, row.title) for row in rows]
    for line in columns(table, most=door.columns, indent=0):
        door.line(line)
    if not rows:
        door.tell(say("No tickets."))
    if wrong:
        door.warn(say("{count} files can't be used as tickets; `hc status` names them.", count=len(wrong)))
    done = len(seen.tickets(State.DONE))
    if state is None and done:
        door.tell(say("Done: {count}. `hc task list --state done` shows them.", count=done))


@command(app, "show", help="Show a ticket, its attempts, and where the files are.", shows=True)
def show(door: Door, ticket: _Id) -> None:
    """One ticket."""
    from hermes_company.cli.tickets import show_json, show_lines

    if door.as_json:
        door.json(show_json(door.company, ticket))
        return
    for line in show_lines(door.company, ticket, door.lang, door.columns):
        door.line(line)


@command(app, "stop", help="End the run of a ticket; it goes to blocked.", shows=True)
def stop(
    door: Door,
    tickets: _Ids,
    message: Annotated[str, Option("--message", "-m", help="Why; it is kept with the attempt.")] = "",
) -> None:
    """Ask the loop to end what runs."""
    from hermes_company.cli.acts import each, stop_run

    each(door, tickets, lambda ticket: stop_run(door.company, ticket, message))


@command(app, "retry", help="Queue a blocked ticket again, or don't wait for its pause to end.", shows=True)
def retry(door: Door, tickets: _Ids) -> None:
    """Earlier failures are forgiven."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.acts import retry as act

    each(door, tickets, lambda ticket: act(door.company, ticket))


@command(app, "hold", help="Keep a ticket from being started.", shows=True)
def hold(door: Door, tickets: _Ids) -> None:
    """Set `hold: true`."""
    from hermes_company.cli.acts import each, set_hold

    each(door, tickets, lambda ticket: set_hold(door.company, ticket, held=True))


@command(app, "release", help="Let a held ticket be started.", shows=True)
def release(door: Door, tickets: _Ids) -> None:
    """Take `hold:` out."""
    from hermes_company.cli.acts import each, set_hold

    each(door, tickets, lambda ticket: set_hold(door.company, ticket, held=False))


@command(app, "edit", help="Change what a ticket says of itself; an empty value takes it out.", shows=True)
def edit(
    door: Door,
    tickets: _Ids,
    title: Annotated[str | None, Option("--title", help="What is to be done, in one line.")] = None,
    owner: Annotated[str | None, Option("--owner", metavar="AGENT", help="Who does it; else whoever has the skills.")] = None,
    workdir: Annotated[str | None, Option("--workdir", metavar="FOLDER", help="Where; else in a folder of its own.")] = None,
    project: Annotated[str | None, Option("--project", help="Where, by a name from company.yaml.")] = None,
    priority: Annotated[Priority | None, Option("--priority", help="What goes first.")] = None,
    needs: Annotated[str | None, Option("--needs", metavar="ID,ID", help="Tickets that must be done before.")] = None,
    skills: Annotated[str | None, Option("--skills", metavar="A,B", help="Skills that its agent must have.")] = None,
    skill_pack: Annotated[str | None, Option("--skill-pack", metavar="A,B", help="Company skills to work by.")] = None,
    timeout_minutes: Annotated[
        str | None, Option("--timeout-minutes", metavar="MINUTES", help="Time limit of one attempt.")
    ] = None,
    not_before: Annotated[
        str | None, Option("--not-before", metavar="TIME", help="Not earlier, e.g. 2026-05-01T09:00.")
    ] = None,
    expects: Annotated[str | None, Option("--expects", metavar="FILE,…", help="Files that must be handed in.")] = None,
) -> None:
    """Single front matter keys; every other byte stays."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.editing import edit as act
    from hermes_company.cli.new_ticket import absolute

    given = {
        "title": title,
        "owner": owner,
        "workdir": None if workdir is None else absolute(workdir, door.cwd),
        "project": project,
        "priority": None if priority is None else priority.value,
        "needs": None if needs is None else listed(needs),
        "skills": None if skills is None else listed(skills),
        "skill_pack": None if skill_pack is None else listed(skill_pack),
        "timeout_minutes": timeout_minutes,
        "not_before": not_before,
        "expects": None if expects is None else listed(expects),
    }
    changes = {key: value for key, value in given.items() if value is not None}
    if not changes:
        raise bad_usage(say("Say what is to be changed, e.g. --priority high."), "hc task edit")
    each(door, tickets, lambda ticket: act(door.company, ticket, changes))


@command(app, "reassign", help="Give tickets to another agent.", shows=True)
def reassign(
    door: Door,
    tickets: _Ids,
    to: Annotated[str, Option("--to", metavar="AGENT", help="Who does it from now on.")],
) -> None:
    """Change `owner:`."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.editing import reassign as act

    each(door, tickets, lambda ticket: act(door.company, ticket, to))


@command(app, "cancel", help="Park a ticket in blocked; what runs is ended.", shows=True)
def cancel(door: Door, tickets: _Ids) -> None:
    """Nothing of it is deleted."""
    from hermes_company.cli.acts import cancel as act
    from hermes_company.cli.acts import each

    each(door, tickets, lambda ticket: act(door.company, ticket))
