"""Workers without processes: what the test says happens, happens; what the real ones refuse, these refuse."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.errors import Refusal
from hermes_company.ports.clock import Clock
from hermes_company.ports.workers import EndProgress, WorkerOrder
from hermes_company.wording import say


@dataclass(slots=True)
class FakeProcess:
    """One started attempt."""

    order: WorkerOrder
    started: float
    alive: bool = True
    exit_code: int | None = None
    exit_signal: int | None = None
    refusal: str | None = None
    # The record of its end was written (a launcher that was killed writes none).
    recorded: bool = False
    # Refuses to die, as a process in uninterruptible sleep does.
    immortal: bool = False
    ends_asked: int = 0


@dataclass(slots=True)
class FakeWorkers:
    """`Workers` in memory. It outlives a kernel, as tmux outlives the loop.

    Args:
        clock: boot time of starts.
        slow_end: how many `end` calls a living process needs before it is gone.
    """

    clock: Clock
    slow_end: int = 1
    processes: dict[Path, FakeProcess] = field(default_factory=dict)
    # Every attempt folder whose process was really started, in order: an attempt occurs at most once.
    starts: list[Path] = field(default_factory=list)
    screen: str = "last words\n"
    # Set to let every spawn fail, as when tmux can't be reached.
    broken: bool = False
    windows_busy: dict[str, Path] = field(default_factory=dict)

    def prepare(self) -> None:
        """See `Workers.prepare`."""
        self._check()

    def spawn(self, order: WorkerOrder) -> str:
        """See `Workers.spawn`: the start fence lets an attempt begin once."""
        self._check()
        holder = self.windows_busy.get(order.window)
        if holder and holder != order.run_dir and self.processes[holder].alive:
            raise AssertionError(f"window {order.window} is in use by {holder}")
        for name, text in order.launch.files.items():
            (order.run_dir / name).write_text(text, encoding="utf-8")
        if order.run_dir not in self.processes:
            self.processes[order.run_dir] = FakeProcess(order, self.clock.boottime())
            self.starts.append(order.run_dir)
            self.windows_busy[order.window] = order.run_dir
        return f"%{len(self.starts)}"

    def state(self, run_dir: Path) -> WorkerState:
        """See `Workers.state`."""
        process = self.processes.get(run_dir)
        if process is None:
            return WorkerState(phase=WorkerPhase.NOT_STARTED)
        pid = 1_000 + self.starts.index(run_dir)
        if process.alive:
            return WorkerState(phase=WorkerPhase.RUNNING, pid=pid, started_boottime=process.started)
        if not process.recorded:
            return WorkerState(phase=WorkerPhase.VANISHED, started_boottime=process.started)
        return WorkerState(
            phase=WorkerPhase.EXITED,
            started_boottime=process.started,
            exit_code=process.exit_code,
            exit_signal=process.exit_signal,
            refusal=process.refusal,
        )

    def end(self, run_dir: Path, token: str) -> EndProgress:
        """See `Workers.end`."""
        process = self.processes.get(run_dir)
        if process is None or not process.alive:
            return EndProgress.ENDED
        process.ends_asked += 1
        if process.immortal:
            return EndProgress.STUCK if process.ends_asked > self.slow_end else EndProgress.ENDING
        if process.ends_asked >= self.slow_end:
            process.alive, process.recorded, process.exit_signal = False, True, 15
        return EndProgress.ENDED if not process.alive else EndProgress.ENDING

    def survivors(self, token: str) -> tuple[int, ...]:
        """See `Workers.survivors`."""
        return tuple(
            1_000 + self.starts.index(folder)
            for folder, process in self.processes.items()
            if process.alive and process.order.token == token
        )

    def tail(self, run_dir: Path, pane: str | None, lines: int) -> str:
        """See `Workers.tail`."""
        return "\n".join(self.screen.splitlines()[-lines:])

    def keep_output(self, run_dir: Path, pane: str | None) -> None:
        """See `Workers.keep_output`."""
        (run_dir / "pane.log").write_text(self.screen, encoding="utf-8")

    # What a test makes happen.

    def process(self, ticket: str) -> FakeProcess:
        """The ticket's living process."""
        return next(p for folder, p in self.processes.items() if folder.parent.name == ticket and p.alive)

    def exit(self, ticket: str, code: int = 0, refusal: str | None = None) -> None:
        """Its process ends and the launcher records it."""
        process = self.process(ticket)
        process.alive, process.recorded, process.exit_code, process.refusal = False, True, code, refusal

    def vanish(self, ticket: str) -> None:
        """Its process and its launcher are gone at once, without a record."""
        self.process(ticket).alive = False

    def report(self, ticket: str, event: str, **fields: object) -> None:
        """Its engine reports something through its hook."""
        path = self.process(ticket).order.run_dir / "signals.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, "at": self.clock.now().timestamp(), **fields}) + "\n")

    def _check(self) -> None:
        if self.broken:
            raise Refusal(
                "tmux-unreachable",
                fact=say("tmux does not answer."),
                cause=say("Nothing can be started."),
                remedy=say("Look at its socket."),
                status=75,
            )
