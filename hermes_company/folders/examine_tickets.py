"""Tickets and agents that nothing will be done with until a person acts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hermes_company.domain.agent import UnreadableAgent
from hermes_company.domain.ticket import State, Unreadable
from hermes_company.folders.agent_files import AgentFiles
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.layout import Layout
from hermes_company.folders.leftovers import OUR_TEMPORARY
from hermes_company.ports.board import BoardView, TicketGone
from hermes_company.ports.doctor import Finding, Severity, well
from hermes_company.wording import Text, say

_MOST_NAMES = 5
# What `hc init`, git and file managers keep in any folder.
_EXPECTED = frozenset({".gitkeep", ".gitignore", ".DS_Store", "Thumbs.db", "desktop.ini"})


def check_tickets(layout: Layout, board: FolderBoard) -> Iterator[Finding]:
    """Files that are no tickets, and tickets that nobody can tell the place of."""
    view = board.view(fresh=True)
    problems = [*_conflicts(layout, view), *_unreadable(board, view), *_strangers(view)]
    yield from problems
    yield from _not_tickets(layout)
    for ticket in sorted(view.unsettled):
        yield well("ticket-settling", say("{ticket} was written a moment ago; it may start once it rests.", ticket=ticket))
    if not problems:
        yield well("tickets", say("Each of the {count} tickets can be read and lies in one folder.", count=len(view.states)))


def _conflicts(layout: Layout, view: BoardView) -> Iterator[Finding]:
    for places in sorted(set(view.conflicts.values())):
        yield _half_moved(layout.root, places) or Finding(
            code="ticket-twice",
            severity=Severity.BAD,
            seen=say("Several files have this name: {places}.", places=", ".join(places)),
            remedy=say("Keep one and rename or delete the others."),
        )


def _half_moved(root: Path, places: tuple[str, ...]) -> Finding | None:
    """A move that was interrupted where the file system has no rename that refuses to overwrite."""
    files = [(place, (root / place).stat(follow_symlinks=False)) for place in places]
    one_file = len({(info.st_dev, info.st_ino) for _, info in files}) == 1
    empty = [place for place, info in files if info.st_size == 0]
    if not one_file and len(empty) != 1:
        return None
    spare = places[0] if one_file else empty[0]
    return Finding(
        code="ticket-half-moved",
        severity=Severity.BAD,
        seen=say("A move was interrupted: {places} are one ticket.", places=", ".join(places)),
        remedy=say("Delete the spare name, nothing is lost by it: rm {place}", place=spare),
    )


def _unreadable(board: FolderBoard, view: BoardView) -> Iterator[Finding]:
    """What can't be read, in every folder but `done`: there nothing is read any more, and there may be very many."""
    contents = [*view.todo.values(), *view.doing.values()]
    for ticket, state in sorted(view.states.items()):
        if state in (State.BLOCKED, State.REVIEW):
            try:
                contents.append(board.read(ticket, state))
            except TicketGone:
                continue
    yield from (_as_finding(content, Severity.BAD) for content in contents if isinstance(content, Unreadable))


def _strangers(view: BoardView) -> Iterator[Finding]:
    for stranger in view.strangers:
        copy = stranger.code == "ticket-conflict-copy"
        yield _as_finding(stranger, Severity.WARN if copy else Severity.BAD)


def _not_tickets(layout: Layout) -> Iterator[Finding]:
    """What editors and sync tools left, and what somebody took for a ticket."""
    found = sorted(
        f"tasks/{state}/{entry.name}"
        for state in State
        if layout.state(state).is_dir()
        for entry in layout.state(state).iterdir()
        if _is_no_ticket(entry.name)
    )
    if found:
        yield Finding(
            code="not-tickets",
            severity=Severity.WARN,
            seen=say("{count} files are not taken for tickets: {names}.", count=len(found), names=shortened(found)),
            remedy=say("Only `.md` files are. What an editor or a sync tool left there can be deleted once nobody edits it."),
        )


def _is_no_ticket(name: str) -> bool:
    if name in _EXPECTED or OUR_TEMPORARY.fullmatch(name):
        return False
    return name.startswith(".") or not name.lower().endswith(".md")


def check_agents(agents: AgentFiles) -> Iterator[Finding]:
    """Profiles that can't be used."""
    everybody = agents.all()
    unreadable = [agent for agent in everybody.values() if isinstance(agent, UnreadableAgent)]
    yield from (_as_finding(agent, Severity.BAD) for agent in unreadable)
    if everybody and not unreadable:
        yield well("agents", say("The profiles of all {count} agents can be used.", count=len(everybody)))


def _as_finding(unreadable: Unreadable | UnreadableAgent, severity: Severity) -> Finding:
    place: str | Text = unreadable.path
    if unreadable.line:
        place = say("{path}, line {line}", path=unreadable.path, line=unreadable.line)
    seen = say("{place}: {reason}", place=place, reason=unreadable.reason)
    return Finding(code=unreadable.code, severity=severity, seen=seen, remedy=unreadable.remedy)


def shortened(names: list[str]) -> str:
    """The first of the names, and whether there are more."""
    return ", ".join([*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])])
