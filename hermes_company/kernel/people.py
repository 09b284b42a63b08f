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
        # Tickets that changed and were not told yet: what a full disk interrupts is told later.
        self._unsaid: set[str] = set()

    def remember(self) -> None:
        """Learn from the event log where each ticket was last seen; all of it is compared with the board once."""
        for event in self._parts.events.after(0):
            if event.ticket and event.kind == "ticket.removed":
                self._mind.known.pop(event.ticket, None)
            elif event.ticket and "to" in event.data:
                self._mind.known[event.ticket] = State(event.data["to"])
        self._unsaid = set(self._mind.known)

    def notice(self, view: BoardView) -> None:
        """Compare what changed on the board with what is known and tell every difference as an event."""
        known = self._mind.known
        self._unsaid |= self._parts.board.changes()
        for ticket in sorted(self._unsaid):
            state, before = view.states.get(ticket), known.get(ticket)
            if state is not None and before is None:
                self._tell("ticket.added", ticket, to=state)
            elif state is not None and before is not None and before is not state:
                self._moved(ticket, before, state)
            elif state is None and before is not None and ticket not in view.conflicts:
                self._parts.events.append("ticket.removed", ticket=ticket)
                del known[ticket]
                self._mind.epoch += 1
            self._unsaid.discard(ticket)

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
        self._mind.epoch += 1
