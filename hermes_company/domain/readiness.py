"""Why a ticket may start now, or why not: one pure function, asked by the kernel and by `hc why` alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from hermes_company.domain.agent import Agent, UnreadableAgent
from hermes_company.domain.matching import best_first
from hermes_company.domain.ticket import Approval, State, Ticket
from hermes_company.errors import Refusal
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.domain.budget import Hold  # by itself, since few companies have budgets and every `hc why` comes here


@dataclass(frozen=True, kw_only=True, slots=True)
class Busy:
    """What keeps an agent busy: one open attempt."""

    ticket: str
    since: datetime
    engine: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The company at one moment."""

    now: datetime
    states: Mapping[str, State]
    conflicts: Mapping[str, tuple[str, ...]]
    agents: Mapping[str, Agent | UnreadableAgent]
    # Agent name → its open attempts.
    busy: Mapping[str, tuple[Busy, ...]] = field(default_factory=dict)
    # Engine name → why nothing can start on it now; None or absent when it can.
    engines: Mapping[str, Refusal | None] = field(default_factory=dict)
    # Engine name → when one that is paused may start again.
    engine_until: Mapping[str, datetime] = field(default_factory=dict)
    # Engine name → how many of its attempts may be open at once; absent: as many as the company allows.
    engine_caps: Mapping[str, int] = field(default_factory=dict)
    max_running: int = 1
    # ticket id → needs, of what waits in todo: finds circles.
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # Seconds until a hand-dropped file counts as written.
    unsettled: Mapping[str, float] = field(default_factory=dict)

    # Why company/policy.yaml can't be read: then nothing starts.
    policy_problem: Refusal | None = None

    # Tickets whose conversation a person has open.
    talking: Collection[str] = ()
    # Used-up budgets: the company's, and by agent.
    company_hold: Hold | None = None
    agent_holds: Mapping[str, Hold | None] = field(default_factory=dict)

    @property
    def running(self) -> int:
        return sum(len(attempts) for attempts in self.busy.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """Ready with an agent, or waiting with a sentence and the way out."""

    agent: Agent | None = None
    code: str = "ready"
    reason: Text = field(default_factory=lambda: say("It can start now."))
    remedy: Text = field(default_factory=lambda: say("`hc run` starts it."))
    # Not before this moment, where that is what it waits for.
    until: datetime | None = None
    # The ticket that it waits for, where that is all it waits for.
    need: str | None = None
    # Whether only an edit of the ticket itself can change this.
    settled: bool = False

    @property
    def ready(self) -> bool:
        return self.agent is not None


def judge(
    ticket: Ticket,
    facts: Facts,
    *,
    retry_at: Callable[[str], datetime | None] = lambda _: None,
    bound_to: str | None = None,
    workdir_problem: Callable[[Ticket], Refusal | None] = lambda _: None,
    budget_hold: Callable[[str], Hold | None] = lambda _: None,
) -> Verdict:
    """Whether `ticket` may start now, and with whom.

    Args:
        retry_at: looks up the moment before which a ticket is not tried again (retry pause, engine limit).
        bound_to: the agent whose conversation it continues; nobody else may take it.
        workdir_problem: looks whether the ticket's workdir is there.
        budget_hold: looks whether the ticket's budget is used up.
    """
    waiting = (
        _held(ticket, facts)
        or _dependencies(ticket, facts)
        or (refused(facts.policy_problem) if facts.policy_problem else None)
        or _on_budget(facts.company_hold)
        or _on_budget(budget_hold(ticket.id))
    )
    if waiting:
        return waiting
    verdict = _owned(bound_to or ticket.owner or "", facts) if bound_to or ticket.owner else _unowned(ticket, facts)
    if not verdict.ready:
        return verdict
    pause = retry_at(ticket.id)
    if pause and pause > facts.now:
        reason = say("It is tried again at {moment}.", moment=_local(pause))
        return _wait("retry-pause", reason, say("`hc task retry {id}` starts it at once.", id=ticket.id), pause)
    problem = workdir_problem(ticket)
    if problem:
        return refused(problem)
    if facts.running >= facts.max_running:
        reason = say("{running} agents are at work, the most that may be at once.", running=facts.running)
        return _wait("company-full", reason, say("It starts when one is done; `max_running` in company.yaml sets the number."))
    return verdict


def refused(problem: Refusal) -> Verdict:
    """A refusal as the reason why a ticket waits."""
    return _wait(problem.code, say("{fact} {cause}", fact=problem.fact, cause=problem.cause), problem.remedy)


def _wait(
    code: str, reason: Text, remedy: Text, until: datetime | None = None, *, need: str | None = None, settled: bool = False
) -> Verdict:
    return Verdict(code=code, reason=reason, remedy=remedy, until=until, need=need, settled=settled)


def _held(ticket: Ticket, facts: Facts) -> Verdict | None:
    if ticket.id in facts.conflicts:
        places = ", ".join(facts.conflicts[ticket.id])
        reason = say("Several files have this name: {places}.", places=places)
        return _wait("ticket-twice", reason, say("Keep one and rename or delete the others."))
    if ticket.id in facts.unsettled:
        return _wait("settling", say("The file has just been written."), say("It starts as soon as it rests for a moment."))
    if ticket.id in facts.talking:
        reason = say("A person has its conversation open (`hc chat`).")
        return _wait("in-conversation", reason, say("It can start when they leave it."))
    if ticket.hold:
        release = say("`hc task release {id}`.", id=ticket.id)
        return _wait("held", say("A person put it on hold (`hold: true`)."), release, settled=True)
    if ticket.approve is Approval.BEFORE:
        answers = say("`hc approve {id}`, or `hc deny {id} -m …`.", id=ticket.id)
        return _wait("approval", say("It waits for a person to approve it (`approve: before`)."), answers, settled=True)
    if ticket.not_before and ticket.not_before > facts.now:
        moment = _local(ticket.not_before)
        return _wait("scheduled", say("It is not to start before {moment}.", moment=moment), _edit(ticket), ticket.not_before)
    return None


def _local(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _edit(ticket: Ticket) -> Text:
    return say("Edit the ticket's front matter to change that ({id}).", id=ticket.id)


def _dependencies(ticket: Ticket, facts: Facts) -> Verdict | None:
    for need in ticket.needs:
        if need not in facts.states:
            reason = say("It needs {need}, and there is no such ticket.", need=need)
            return _wait("need-unknown", reason, say("Create {need} or correct `needs:`.", need=need), need=need)
    circle = _circle(ticket, facts.needs)
    if circle:
        reason = say("It waits for itself: {circle}.", circle=" → ".join(circle))
        return _wait("need-circle", reason, say("Take one of these out of a `needs:` line."))
    for need in ticket.needs:
        state = facts.states[need]
        if state is not State.DONE:
            reason = say("It waits for {need}, which is in {state}.", need=need, state=state.value)
            return _wait("needs", reason, say("It starts when {need} is in done.", need=need), need=need)
    return None


def _circle(ticket: Ticket, needs: Mapping[str, tuple[str, ...]]) -> list[str] | None:
    """The way from the ticket back to itself, if its needs lead there."""
    stack = [(ticket.id, iter(ticket.needs))]
    visited: set[str] = set()
    while stack:
        for need in stack[-1][1]:
            if need == ticket.id:
                return [name for name, _ in stack] + [need]
            if need not in visited:
                visited.add(need)
                stack.append((need, iter(needs.get(need, ()))))
                break
        else:
            stack.pop()
    return None


def _owned(owner: str, facts: Facts) -> Verdict:
    agent = facts.agents.get(owner)
    if agent is None:
        reason = say("Its owner {owner} is not an agent of this company.", owner=owner)
        return _wait("owner-unknown", reason, say("`hc agent add {owner}`, or correct `owner:`.", owner=owner))
    if isinstance(agent, UnreadableAgent):
        reason = say("The profile of {owner} can't be used: {problem}", owner=owner, problem=agent.reason)
        return _wait("agent-unreadable", reason, agent.remedy)
    return _engine_problem(agent, facts) or _occupied(agent, facts) or Verdict(agent=agent)


def _on_budget(hold: Hold | None) -> Verdict | None:
    return _wait(hold.code, hold.reason, hold.remedy, hold.until) if hold else None


def _engine_problem(agent: Agent, facts: Facts) -> Verdict | None:
    held = _on_budget(facts.agent_holds.get(agent.name))
    if held:
        return held
    problem = facts.engines.get(agent.engine)
    if problem:
        return replace(refused(problem), until=facts.engine_until.get(agent.engine))
    cap = facts.engine_caps.get(agent.engine, 0)
    running = sum(1 for attempts in facts.busy.values() for busy in attempts if busy.engine == agent.engine)
    if cap and running >= cap:
        reason = say("{running} agents are at work on {engine}, the most that may be.", running=running, engine=agent.engine)
        return _wait("engine-full", reason, say("`engines.{engine}.max_running` sets the number.", engine=agent.engine))
    return None


def _occupied(agent: Agent, facts: Facts) -> Verdict | None:
    attempts = facts.busy.get(agent.name, ())
    if len(attempts) < agent.capacity:
        return None
    first = min(attempts, key=lambda attempt: attempt.since)
    minutes = max(0, int((facts.now - first.since).total_seconds() // 60))
    reason = say("{agent} is busy with {ticket} since {minutes} min.", agent=agent.name, ticket=first.ticket, minutes=minutes)
    return _wait("agent-busy", reason, say("It starts when {agent} is free.", agent=agent.name))


def _unowned(ticket: Ticket, facts: Facts) -> Verdict:
    usable = [agent for agent in facts.agents.values() if isinstance(agent, Agent)]
    if not usable:
        return _wait("no-agents", say("The company has no agent that can be used."), say("`hc agent add NAME --engine …`."))
    fitting = best_first(ticket, usable)
    if not fitting:
        reason = say("No agent has all of these skills: {skills}.", skills=", ".join(ticket.skills))
        return _wait("nobody-fits", reason, say("Name an `owner:`, or give an agent these skills in its profile.json."))
    problems = [(_engine_problem(agent, facts) or _occupied(agent, facts), agent) for agent in fitting]
    for problem, agent in problems:
        if problem is None:
            return Verdict(agent=agent)
    if len(fitting) == 1 and problems[0][0]:
        return problems[0][0]
    names = ", ".join(agent.name for agent in fitting)
    reason = say("Every agent that fits is busy or can't start: {agents}.", agents=names)
    return _wait("all-busy", reason, say("It starts when one of them is free; `hc agent list` shows them."))
