"""One tick: understand what people did, settle what runs, start what is ready.

The two halves may have other work between them: what was told by the first is known to the second.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from hermes_company.domain.agent import Agent, AgentStatus, UnreadableAgent
from hermes_company.domain.run import Attempt, Outcome, Phase, WorkerPhase
from hermes_company.domain.ticket import State
from hermes_company.kernel.assessing import Assessor, busy
from hermes_company.kernel.claiming import Claimer
from hermes_company.kernel.ending import Ender
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.kernel.people import People
from hermes_company.kernel.queue import ReadyQueue
from hermes_company.kernel.rules import Rules
from hermes_company.ports.board import BoardView
from hermes_company.ports.runs import Damaged
from hermes_company.wording import say

_SOON = 0.05
_LONGEST_FAULT_PAUSE = 30.0
_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ticked:
    """What one tick did, and when the next one is due at the latest."""

    started: tuple[str, ...]
    next_in: float


@dataclass(frozen=True, slots=True)
class _Fault:
    """What went wrong with one ticket, how often in a row, and when it is tried again (boot time)."""

    told: str
    times: int
    not_before: float


class Kernel:
    """The company's loop. Exactly one runs at a time: the caller holds the company's lock."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._mind = Mind()
        self._rules = Rules(parts)
        self._people = People(parts, self._mind, self._rules)
        self._ender = Ender(parts, self._mind, self._rules)
        self._assessor = Assessor(parts)
        self._claimer = Claimer(parts, self._mind, self._assessor, self._ender)
        self._queue = ReadyQueue(parts, self._mind)
        self._faults: dict[str, _Fault] = {}
        self._reported: object = None
        self._held_up: OSError | None = None
        # Seconds until each file that is still being written counts as written, as of the last look.
        self._unsettled: Mapping[str, float] = {}

    @property
    def running(self) -> tuple[Attempt, ...]:
        """The open attempts."""
        return tuple(self._mind.open.values())

    @property
    def held_up(self) -> OSError | None:
        """What keeps people's moves from being told, as a full disk does. Nothing new starts before they are."""
        return self._held_up

    def recover(self) -> None:
        """Take up what an earlier loop left: adopt what lives, launch what was committed, close what died."""
        self._people.remember()
        for found in (*self._parts.runs.opened(), *self._unlisted()):
            run = self._lost(found) if isinstance(found, Damaged) else found
            if run.phase is Phase.CLOSED:
                self._parts.runs.close(run)
            elif run.ticket not in self._mind.open:
                self._mind.keep(run)
                self._guarded(run.ticket, partial(self._take_up, run))
        self._end_strays()

    def _unlisted(self) -> Iterator[Attempt]:
        """Attempts of tickets in `doing` that are not closed, although nothing lists them as open."""
        for ticket in self._parts.board.view(fresh=True).doing:
            for run in self._parts.runs.history(ticket)[-1:]:
                if run.phase is not Phase.CLOSED:
                    yield run

    def _end_strays(self) -> None:
        """A process whose attempt has no record belongs to nobody: it is ended before its ticket can start again."""
        for stray in self._parts.workers.strays(self._parts.root):
            recorded = {run.number for run in self._parts.runs.history(stray.ticket)}
            if stray.attempt not in recorded and stray.ticket not in self._mind.open:
                lost = self._lost(Damaged(ticket=stray.ticket, number=stray.attempt, problem="it is gone"))
                run = replace(lost, token=stray.token)
                self._parts.runs.open(run)
                self._mind.keep(run)

    def tick(self) -> Ticked:
        """Settle, then dispatch."""
        self.settle()
        return self.dispatch()

    def settle(self) -> bool:
        """Understand what people did, and look at every open attempt. Nothing that fails here keeps the rest from it.

        Returns:
            Whether there is something that the next start should know of: a person judged a ticket, or an attempt was closed.
        """
        view = self._parts.board.view()
        self._unsettled = view.unsettled
        judged = self._notice(view)
        open_before = tuple(self._mind.open.values())
        for run in open_before:
            step = self._claimer.carry_on if run.phase is Phase.INTENT else partial(self._ender.settle, view=view)
            self._guarded(run.ticket, partial(step, run))
        return judged or len(self._mind.open) < len(open_before)

    def _notice(self, view: BoardView) -> bool:
        try:
            judged = self._people.notice(view)
        except OSError as problem:
            self._held_up = problem
            return False
        self._held_up = None
        return judged

    def dispatch(self) -> Ticked:
        """Start what is ready, and report what agents do. Acts only on what `settle` has noticed and told."""
        agents = self._parts.agents.all()
        started = tuple(self._start_ready(agents))
        self._report_agents(agents)
        return Ticked(started, self._next_in())

    def _take_up(self, run: Attempt) -> None:
        if run.phase is Phase.ENDING:
            self._mind.known[run.ticket] = State.DOING
            return
        folder = self._parts.runs.folder(run.ticket, run.number)
        if self._parts.workers.state(folder).phase is not WorkerPhase.NOT_STARTED:
            self._adopt(run)
        elif run.phase is Phase.INTENT or run.ticket in self._parts.board.view().doing:
            self._claimer.carry_on(run)

    def _adopt(self, run: Attempt) -> None:
        self._mind.known[run.ticket] = State.DOING
        adopted = replace(run, phase=Phase.LAUNCHED)
        self._parts.runs.save(adopted)
        self._mind.keep(adopted)
        self._parts.events.append("attempt.adopted", ticket=run.ticket, agent=run.agent, attempt=run.number)

    def _lost(self, found: Damaged) -> Attempt:
        now = self._parts.clock.now()
        return Attempt(
            ticket=found.ticket,
            number=found.number,
            agent="unknown",
            engine="unknown",
            token="",
            session_id="",
            phase=Phase.ENDING,
            outcome=Outcome.LOST,
            reason=say("The record of attempt {number} can't be read: {problem}.", number=found.number, problem=found.problem),
            taken_at=now,
            lease_expires=now,
        )

    def _start_ready(self, agents: Mapping[str, Agent | UnreadableAgent]) -> Iterator[str]:
        """Start what is ready, the most urgent first, until nothing more may run."""
        if self._held_up or len(self._mind.open) >= self._parts.max_running:
            return
        view = self._parts.board.view()
        if not self._queue.worth_asking(view, agents):
            return
        facts = replace(self._assessor.facts(view, self._mind.open.values()), states=self._mind.known)
        for ticket, state in self._queue.waiting(view, facts):
            if facts.running >= facts.max_running:
                return
            verdict = self._assessor.judge(ticket, state, facts)
            if verdict.agent is None:
                self._queue.waits(ticket, verdict)
            elif self._guarded(ticket.id, partial(self._claimer.claim, ticket, verdict.agent, state)):
                yield ticket.id
                facts = replace(facts, busy=busy(self._mind.open.values()))
        self._queue.all_wait()

    def _guarded(self, ticket: str, step: Callable[[], _T]) -> _T | None:
        """One ticket's trouble is told once and never holds the others up; the step is tried again, with growing pauses."""
        fault = self._faults.get(ticket)
        now = self._parts.clock.boottime()
        if fault and now < fault.not_before:
            return None
        try:
            result = step()
        except Exception as problem:  # noqa: BLE001 - told as an event and in the log; the company goes on
            self._note_fault(ticket, problem, now)
            return None
        self._faults.pop(ticket, None)
        return result

    def _note_fault(self, ticket: str, problem: Exception, now: float) -> None:
        told = f"{type(problem).__name__}: {problem}"
        before = self._faults.get(ticket)
        times = before.times + 1 if before else 0
        pause = min(_SOON * 2 ** min(times, 10), _LONGEST_FAULT_PAUSE)
        said = before is not None and before.told == told
        if not said:
            _log.error("ticket %s", ticket, exc_info=problem)
            said = self._tell_fault(ticket, told)
        self._faults[ticket] = _Fault(told if said else "", times, now + pause)

    def _tell_fault(self, ticket: str, told: str) -> bool:
        """Whether there was room for it."""
        try:
            self._parts.events.append("kernel.fault", ticket=ticket, data={"problem": told})
        except OSError as problem:
            _log.error("ticket %s: this can't be told: %s", ticket, problem)
            return False
        return True

    def _report_agents(self, agents: Mapping[str, Agent | UnreadableAgent]) -> None:
        """Tell people what agents do, when it changes."""
        news = (self._mind.epoch, [run.lease_expires for run in self._mind.open.values()], agents)
        if news == self._reported:
            return
        self._reported = news
        current: dict[str, Attempt] = {}
        for run in self._mind.open.values():
            current.setdefault(run.agent, run)
        for agent in agents.values():
            if isinstance(agent, Agent):
                self._report_agent(agent, current.get(agent.name))

    def _report_agent(self, agent: Agent, run: Attempt | None) -> None:
        status = AgentStatus.BUSY if run else AgentStatus.IDLE
        heartbeat = (run.lease_expires - self._parts.lease).isoformat(timespec="seconds") if run else None
        self._parts.agents.report(agent, status, current=run.ticket if run else None, heartbeat=heartbeat)

    def _next_in(self) -> float:
        if any(run.phase is Phase.ENDING for run in self._mind.open.values()) or self._mind.marked:
            return _SOON
        soonest = min(self._unsettled.values(), default=self._parts.settings.poll_seconds)
        return max(_SOON, min(soonest, self._parts.settings.poll_seconds))
