"""A kernel over real folders with fake workers, engine, prompts and clock: the world that most kernel tests live in."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.run import Attempt
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State
from hermes_company.domain.workdir import Places
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.layout import Layout
from hermes_company.folders.outbox import OutboxFolders
from hermes_company.folders.policy_file import PolicyFile
from hermes_company.folders.protection import FolderProtection
from hermes_company.folders.run_files import RunFiles
from hermes_company.kernel.loop import Kernel
from hermes_company.kernel.parts import Parts
from hermes_company.ports.screens import Screen
from tests.fakes.agents import FakeAgents
from tests.fakes.clock import FakeClock
from tests.fakes.crashing import Crashing, Plan
from tests.fakes.engines import FakeEngine
from tests.fakes.prompts import FakePrompts
from tests.fakes.spending import FakeSpending
from tests.fakes.workers import FakeWorkers

_tokens = itertools.count(1)


@dataclass(slots=True)
class Rig:
    """One company and what a test does to it. `restart` gives a new kernel over the same files, as after kill -9."""

    root: Path
    settings: Settings = field(default_factory=lambda: Settings(retry_delay_seconds=30, settle_seconds=0))
    clock: FakeClock = field(default_factory=lambda: FakeClock(now=datetime.now(UTC)))
    engine: FakeEngine = field(default_factory=FakeEngine)
    prompts: FakePrompts = field(default_factory=FakePrompts)
    agents: FakeAgents = field(default_factory=FakeAgents)
    spending: FakeSpending = field(default_factory=FakeSpending)
    # How windows are read, by engine.
    screens: dict[str, Screen] = field(default_factory=dict)
    # Tickets whose conversation a person has open.
    talking: Callable[[], Collection[str]] = tuple
    workers: FakeWorkers = field(init=False)
    layout: Layout = field(init=False)
    kernel: Kernel = field(init=False)
    max_running: int = 4
    # Strikes at calls of the kernel to its files, workers and events.
    plan: Plan | None = None

    def __post_init__(self) -> None:
        self.workers = FakeWorkers(self.clock)
        self.layout = Layout(self.root)
        for state in State:
            self.layout.state(state).mkdir(parents=True, exist_ok=True)
        self.agent("ann")
        self.restart()

    def agent(self, name: str, **fields: object) -> None:
        """Hire somebody."""
        self.agents.book[name] = Agent(**{"name": name, "engine": "fake", **fields})  # type: ignore[arg-type]

    def restart(self) -> None:
        """Forget all that a process knows and start again from the files."""
        self.kernel = Kernel(self.parts())
        self.kernel.recover()

    def parts(self) -> Parts:
        """The kernel's parts, built anew."""
        whole = self._whole()
        if self.plan is None:
            return whole
        names = ("board", "runs", "outbox", "events", "workers", "agents", "prompts", "protection")
        return replace(whole, **{name: Crashing(getattr(whole, name), self.plan) for name in names})

    def _whole(self) -> Parts:
        return Parts(
            root=self.root,
            settings=self.settings,
            places=Places(root=str(self.root), home=str(self.root), projects=self.settings.projects),
            board=FolderBoard(self.layout, self.clock, self.settings.settle_seconds),
            runs=RunFiles(self.layout),
            outbox=OutboxFolders(self.layout),
            agents=self.agents,
            spending=self.spending,
            events=EventLog(self.layout.events_file, self.clock),
            workers=self.workers,
            engines={"fake": self.engine},
            screens=self.screens,
            talking=self.talking,
            prompts=self.prompts,
            protection=FolderProtection(self.layout),
            policy=PolicyFile(self.layout),
            tmux_socket="hermes-rig",
            clock=self.clock,
            environ={"PATH": os.defpath, "SECRET": "s3cret"},
            doorbell=self.layout.doorbell,
            new_token=lambda: f"hc-{next(_tokens):016x}",
            new_session=lambda: f"session-{next(_tokens)}",
            chance=lambda: 0.0,
            cores=self.max_running,
        )

    # What people do.

    def drop(self, ticket: str, text: str = "do it", state: State = State.TODO) -> Path:
        """Put a ticket's file into a folder."""
        path = self.layout.ticket(ticket, state)
        path.write_text(text, encoding="utf-8")
        return path

    def mv(self, ticket: str, target: State) -> None:
        """Move a ticket's file by hand."""
        source = self.layout.ticket(ticket, self.where(ticket))
        source.rename(self.layout.ticket(ticket, target))

    def where(self, ticket: str) -> State:
        """The one folder that it lies in."""
        places = [state for state in State if self.layout.ticket(ticket, state).exists()]
        assert len(places) == 1, f"{ticket} lies in {places}"
        return places[0]

    def tick(self, times: int = 1, *, seconds: float = 0.0) -> None:
        """Let the loop go round."""
        for _ in range(times):
            self.clock.advance(seconds)
            self.kernel.tick()

    # What agents do.

    def outbox(self, ticket: str, agent: str = "ann") -> Path:
        """Its outbox folder."""
        return self.layout.outbox(agent, ticket)

    def finish(self, ticket: str, agent: str = "ann", summary: str = "# Summary\n\nAll done.\n") -> None:
        """Write the summary and DONE, and say that the turn is over."""
        folder = self.outbox(ticket, agent)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "summary.md").write_text(summary, encoding="utf-8")
        (folder / "DONE").touch()
        self.workers.report(ticket, "turn_ended")

    def block(self, ticket: str, reason: str, agent: str = "ann") -> None:
        """Write BLOCKED and say that the turn is over."""
        (self.outbox(ticket, agent) / "BLOCKED").write_text(reason, encoding="utf-8")
        self.workers.report(ticket, "turn_ended")

    # What a test looks at.

    def history(self, ticket: str) -> list[Attempt]:
        """Its attempts."""
        return list(RunFiles(self.layout).history(ticket))

    def kinds(self) -> list[str]:
        """The kinds of all events, in order."""
        return [event.kind for event in EventLog(self.layout.events_file, self.clock).after(0)]
