"""What people did to the task folders since the last look. Their moves win; here they are only understood and told."""

from __future__ import annotations

from dataclasses import replace

from hermes_company.domain.moves import MEANINGS
from hermes_company.domain.ticket import State
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.ports.board import BoardView


class People:
    """Tells people's drops, moves and deletions from what the kernel itself did."""

    def __init__(self, parts: Parts, mind: Mind) -> None:
        self._parts = parts
        self._mind = mind
        self._last: BoardView | None = None

    def remember(self) -> None:
        """Learn from the event log where each ticket was last seen."""
        for event in self._parts.events.after(0):
            if event.ticket and event.kind == "ticket.removed":
                self._mind.known.pop(event.ticket, None)
            elif event.ticket and "to" in event.data:
                self._mind.known[event.ticket] = State(event.data["to"])

    def notice(self, view: BoardView) -> None:
        """Compare the board with what is known and tell every difference as an event."""
        if view is self._last:
            return
        for ticket, state in view.states.items():
            before = self._mind.known.get(ticket)
            if before is None:
                self._tell("ticket.added", ticket, to=state)
            elif before is not state:
                self._moved(ticket, before, state)
        for ticket in [t for t in self._mind.known if t not in view.states and t not in view.conflicts]:
            del self._mind.known[ticket]
            self._parts.events.append("ticket.removed", ticket=ticket)
        self._last = view

    def _moved(self, ticket: str, before: State, after: State) -> None:
        meaning = MEANINGS[before, after]
        runs = self._parts.runs
        last = runs.next_number(ticket) - 1
        if meaning.forgives:
            note = runs.note(ticket)
            anew = last if meaning.anew else note.anew
            runs.remember(ticket, replace(note, forgiven=last, anew=anew, retry_at=None))
        words = runs.feedback(ticket, last) if meaning.event == "ticket.rejected" else None
        self._tell(meaning.event, ticket, to=after, came=before, feedback=words)

    def _tell(self, kind: str, ticket: str, *, to: State, came: State | None = None, feedback: str | None = None) -> None:
        data = {"to": to.value, "by": "person"}
        if came:
            data["from"] = came.value
        if feedback:
            data["feedback"] = feedback
        self._parts.events.append(kind, ticket=ticket, data=data)
        self._mind.known[ticket] = to
