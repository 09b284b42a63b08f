"""The company as the readiness rule sees it. Only looks: `hc why` and `hc status` ask the same questions as the loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.breaker import engine_paused
from hermes_company.domain.readiness import Busy, Facts, Verdict, judge
from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import SignalKind
from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.workdir import missing_workdir, workdir_of
from hermes_company.errors import Refusal
from hermes_company.kernel.sight import Sight
from hermes_company.ports.board import BoardView
from hermes_company.wording import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """The earlier attempt that a ticket goes back to."""

    attempt: Attempt
    # Whether the engine can go on in the same conversation; else a new one is told what happened.
    resumable: bool


class Assessor:
    """Judges tickets against the company's present state."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight

    def facts(self, view: BoardView, running: Iterable[Attempt]) -> Facts:
        """All that the readiness rule needs, read now."""
        sight = self._sight
        agents = sight.agents.all()
        engines = {agent.engine for agent in agents.values() if isinstance(agent, Agent)}
        problems = {name: self.engine_problem(name) for name in engines}
        pauses = {name: sight.runs.engine(name).until for name, problem in problems.items() if problem}
        return Facts(
            now=sight.clock.now(),
            states=view.states,
            conflicts=view.conflicts,
            agents=agents,
            busy=busy(running),
            engines=problems,
            engine_until={name: until for name, until in pauses.items() if until},
            engine_caps={name: setting.max_running for name, setting in sight.settings.engines.items()},
            max_running=sight.max_running,
            needs={t.id: t.needs for t in view.todo.values() if isinstance(t, Ticket) and t.needs},
            unsettled=view.unsettled,
            talking=sight.talking(),
            company_hold=sight.spending.company_hold(),
            policy_problem=self._policy_problem(),
            agent_holds={name: sight.spending.agent_hold(name) for name in agents},
        )

    def judge(self, ticket: Ticket, state: State, facts: Facts) -> Verdict:
        """Whether a ticket in `todo` (or one without an attempt in `doing`) may start now, and with whom."""
        earlier = self.earlier(ticket) if state is State.DOING else None
        return judge(
            ticket,
            facts,
            retry_at=lambda name: self._sight.runs.note(name).retry_at,
            bound_to=earlier.attempt.agent if earlier else None,
            workdir_problem=self._workdir_problem,
            budget_hold=self._sight.spending.ticket_hold,
        )

    def earlier(self, ticket: Ticket) -> Conversation | None:
        """The attempt that a ticket lying in `doing` goes on from; None when it begins anew."""
        runs = self._sight.runs
        history = runs.history(ticket.id)
        if not history or history[-1].number <= runs.note(ticket.id).anew:
            return None
        last = history[-1]
        if ticket.owner and ticket.owner != last.agent:
            return None
        engine = self._sight.engines.get(last.engine)
        reported = runs.signals(ticket.id, last.number, engine) if engine else ()
        begun = any(signal.kind is SignalKind.PROMPT_SUBMITTED for signal in reported)
        return Conversation(
            attempt=last,
            resumable=engine is not None and engine.resumes and begun and not self._begins_anew(last.agent),
        )

    def _begins_anew(self, name: str) -> bool:
        """Whether an agent's profile leaves no way to go on in a conversation."""
        agent = self._sight.agents.all().get(name)
        return isinstance(agent, Agent) and agent.begins_anew

    def _workdir_problem(self, ticket: Ticket) -> Refusal | None:
        try:
            path = workdir_of(ticket, self._sight.places)
        except Refusal as problem:
            return problem
        return missing_workdir(ticket.id, path) if path is not None and not Path(path).is_dir() else None

    def _policy_problem(self) -> Refusal | None:
        try:
            self._sight.policy()
        except Refusal as problem:
            return problem
        return None

    def engine_problem(self, name: str) -> Refusal | None:
        """Why nothing can be started on that engine now; None when it can."""
        engine = self._sight.engines.get(name)
        if engine is None:
            return Refusal(
                "engine-unknown",
                fact=say("There is no engine `{engine}`.", engine=name),
                cause=say("Nothing can be started for its agents."),
                remedy=say("Known engines: {known}.", known=", ".join(sorted(self._sight.engines))),
            )
        note = self._sight.runs.engine(name)
        now = self._sight.clock.now()
        if note.is_open(now):
            return engine_paused(name, note, now)
        return engine.check(self._sight.engine_settings(name), self._sight.environ).refusal


def busy(running: Iterable[Attempt]) -> dict[str, tuple[Busy, ...]]:
    """Agent name → what keeps it busy."""
    found: dict[str, tuple[Busy, ...]] = {}
    for run in running:
        found[run.agent] = (*found.get(run.agent, ()), Busy(ticket=run.ticket, since=run.taken_at, engine=run.engine))
    return found
