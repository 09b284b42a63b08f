"""Workers: the processes that attempts run in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from hermes_company.domain.run import WorkerState
from hermes_company.ports.engine import Launch


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerOrder:
    """A process to be started in an agent's window."""

    run_dir: Path
    # Whitelisted words only: `agent_<name>` or `agent_<name>_<slot>`.
    window: str
    token: str
    workdir: Path
    launch: Launch
    # Values for `Launch.pass_env` and `Launch.env`, already chosen; kept in a 0600 file that the launcher deletes on reading.
    environ: Mapping[str, str]
    stop_grace_seconds: float


class EndProgress(StrEnum):
    """How far the end of a worker has come."""

    ENDING = "ending"  # asked; ask again later
    ENDED = "ended"  # proved: launcher gone, no process carries its token
    STUCK = "stuck"  # processes survive SIGKILL (e.g. uninterruptible sleep)


@dataclass(frozen=True, slots=True)
class Activity:
    """What a worker was seen doing at one moment; two of them tell whether it moved."""

    # Processor seconds of its whole process tree.
    cpu_seconds: float
    # A fingerprint of what its window shows; empty when that cannot be had.
    screen: str


@dataclass(frozen=True, slots=True)
class Stray:
    """An attempt that a living process says it belongs to."""

    token: str
    ticket: str
    attempt: int


class Workers(Protocol):
    """Start, watch and end the process trees of attempts. `spawn` may be called twice for one attempt: at most one starts."""

    def prepare(self) -> None:
        """Make the place that workers run in exist (tmux server and session), tagged as this company's.

        Raises:
            Refusal: `tmux-missing`, `tmux-session-taken`, `tmux-unreachable`.
        """

    def spawn(self, order: WorkerOrder) -> str:
        """Start the launcher in the agent's window and return the pane's id.

        Raises:
            Refusal: it could not be started; nothing runs.
        """

    def state(self, run_dir: Path) -> WorkerState:
        """What is known of the process, from its records and the process table; does not ask tmux."""

    def end(self, run_dir: Path, token: str) -> EndProgress:
        """Go one step towards the proven end of the whole process tree. Never blocks; call until `ENDED`."""

    def survivors(self, token: str) -> tuple[int, ...]:
        """Process ids that still carry this attempt's token."""

    def strays(self, root: Path) -> Sequence[Stray]:
        """Every attempt of this company that a living process belongs to, whatever the records say."""

    def activity(self, run_dir: Path, pane: str | None) -> Activity:
        """What a living worker does now. Costs a look at the whole process table: not for every tick."""

    def tail(self, run_dir: Path, pane: str | None, lines: int) -> str:
        """The last lines that the worker showed, as plain text; empty when they cannot be had any more."""

    def picture(self, run_dir: Path, pane: str | None) -> str:
        """What the worker's window shows, with the attributes of the characters; empty when that cannot be had."""

    def keep_output(self, run_dir: Path, pane: str | None) -> None:
        """Keep what the worker showed as `pane.log` (0600) in its folder: its window will show the next attempt.

        What was kept stays as it is. When nothing can be had any more, an empty log is kept.
        """
