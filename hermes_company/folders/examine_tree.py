"""Whether the company's folders and templates are there and can be used."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State, Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.agent_files import AgentFiles
from hermes_company.folders.company_files import folder_problem
from hermes_company.folders.layout import Layout
from hermes_company.folders.prompts import PromptWriter
from hermes_company.ports.doctor import Finding, Severity, bad, well
from hermes_company.ports.memory import Recalled, SkillEntry
from hermes_company.wording import Text, say


def check_folders(layout: Layout) -> Iterator[Finding]:
    """Folders that are missing, are no folders, lie elsewhere, or can't be written into."""
    problems = [*_state_folders(layout), *_other_folders(layout), *_unusable(layout)]
    yield from problems
    if not problems:
        yield well("folders", say("Every folder is there, on one file system, and can be written into."))


def _state_folders(layout: Layout) -> Iterator[Finding]:
    for state in State:
        problem = folder_problem(layout, state)
        if problem:
            folder = layout.state(state)
            yield bad(problem, fix=None if os.path.lexists(folder) else partial(_make, layout, folder))


def _other_folders(layout: Layout) -> Iterator[Finding]:
    for folder in (layout.agents, layout.memory, layout.logs, layout.outbox_root, layout.skills):
        if not folder.is_dir():
            where = folder.relative_to(layout.root).as_posix()
            yield Finding(
                code="folder-missing",
                severity=Severity.WARN,
                seen=say("The folder {folder} is missing.", folder=where),
                remedy=say("Make it: mkdir -p {folder}", folder=where),
                fix=None if os.path.lexists(folder) else partial(_make, layout, folder),
            )


def _make(layout: Layout, folder: Path) -> Text:
    folder.mkdir(parents=True, exist_ok=True)
    return say("Made the folder {folder}.", folder=folder.relative_to(layout.root).as_posix())


def _unusable(layout: Layout) -> Iterator[Finding]:
    states = [layout.state(state) for state in State]
    others = (layout.tasks, layout.agents, layout.memory, layout.logs, layout.outbox_root, layout.private)
    for folder in (*states, *others):
        if folder.is_dir() and not os.access(folder, os.R_OK | os.W_OK | os.X_OK, effective_ids=True):
            where = folder.relative_to(layout.root).as_posix()
            yield Finding(
                code="folder-not-writable",
                severity=Severity.BAD,
                seen=say("This user may not read and write the folder {folder}.", folder=where),
                remedy=say("`ls -ld {folder}` shows whose it is; give this user the right.", folder=where),
            )


def check_owner(layout: Layout, user: int) -> Iterator[Finding]:
    """Folders of another user than the one who runs `hc`, as one run with sudo leaves them behind."""
    folders = (layout.private, *(layout.state(state) for state in State))
    foreign = [f for f in folders if f.is_dir() and f.stat().st_uid != user]
    if foreign:
        names = ", ".join(folder.relative_to(layout.root).as_posix() for folder in foreign)
        yield Finding(
            code="owner-differs",
            severity=Severity.WARN,
            seen=say("These folders belong to another user than the one who runs `hc`: {folders}.", folders=names),
            remedy=say("Run `hc` as their owner, or give them away: chown -R {user} {root}", user=user, root=layout.root),
        )


def check_prompts(layout: Layout, settings: Settings, agents: AgentFiles, runners: Mapping[str, str]) -> Iterator[Finding]:
    """Whether a prompt can be made for every agent, and whether feedback can be told: tried out, with a ticket of our own."""
    writer = PromptWriter(layout, settings, _Nothing(), _Nothing())
    usable = [a for a in agents.all().values() if isinstance(a, Agent) and a.engine in runners]
    problems: dict[str, Refusal] = {}
    for agent in usable:
        try:
            _render(writer, layout, agent, runners[agent.engine])
        except Refusal as problem:
            problems.setdefault(str(problem.fact), problem)
    yield from map(bad, problems.values())
    if usable and not problems:
        yield well("prompts", say("A prompt can be made for every agent."))


def _render(writer: PromptWriter, layout: Layout, agent: Agent, runner: str) -> None:
    ticket = Ticket(id="TASK-1", title="…")
    outbox = layout.outbox(agent.name, ticket.id)
    writer.render(ticket, agent, attempt=1, token="", workdir=outbox, outbox=outbox, runner=runner)
    writer.render_feedback(ticket, agent, attempt=2, token="", workdir=outbox, outbox=outbox, feedback="…")


class _Nothing:
    """A memory and a shelf of skills that have nothing to say: what they hold is examined by their own room."""

    def recall(self, ticket: Ticket, agent: Agent, *, project: str | None) -> Sequence[Recalled]:
        """See `Retriever.recall`."""
        return ()

    def skills_for(self, ticket: Ticket, agent: Agent) -> Sequence[SkillEntry]:
        """See `SkillFinder.skills_for`."""
        return ()
