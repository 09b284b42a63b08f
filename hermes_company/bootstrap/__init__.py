"""The one room that knows every other and builds the real parts. Each is built when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.settings import Budgets, Settings, TmuxSettings
from hermes_company.domain.workdir import Places
from hermes_company.folders.layout import Layout
from hermes_company.folders.settings_file import find_root, read_settings
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.clock import Clock

if TYPE_CHECKING:
    from hermes_company.domain.agent import Agent
    from hermes_company.domain.signals import Signal
    from hermes_company.folders.agent_files import AgentFiles
    from hermes_company.folders.board import FolderBoard
    from hermes_company.folders.chats import Chats
    from hermes_company.folders.event_log import EventLog
    from hermes_company.folders.outbox import OutboxFolders
    from hermes_company.folders.prompts import PromptWriter
    from hermes_company.folders.protection import FolderProtection
    from hermes_company.folders.run_files import RunFiles
    from hermes_company.folders.told import Told
    from hermes_company.kernel.assessing import Assessor
    from hermes_company.kernel.loop import Kernel
    from hermes_company.kernel.parts import Parts
    from hermes_company.kernel.sight import Sight
    from hermes_company.ports.doctor import Examiner
    from hermes_company.ports.engine import Engine, Job
    from hermes_company.terminal.workers import TmuxWorkers
    from hermes_company.userspace.answers import Answers
    from hermes_company.userspace.cost.book import UsageBook
    from hermes_company.userspace.cost.counting import Counter
    from hermes_company.userspace.cost.spending import BookedSpending
    from hermes_company.userspace.memory.history import History
    from hermes_company.userspace.memory.notebook import NoteBook
    from hermes_company.userspace.memory.retriever import FtsRetriever
    from hermes_company.userspace.memory.secrets import Redact
    from hermes_company.userspace.programs import Programs
    from hermes_company.userspace.skills import CompanySkills
    from hermes_company.userspace.skills.shelf import Shelf


class Company:
    """One company folder with its parts.

    Args:
        layout: its paths.
        environ: the caller's environment.
        clock: real time unless a test injects its own.
    """

    def __init__(self, layout: Layout, environ: Mapping[str, str], clock: Clock | None = None) -> None:
        self.layout = layout
        self.environ = environ
        self.clock: Clock = clock or SystemClock()
        self.cores = os.cpu_count() or 1

    @cached_property
    def settings(self) -> Settings:
        """`company.yaml`."""
        return read_settings(self.layout)

    @cached_property
    def places(self) -> Places:
        """What `workdir:` and `project:` are resolved against."""
        home = self.environ.get("HOME") or str(Path.home())
        return Places(root=str(self.layout.root), home=home, projects=self.settings.projects)

    @cached_property
    def board(self) -> FolderBoard:
        """The task folders."""
        from hermes_company.folders.board import FolderBoard

        return FolderBoard(self.layout, self.clock, self.settings.settle_seconds)

    @cached_property
    def runs(self) -> RunFiles:
        """The records of attempts."""
        from hermes_company.folders.run_files import RunFiles

        return RunFiles(self.layout)

    @cached_property
    def outbox(self) -> OutboxFolders:
        """What agents leave."""
        from hermes_company.folders.outbox import OutboxFolders

        return OutboxFolders(self.layout)

    @cached_property
    def agents(self) -> AgentFiles:
        """The agent folders."""
        from hermes_company.folders.agent_files import AgentFiles

        return AgentFiles(self.layout, self.settings)

    @cached_property
    def events(self) -> EventLog:
        """The event log."""
        from hermes_company.folders.event_log import EventLog

        return EventLog(self.layout.events_file, self.clock)

    @cached_property
    def engines(self) -> Mapping[str, Engine]:
        """Every engine that is installed, by name."""
        from hermes_company.engines.registry import Engines

        return Engines()

    @cached_property
    def notes(self) -> NoteBook:
        """The company's memory as files."""
        from hermes_company.folders.atomic import write_atomic
        from hermes_company.folders.yaml_text import load_yaml
        from hermes_company.userspace.memory.notebook import NoteBook

        return NoteBook(self.layout.memory, parse_yaml=load_yaml, write=write_atomic)

    @cached_property
    def retriever(self) -> FtsRetriever:
        """Recall over the company's memory."""
        from hermes_company.userspace.memory.retriever import FtsRetriever

        return FtsRetriever(
            self.notes, glossary=self.layout.glossary, cache=self.layout.cache, clock=self.clock, lang=self.settings.lang
        )

    @cached_property
    def skills(self) -> CompanySkills:
        """The company's skills."""
        from hermes_company.folders.yaml_text import load_yaml
        from hermes_company.userspace.skills import CompanySkills

        return CompanySkills(self.layout.skills, glossary=self.layout.glossary, parse_yaml=load_yaml)

    @cached_property
    def shelf(self) -> Shelf:
        """Drafted, approved and rejected skills."""
        from hermes_company.folders.yaml_text import load_yaml
        from hermes_company.userspace.skills.shelf import Shelf

        lock = self.layout.cache / "skills.lock"
        skills, drafts = self.layout.skills, self.layout.skill_drafts
        return Shelf(skills, drafts, lock=lock, parse_yaml=load_yaml, changed=self.protection.vouch)

    @cached_property
    def protection(self) -> FolderProtection:
        """The company's own files around attempts."""
        from hermes_company.folders.protection import FolderProtection

        return FolderProtection(self.layout)

    @cached_property
    def prompts(self) -> PromptWriter:
        """What engines are told."""
        from hermes_company.folders.prompts import PromptWriter

        return PromptWriter(self.layout, self.settings, self.retriever, self.skills)

    @cached_property
    def tmux(self) -> TmuxSettings:
        """How its tmux server is reached."""
        from hermes_company.folders.company_files import ensure_identity
        from hermes_company.folders.settings_file import socket_name

        tmux = self.settings.tmux
        return replace(tmux, socket=tmux.socket or socket_name(self.layout.root.name, ensure_identity(self.layout)))

    @cached_property
    def workers(self) -> TmuxWorkers:
        """The company's own tmux server."""
        from hermes_company.folders.company_files import ensure_identity
        from hermes_company.terminal.workers import TmuxWorkers

        return TmuxWorkers(
            self.tmux,
            company=ensure_identity(self.layout),
            config=self.layout.tmux_conf,
            log=self.layout.logs / "hc.log",
            doorbell=self.layout.doorbell,
            clock=self.clock,
            environ=self.environ,
            lang=self.settings.lang,
        )

    @cached_property
    def parts(self) -> Parts:
        """What the kernel is given."""
        import random
        import secrets
        import uuid

        from hermes_company.engines.screens import SCREENS
        from hermes_company.folders.policy_file import PolicyFile
        from hermes_company.kernel.parts import Parts

        return Parts(
            root=self.layout.root,
            settings=self.settings,
            places=self.places,
            board=self.board,
            runs=self.runs,
            outbox=self.outbox,
            agents=self.agents,
            events=self.events,
            workers=self.workers,
            engines=self.engines,
            screens=SCREENS,
            talking=self.chats.now_open,
            prompts=self.prompts,
            protection=self.protection,
            policy=PolicyFile(self.layout),
            tmux_socket=self.tmux.socket,
            clock=self.clock,
            spending=self.spending,
            environ=self.environ,
            doorbell=self.layout.doorbell,
            new_token=lambda: f"hc-{secrets.token_hex(8)}",
            new_session=lambda: str(uuid.uuid4()),
            chance=random.random,
            cores=self.cores,
        )

    @cached_property
    def sight(self) -> Sight:
        """What it takes to look at the company. Needs no tmux, no prompts and nothing that is made by being asked for."""
        from hermes_company.folders.policy_file import glance_at_policy
        from hermes_company.kernel.sight import Sight
        from hermes_company.userspace.cost.unlimited import Unlimited

        return Sight(
            settings=self.settings,
            places=self.places,
            runs=self.runs,
            agents=self.agents,
            engines=self.engines,
            clock=self.clock,
            spending=self.spending if self.settings.budgets != Budgets() else Unlimited(),
            policy=partial(glance_at_policy, self.layout),
            environ=self.environ,
            cores=self.cores,
            talking=self.chats.now_open,
        )

    @cached_property
    def assessor(self) -> Assessor:
        """Why tickets wait."""
        from hermes_company.kernel.assessing import Assessor

        return Assessor(self.sight)

    def kernel(self) -> Kernel:
        """A loop over these parts. The caller holds `company_lock`."""
        from hermes_company.folders.leftovers import sweep
        from hermes_company.kernel.loop import Kernel

        sweep(self.layout, self.clock)
        return Kernel(self.parts)

    @cached_property
    def history(self) -> History:
        """Earlier states of memory and skills."""
        from hermes_company.folders.atomic import write_atomic
        from hermes_company.userspace.memory.copies import Copies
        from hermes_company.userspace.memory.history import History

        copies = Copies(self.layout.root, self.layout.copies, now=self.clock.now, write=write_atomic)
        return History(
            self.layout.root, scratch=self.layout.cache, environ=self.environ, copies=copies, boottime=self.clock.boottime
        )

    @cached_property
    def usage(self) -> UsageBook:
        """What each attempt used."""
        from hermes_company.folders.atomic import write_atomic
        from hermes_company.userspace.cost.book import UsageBook

        return UsageBook(self.layout.runs, write=partial(write_atomic, mode=0o600, durable=False))

    @cached_property
    def usage_counter(self) -> Counter:
        """Counts what an attempt used; for open ones, so far."""
        from hermes_company.folders.run_files import RunFiles
        from hermes_company.userspace.cost.counting import Counter

        def reported(ticket: str, attempt: int, engine: str) -> Sequence[Signal]:
            # Not by way of `runs`, which keeps what it has read of attempts in mind for as long as they are open.
            known = self.engines.get(engine)
            return RunFiles(self.layout).signals(ticket, attempt, known) if known else ()

        return Counter(self.usage, reported)

    @cached_property
    def spending(self) -> BookedSpending:
        """What is used of the budgets."""
        from hermes_company.bootstrap.spending import spending_of

        return spending_of(self)

    @cached_property
    def programs(self) -> Programs:
        """The userspace programs: archive, diary, skills, the history of what they wrote, and what attempts used."""
        from hermes_company.bootstrap.userspace import programs_of

        return programs_of(self)

    @cached_property
    def redact(self) -> Redact:
        """What takes secrets out before the memory stores anything."""
        from hermes_company.domain.redaction import redact
        from hermes_company.userspace.memory.secrets import Kingfisher

        return Kingfisher(self.layout.cache / "secrets") if self.settings.learning.scanner else redact

    @cached_property
    def chats(self) -> Chats:
        """The conversations that people have open."""
        from hermes_company.folders.chats import Chats

        return Chats(self.layout.chats)

    @cached_property
    def told(self) -> Told:
        """What people said to agents, on its way into the event log."""
        from hermes_company.folders.told import Told

        return Told(self.layout.told)

    @cached_property
    def answers(self) -> Answers:
        """Delivers people's answers."""
        from hermes_company.folders.questions import QuestionFiles
        from hermes_company.userspace.answers import Answers

        questions, feedback = QuestionFiles(self.layout), self.runs.give_feedback
        return Answers(questions, self.board, self.runs, self.events, feedback, lang=self.settings.lang)

    def catch_up(self) -> None:
        """One round of the programs, as the loop calls it; before it, what people said goes into the event log."""
        self.told.tell(self.events)
        self.answers.deliver()
        self.programs.catch_up()

    def job_for(self, agent: Agent, workdir: Path) -> Job:
        """A job as the agent's engine would see it there; nothing of it is ever started."""
        from hermes_company.ports.engine import Job

        nowhere = self.layout.private / "prepare"
        return Job(
            ticket="prepare",
            agent=agent,
            attempt=0,
            token="",
            session_id="",
            root=self.layout.root,
            run_dir=nowhere,
            outbox=self.layout.outbox_root / agent.name,
            workdir=workdir,
            prompt="",
            prompt_file=nowhere / "prompt.md",
            body="",
            settings=self.sight.engine_settings(agent.engine),
            environ=self.environ,
        )

    def examiners(self) -> tuple[Examiner, ...]:
        """Who examines the company, one for each room. Settings or an id that can't be read leave only the folders' own."""
        from hermes_company.bootstrap.examiners import examiners_of

        return examiners_of(self)


def open_company(root: Path | None, environ: Mapping[str, str], cwd: Path) -> Company:
    """The company that `--root`, HC_ROOT or the current folder means.

    Raises:
        Refusal: `company-not-found`.
    """
    return Company(Layout(find_root(root, environ, cwd)), environ)
