"""What the kernel is given, and what it keeps in mind between two ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hermes_company.domain.run import Attempt
from hermes_company.domain.ticket import State
from hermes_company.kernel.sight import Sight
from hermes_company.ports.board import Board
from hermes_company.ports.events import Events
from hermes_company.ports.prompts import Prompts
from hermes_company.ports.protection import Protection
from hermes_company.ports.runs import Outbox
from hermes_company.ports.screens import Screen
from hermes_company.ports.workers import Workers


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts(Sight):
    """Everything outside the kernel, injected."""

    root: Path
    board: Board
    outbox: Outbox
    events: Events
    workers: Workers
    prompts: Prompts
    protection: Protection
    # Name of the company's tmux server.
    tmux_socket: str
    # A FIFO that wakes the loop; named to the engines' hooks.
    doorbell: Path
    # Fresh unguessable words: a token and a conversation id.
    new_token: Callable[[], str]
    new_session: Callable[[], str]
    # How the windows of engines are read that may ask a person something, by the engine's name.
    screens: Mapping[str, Screen] = field(default_factory=dict)
    # 0…1, for jitter.
    chance: Callable[[], float]

    @property
    def lease(self) -> timedelta:
        """How long a claim stands without being renewed."""
        return timedelta(seconds=self.settings.lease_seconds)


@dataclass(frozen=True, slots=True)
class Look:
    """A look at one attempt: what it depended on (time stamps of its run and outbox, whether it lies in doing), and when."""

    depends: tuple[int, int, bool]
    at: float


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
    looked: dict[str, Look] = field(default_factory=dict)
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
