"""Answering an engine's start-up questions beforehand: shown one by one, answered by a person, recorded by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.door import Door
from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.workdir import workdir_of
from hermes_company.errors import Refusal
from hermes_company.ports.board import TicketGone
from hermes_company.ports.engine import Consent, Job
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


def prepare_agent(door: Door, name: str, workdirs: Sequence[Path], *, yes: bool) -> None:
    """Ask every open question of the agent's engine; without `workdirs`, for the folders that its tickets name.

    Raises:
        Refusal: `agent-unknown`, the profile's own problem, `consent-by-hand`, `consent-not-given`.
    """
    company = door.company
    agent = usable_agent(company, name)
    engine = company.engines[agent.engine]
    folders = list(workdirs) or _folders(company, agent)
    door.tell(say("{engine}, for {folders}:", engine=agent.engine, folders=", ".join(map(str, folders))))
    jobs = [job_for(company, agent, folder) for folder in folders]
    questions = [consent for job in jobs for consent in engine.consents(job) if not consent.given]
    if not questions:
        door.tell(say("Nothing is left to be asked."))
    engine.grant(granted := list(_ask(door, questions, yes=yes)))
    for file in dict.fromkeys(consent.file for consent in granted):
        door.tell(say("Recorded in {file}.", file=file))
    for problem in {p.code: p for job in jobs if (p := engine.preflight(job))}.values():
        door.warn(problem.fact, problem.cause, problem.remedy)


def usable_agent(company: Company, name: str) -> Agent:
    """The agent, fit to get tickets.

    Raises:
        Refusal: `agent-unknown`, the profile's own problem, `engine-unknown`.
    """
    from hermes_company.engines.registry import get_engine

    agent = company.agents.read(name)
    if not isinstance(agent, Agent):
        fact = say("The profile of {owner} can't be used: {problem}", owner=name, problem=agent.reason)
        raise Refusal(agent.code, fact=fact, cause=say("Nobody would do its tickets."), remedy=agent.remedy)
    if agent.engine not in company.engines:
        get_engine(agent.engine)  # refuses, with a did-you-mean
    return agent


def _folders(company: Company, agent: Agent) -> list[Path]:
    """The agent's outbox, where tickets without a workdir run, and what its tickets name."""
    found = [company.layout.outbox_root / agent.name]
    for ticket, state in company.board.view(fresh=True).states.items():
        if state not in (State.TODO, State.DOING, State.BLOCKED):
            continue
        try:
            content = company.board.read(ticket, state)
            path = workdir_of(content, company.places) if isinstance(content, Ticket) and content.owner == agent.name else None
        except (TicketGone, Refusal):
            continue
        if path and Path(path) not in found:
            found.append(Path(path))
    return found


def job_for(company: Company, agent: Agent, workdir: Path) -> Job:
    """A job as the engine would see it there; nothing of it is ever started."""
    nowhere = company.layout.private / "prepare"
    return Job(
        ticket="prepare",
        agent=agent,
        attempt=0,
        token="",
        session_id="",
        root=company.layout.root,
        run_dir=nowhere,
        outbox=company.layout.outbox_root / agent.name,
        workdir=workdir,
        prompt="",
        prompt_file=nowhere / "prompt.md",
        body="",
        settings=company.sight.engine_settings(agent.engine),
        environ=company.environ,
    )


def _ask(door: Door, questions: Sequence[Consent], *, yes: bool) -> Iterator[Consent]:
    asked: set[tuple[str, str]] = set()
    for consent in questions:
        if (consent.kind, consent.subject) in asked:
            continue
        asked.add((consent.kind, consent.subject))
        door.line(f"  {consent.question.in_lang(door.lang)}")
        if consent.by_hand:
            raise Refusal(
                "consent-by-hand",
                fact=consent.question,
                cause=say("Only you can answer that."),
                remedy=consent.by_hand,
            )
        if yes or door.ask(say("Say yes, and record it in {file}?", file=consent.file)):
            # What is said now counts, whatever company.yaml says.
            yield replace(consent, accepted=True)
