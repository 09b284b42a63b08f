"""Answering an engine's start-up questions beforehand: shown one by one, answered by a person, recorded by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.door import Door
from hermes_company.domain.agent import Agent
from hermes_company.errors import Refusal
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.ports.engine import Consent


def prepare_agent(door: Door, name: str, workdirs: Sequence[Path], *, yes: bool) -> None:
    """Ask every open question of the agent's engine; without `workdirs`, for the folders that its tickets name.

    Raises:
        Refusal: `agent-unknown`, the profile's own problem, `consent-by-hand`, `consent-not-given`.
    """
    company = door.company
    agent = usable_agent(company, name)
    engine = company.engines[agent.engine]
    if not workdirs:
        from hermes_company.bootstrap.workplaces import folders_of

        workdirs = folders_of(company, agent)
    folders = list(workdirs)
    door.tell(say("{engine}, for {folders}:", engine=agent.engine, folders=", ".join(map(str, folders))))
    jobs = [company.job_for(agent, folder) for folder in folders]
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
