"""`hc memory`: what the company has learned."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door, Ended
from hermes_company.cli.words import columns
from hermes_company.userspace.memory.note import Kind, Status
from hermes_company.wording import say

app = Commands()

_Ids = Annotated[list[str], Argument(metavar="NOTE…", help="One or more ids, as `list` shows them.")]
_Limit = Annotated[int, Option("--limit", help="At most so many.")]


@command(app, "list", help="Show the notes, the newest first.", shows=True)
def list_notes(
    door: Door,
    agent: Annotated[str, Option("--agent", metavar="AGENT", help="Only those of one agent.")] = "",
    kind: Annotated[Kind | None, Option("--kind", help="Only those of one kind.")] = None,
    status: Annotated[Status | None, Option("--status", help="Only those that stand like that.")] = None,
) -> None:
    """One line a note; files that are none are named."""
    from hermes_company.cli.curating import note_json, note_rows
    from hermes_company.userspace.memory.curation import list_notes as look

    notes, findings = look(door.company.notes, agent=agent or None, kind=kind, status=status)
    if door.as_json:
        passed_over = [{"path": found.path, "problem": found.problem.in_lang("en")} for found in findings]
        door.json({"notes": [note_json(note) for note in notes], "passed_over": passed_over})
        return
    for line in columns(note_rows(notes), most=door.columns, indent=0):
        door.line(line)
    if not notes:
        door.tell(say("There are no such notes."))
    for found in findings:
        door.warn(say("{path} was passed over: {problem}", path=found.path, problem=found.problem))


@command(app, "search", help="Search everything that was learned, approved or not.", shows=True)
def search(
    door: Door,
    text: Annotated[str, Argument(metavar="TEXT", help="What it has to do with.")],
    limit: _Limit = 10,
) -> None:
    """Best first."""
    from hermes_company.cli.remembering import found_rows, judged_json

    found = door.company.retriever.search(text, limit=limit)
    if door.as_json:
        door.json([judged_json(judged) for judged in found])
        return
    for line in columns(found_rows(found), most=door.columns, indent=0):
        door.line(line)
    if not found:
        door.tell(say("Nothing that was learned has to do with it."))


@command(app, "explain", help="Say what a ticket's agent would be told, and why the rest is left out.", shows=True)
def explain(
    door: Door,
    ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")],
    agent: Annotated[str, Option("--agent", metavar="AGENT", help="For whom; else who has or would get it.")] = "",
) -> None:
    """The same judgement as for the prompt."""
    from hermes_company.cli.remembering import explained, found_rows, judged_json

    judged = explained(door.company, ticket, agent)
    if door.as_json:
        door.json([judged_json(item) for item in judged])
        return
    for line in columns(found_rows(judged, verdicts=True), most=door.columns, indent=0):
        door.line(line)
    if not judged:
        door.tell(say("Nothing that was learned has to do with it."))


@command(app, "blame", help="Say that notes misled an agent in a ticket: they are shown less.")
def blame(
    door: Door,
    notes: _Ids,
    ticket: Annotated[str, Option("--ticket", metavar="TICKET", help="In which ticket.")],
) -> None:
    """Counted once a ticket."""
    from hermes_company.cli.acts import where
    from hermes_company.cli.curating import record, require_notes
    from hermes_company.userspace.memory.curation import blame as act

    where(door.company, ticket)
    require_notes(door.company, notes)
    for note in act(door.company.notes, notes, ticket):
        door.tell(say("{id} is blamed in {ticket}.", id=note.id, ticket=ticket))
    record(door, f"memory: blame {' '.join(notes)} in {ticket}")


@command(app, "quarantine", help="Hold notes back: no agent is told them.")
def quarantine(door: Door, notes: _Ids) -> None:
    """Until they are released."""
    from hermes_company.cli.curating import record, require_notes
    from hermes_company.userspace.memory.curation import quarantine as act

    require_notes(door.company, notes)
    for note_id in notes:
        act(door.company.notes, note_id)
        door.tell(say("{id} is held back.", id=note_id))
    record(door, f"memory: quarantine {' '.join(notes)}")


@command(app, "release", help="Say that you have read notes and that agents may be told them.")
def release(door: Door, notes: _Ids) -> None:
    """Whatever their status was."""
    from hermes_company.cli.curating import record, require_notes
    from hermes_company.userspace.memory.curation import release as act

    require_notes(door.company, notes)
    for note_id in notes:
        act(door.company.notes, note_id)
        door.tell(say("{id} may be told.", id=note_id))
    record(door, f"memory: release {' '.join(notes)}")


@command(app, "purge", help="Delete what a ticket taught; what others taught too stays.")
def purge(
    door: Door,
    ticket: Annotated[str, Argument(metavar="TICKET", help="The ticket's id.")],
    yes: Annotated[bool, Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Git still has it."""
    from hermes_company.cli.curating import record
    from hermes_company.userspace.memory.curation import purge as act

    if not (yes or door.ask(say("Delete the notes that only {ticket} taught?", ticket=ticket))):
        raise Ended(1)
    deleted = act(door.company.notes, ticket)
    for path in deleted:
        door.tell(say("{path} is deleted.", path=path))
    if not deleted:
        door.tell(say("Nothing is deleted: no note comes from {ticket} alone.", ticket=ticket))
    record(door, f"memory: purge {ticket}")


@command(app, "log", help="Show what changed memory and skills, the newest first.", shows=True)
def log(door: Door, limit: _Limit = 20) -> None:
    """One line a commit."""
    history = door.company.history
    changes = history.log(limit)
    if door.as_json:
        door.json([asdict(change) for change in changes])
        return
    rows = [(change.commit[:12], change.at, change.author, change.subject) for change in changes]
    for line in columns(rows, most=door.columns, indent=0):
        door.line(line)
    if not history.recording():
        door.warn(say("The company is no git repository of its own: only the latest changes are kept, as copies."))
    elif not changes:
        door.tell(say("Nothing was changed yet."))


@command(app, "diff", help="Show what a commit changed in memory and skills.")
def diff(door: Door, commit: Annotated[str, Argument(metavar="COMMIT", help="As `log` shows it.")]) -> None:
    """A patch."""
    door.line(door.company.history.diff(commit).rstrip("\n"))


@command(app, "revert", help="Undo what a commit changed, or the last change of a note.")
def revert(
    door: Door,
    target: Annotated[str, Argument(metavar="COMMIT|NOTE", help="A commit as `log` shows it, or a note's id.")],
) -> None:
    """A commit of its own: nothing is lost by it."""
    done = door.company.history.revert(target)
    door.company.protection.vouch((door.company.layout.skills,))
    door.tell(say("Undone by {commit}. `hc memory revert {commit}` takes that back.", commit=done[:12]))
