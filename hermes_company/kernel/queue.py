"""What waits to be started, in the order in which it starts; and when it is worth asking again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from operator import itemgetter

from hermes_company.domain.agent import Agent, UnreadableAgent
from hermes_company.domain.matching import Turn, turn
from hermes_company.domain.readiness import Facts, Verdict
from hermes_company.domain.ticket import State, Ticket
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.ports.board import BoardView

# Order by age is renewed this often.
_AGEING_SECONDS = 60.0
# What no file of the board tells (a workdir appears, an engine is installed) is asked for again after a while: after this
# many times of what the asking costs, so that it stays below 0.1 % of a core.
_ASK_SHARE = 1_000
_SHORTEST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 60.0
_PAUSED_SECONDS = 5.0


class ReadyQueue:
    """Waiting tickets. Sorted when something arrives, not for each start."""

    def __init__(self, parts: Parts, mind: Mind) -> None:
        self._parts = parts
        self._mind = mind
        self._sorted: list[Ticket] = []
        self._sorted_for: tuple[int, int] = (-1, -1)
        # Each waiting ticket as it was read, and its turn at the moment that the order is of.
        self._turns: dict[str, tuple[Turn, Ticket]] = {}
        self._asked: object = None
        self._ask_again = float("-inf")
        self._began = 0.0
        # What was found to wait for one thing only: the ticket as it was read, that thing, and where it lay.
        self._parked: dict[str, tuple[Ticket, str | None, State | None]] = {}

    def worth_asking(self, view: BoardView, agents: Mapping[str, Agent | UnreadableAgent]) -> bool:
        """Whether anything may have become ready since everything was found waiting."""
        question = (view.version, self._mind.epoch, agents)
        self._began = self._parts.clock.boottime()
        if question == self._asked and self._began < self._ask_again:
            return False
        self._asked = question
        self._ask_again = float("inf")
        return True

    def all_wait(self) -> None:
        """Everything was asked and waits: ask again after a pause, or when something changes."""
        now = self._parts.clock.boottime()
        pause = min(max((now - self._began) * _ASK_SHARE, _SHORTEST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)
        self._ask_again = min(self._ask_again, now + pause)

    def waits(self, ticket: Ticket, verdict: Verdict) -> None:
        """One ticket waits: for a moment to come, or for one thing only, then it is not asked again before that changes."""
        if verdict.need or verdict.settled:
            self._parked[ticket.id] = (ticket, verdict.need, self._mind.known.get(verdict.need or ""))
        if verdict.code == "engine-paused":
            # A person may end that pause, which is in no file of the board.
            self._ask_again = min(self._ask_again, self._parts.clock.boottime() + _PAUSED_SECONDS)
        if verdict.until:
            left = (verdict.until - self._parts.clock.now()).total_seconds()
            self._ask_again = min(self._ask_again, self._parts.clock.boottime() + max(left, 0.0))

    def waiting(self, view: BoardView, facts: Facts) -> Iterator[tuple[Ticket, State]]:
        """Tickets that could be started by somebody who has a hand free: first those sent back to work, then by turn."""
        known, running = self._mind.known, self._mind.open
        for ticket in list(view.doing.values()):
            if isinstance(ticket, Ticket) and ticket.id not in running and known.get(ticket.id) is State.DOING:
                yield ticket, State.DOING
        for ticket in self._in_turn(view):
            if self._is_parked(ticket) or (ticket.owner and not _has_hand_free(ticket.owner, facts, self._mind)):
                continue
            if known.get(ticket.id) is State.TODO and ticket.id not in running and ticket.id in view.todo:
                yield ticket, State.TODO

    def _is_parked(self, ticket: Ticket) -> bool:
        parked = self._parked.get(ticket.id)
        if parked is None:
            return False
        if parked[0] is ticket and (parked[1] is None or self._mind.known.get(parked[1]) is parked[2]):
            return True
        del self._parked[ticket.id]
        return False

    def _in_turn(self, view: BoardView) -> list[Ticket]:
        now = self._parts.clock.now()
        sorted_for = (view.arrivals, int(now.timestamp() // _AGEING_SECONDS))
        if sorted_for != self._sorted_for:
            if sorted_for[1] != self._sorted_for[1]:
                self._turns = {}
            self._turns = {ticket.id: self._turn(ticket, now) for ticket in view.todo.values() if isinstance(ticket, Ticket)}
            self._sorted = [ticket for _, ticket in sorted(self._turns.values(), key=itemgetter(0))]
            self._sorted_for = sorted_for
            self._parked = {name: parked for name, parked in self._parked.items() if name in view.todo}
        return self._sorted

    def _turn(self, ticket: Ticket, now: datetime) -> tuple[Turn, Ticket]:
        known = self._turns.get(ticket.id)
        if known is not None and known[1] is ticket:
            return known
        return turn(ticket, now, self._parts.settings.ageing_hours), ticket


def _has_hand_free(owner: str, facts: Facts, mind: Mind) -> bool:
    agent = facts.agents.get(owner)
    return isinstance(agent, Agent) and sum(run.agent == owner for run in mind.open.values()) < agent.capacity
