"""What the kernel is given, and what it keeps in mind between two ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from hermes_company.domain.settings import EngineSettings

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_company.domain.run import Attempt
    from hermes_company.domain.settings import Settings
    from hermes_company.domain.ticket import State
    from hermes_company.domain.workdir import Places
    from hermes_company.ports.agents import AgentBook
    from hermes_company.ports.board import Board
    from hermes_company.ports.clock import Clock
    from hermes_company.ports.engine import Engine
    from hermes_company.ports.events import Events
    from hermes_company.ports.prompts import Prompts
    from hermes_company.ports.runs import Outbox, Runs
    from hermes_company.ports.spending import Spending
    from hermes_company.ports.workers import Workers


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """What it takes to look at a company and judge its tickets; nothing here writes or starts anything by being built."""

    settings: Settings
    places: Places
    runs: Runs
    agents: AgentBook
    engines: Mapping[str, Engine]
    clock: Clock
    spending: Spending
    environ: Mapping[str, str]
    cores: int

    def engine_settings(self, engine: str) -> EngineSettings:
        """What company.yaml says of that engine."""
        return self.settings.engines.get(engine) or EngineSettings()

    @property
    def max_running(self) -> int:
        """The company's cap: as set, else one a core, at most 8."""
        return self.settings.max_running or min(self.cores, 8)


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts(Sight):
    """Everything outside the kernel, injected."""

    root: Path
    board: Board
    outbox: Outbox
    events: Events
    workers: Workers
    prompts: Prompts
    # A FIFO that wakes the loop; named to the engines' hooks.
    doorbell: Path
    # Fresh unguessable words: a token and a conversation id.
    new_token: Callable[[], str]
    new_session: Callable[[], str]
    # 0…1, for jitter.
    chance: Callable[[], float]

    @property
    def lease(self) -> timedelta:
        """How long a claim stands without being renewed."""
        return timedelta(seconds=self.settings.lease_seconds)


@dataclass(slots=True)
class Mind:
    """What the kernel remembers between ticks. All of it can be found again from the files."""

    # Where each ticket was last seen: tells a person's move from ours.
    known: dict[str, State] = field(default_factory=dict)
    # Open attempts by ticket.
    open: dict[str, Attempt] = field(default_factory=dict)
    # Boot-time moments by attempt token.
    launched: dict[str, float] = field(default_factory=dict)
    marked: dict[str, float] = field(default_factory=dict)
    # The last look at each attempt by token: what it depended on, and the boot-time moment.
    looked: dict[str, tuple[tuple[int, int, bool], float]] = field(default_factory=dict)

    # Grows when an attempt begins or ends and when people did something.
    epoch: int = 0

    def keep(self, attempt: Attempt) -> None:
        """Remember an open attempt as it is now."""
        self.epoch += attempt.ticket not in self.open
        self.open[attempt.ticket] = attempt

    def forget(self, attempt: Attempt) -> None:
        """Drop a closed attempt."""
        self.epoch += 1
        self.open.pop(attempt.ticket, None)
        self.launched.pop(attempt.token, None)
        self.marked.pop(attempt.token, None)
        self.looked.pop(attempt.token, None)
