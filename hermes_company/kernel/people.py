"""What people did to the task folders since the last look. Their moves win; here they are only understood and told."""

from __future__ import annotations

from dataclasses import replace

from hermes_company.domain.moves import MEANINGS, judges
from hermes_company.domain.ticket import State
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.kernel.rules import Rules
from hermes_company.ports.board import BoardView
from hermes_company.ports.events import Draft


class People:
    """Tells people's drops, moves and deletions from what the kernel itself did."""

    def __init__(self, parts: Parts, mind: Mind, rules: Rules) -> None:
        self._parts = parts
        self._mind = mind
        self._rules = rules
        # Tickets that changed and were not told yet: what a full disk interrupts is told later.
        self._unsaid: set[str] = set()

    def remember(self) -> None:
        """Learn from the event log where each ticket was last seen; all of it is compared with the board once."""
        for event in self._parts.events.after(0):
            self._rules.remember(event)
            if event.ticket and event.kind == "ticket.removed":
                self._mind.known.pop(event.ticket, None)
            elif event.ticket and "to" in event.data:
                self._mind.known[event.ticket] = State(event.data["to"])
        self._unsaid = set(self._mind.known)

    def notice(self, view: BoardView) -> bool:
        """Compare what changed on the board with what is known and tell every difference as an event.

        Returns:
            Whether a person judged the work on a ticket.
        """
        self._unsaid |= self._parts.board.changes()
        if not self._unsaid:
            return False
        drafts = [draft for ticket in sorted(self._unsaid) if (draft := self._difference(ticket, view))]
        self._parts.events.append_all(drafts)
        for draft in drafts:
            self._learn(draft)
        self._unsaid.clear()
        moves = ((State(d.data["from"]), State(d.data["to"])) for d in drafts if "from" in d.data)
        return any(judges(before, after) for before, after in moves)

    def _difference(self, ticket: str, view: BoardView) -> Draft | None:
        state, before = view.states.get(ticket), self._mind.known.get(ticket)
        if state is before:
            return None
        if state is None:
            return None if ticket in view.conflicts else Draft(kind="ticket.removed", ticket=ticket)
        if before is None:
            return Draft(kind="ticket.added", ticket=ticket, data={"to": state.value, "by": "person"})
        return self._moved(ticket, before, state)

    def _moved(self, ticket: str, before: State, after: State) -> Draft:
        meaning = MEANINGS[before, after]
        runs = self._parts.runs
        last = runs.next_number(ticket) - 1
        if meaning.forgives:
            note = runs.note(ticket)
            anew = last if meaning.anew else note.anew
            runs.remember(ticket, replace(note, forgiven=last, anew=anew, retry_at=None))
        data: dict[str, object] = {"to": after.value, "by": "person", "from": before.value}
        words = runs.feedback(ticket, last) if meaning.event == "ticket.rejected" else None
        if words:
            data["feedback"] = words
            blamed = runs.blamed(ticket, last)
            data |= {"blame": blamed} if blamed else {}
        return Draft(kind=meaning.event, ticket=ticket, data=data)

    def _learn(self, draft: Draft) -> None:
        ticket = draft.ticket or ""
        if "to" in draft.data:
            self._mind.known[ticket] = State(draft.data["to"])
        else:
            self._mind.known.pop(ticket, None)
        self._mind.epoch += 1
