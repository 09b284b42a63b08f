"""The one file that knows every room and builds the real parts. Each is built when it is first asked for."""

from __future__ import annotations

import os
import random
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.settings import Settings
from hermes_company.domain.workdir import Places
from hermes_company.folders.agent_files import AgentFiles
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.layout import Layout
from hermes_company.folders.outbox import OutboxFolders
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.settings_file import find_root, read_settings
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.clock import Clock
from hermes_company.ports.engine import Engine

if TYPE_CHECKING:
    from hermes_company.folders.prompts import PromptWriter
    from hermes_company.kernel.assessing import Assessor
    from hermes_company.kernel.loop import Kernel
    from hermes_company.kernel.parts import Parts, Sight
    from hermes_company.terminal.workers import TmuxWorkers
    from hermes_company.userspace.memory.notebook import NoteBook
    from hermes_company.userspace.memory.retriever import FtsRetriever
    from hermes_company.userspace.programs import Programs
    from hermes_company.userspace.skills import CompanySkills


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
        return FolderBoard(self.layout, self.clock, self.settings.settle_seconds)

    @cached_property
    def runs(self) -> RunFiles:
        """The records of attempts."""
        return RunFiles(self.layout)

    @cached_property
    def outbox(self) -> OutboxFolders:
        """What agents leave."""
        return OutboxFolders(self.layout)

    @cached_property
    def agents(self) -> AgentFiles:
        """The agent folders."""
        return AgentFiles(self.layout, self.settings)

    @cached_property
    def events(self) -> EventLog:
        """The event log."""
        return EventLog(self.layout.events_file, self.clock)

    @cached_property
    def engines(self) -> Mapping[str, Engine]:
        """Every engine that is installed, by name."""
        from hermes_company.engines.registry import load_engines

        return load_engines()

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
    def prompts(self) -> PromptWriter:
        """What engines are told."""
        from hermes_company.folders.prompts import PromptWriter

        return PromptWriter(self.layout, self.settings, self.retriever, self.skills)

    @cached_property
    def workers(self) -> TmuxWorkers:
        """The company's own tmux server."""
        from hermes_company.folders.company_files import ensure_identity
        from hermes_company.folders.settings_file import socket_name
        from hermes_company.terminal.workers import TmuxWorkers

        company = ensure_identity(self.layout)
        tmux = self.settings.tmux
        return TmuxWorkers(
            replace(tmux, socket=tmux.socket or socket_name(self.layout.root.name, company)),
            company=company,
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
            prompts=self.prompts,
            clock=self.clock,
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
        from hermes_company.kernel.parts import Sight

        return Sight(
            settings=self.settings,
            places=self.places,
            runs=self.runs,
            agents=self.agents,
            engines=self.engines,
            clock=self.clock,
            environ=self.environ,
            cores=self.cores,
        )

    @cached_property
    def assessor(self) -> Assessor:
        """Why tickets wait."""
        from hermes_company.kernel.assessing import Assessor

        return Assessor(self.sight)

    def kernel(self) -> Kernel:
        """A loop over these parts. The caller holds `company_lock`."""
        from hermes_company.kernel.loop import Kernel

        return Kernel(self.parts)

    @cached_property
    def programs(self) -> Programs:
        """The userspace programs: archive and diary."""
        from hermes_company.folders.atomic import write_atomic
        from hermes_company.userspace.diary import Diary
        from hermes_company.userspace.memory.archive import Archive
        from hermes_company.userspace.programs import Programs

        return Programs(
            [
                Archive(self.notes, self.events, lang=self.settings.lang),
                Diary(self.layout.logs, lang=self.settings.lang, runs=self.runs),
            ],
            self.events,
            self.layout.private / "programs",
            self.clock,
            write=write_atomic,
        )

    def catch_up(self) -> None:
        """One round of the programs, as the loop calls it."""
        self.programs.catch_up()


def open_company(root: Path | None, environ: Mapping[str, str], cwd: Path) -> Company:
    """The company that `--root`, HC_ROOT or the current folder means.

    Raises:
        Refusal: `company-not-found`.
    """
    return Company(Layout(find_root(root, environ, cwd)), environ)
