"""Workers without processes: what the test says happens, happens; what the real ones refuse, these refuse."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.errors import Refusal
from hermes_company.ports.clock import Clock
from hermes_company.ports.workers import Activity, EndProgress, Stray, WorkerOrder
from hermes_company.wording import say


@dataclass(slots=True)
class FakeProcess:
    """One started attempt."""

    order: WorkerOrder
    started: float
    alive: bool = True
    exit_code: int | None = None
    exit_signal: int | None = None
    stopped_by: str | None = None
    refusal: str | None = None
    # The record of its end was written (a launcher that was killed writes none).
    recorded: bool = False
    # Refuses to die, as a process in uninterruptible sleep does.
    immortal: bool = False
    ends_asked: int = 0
    cpu_seconds: float = 0.0


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
    # How often one was asked for with its attributes.
    pictures: int = 0
    # Set to let every spawn fail, as when tmux can't be reached.
    broken: bool = False
    windows_busy: dict[str, Path] = field(default_factory=dict)
    # Attempts whose end was proved before they began: they never begin.
    barred: set[Path] = field(default_factory=set)

    def prepare(self) -> None:
        """See `Workers.prepare`."""
        self._check()

    def spawn(self, order: WorkerOrder) -> str:
        """See `Workers.spawn`: the start fence lets an attempt begin once."""
        self._check()
        _check_words(order)
        if order.run_dir in self.processes or order.run_dir in self.barred:
            return self._pane(order.run_dir)
        holder = self.windows_busy.get(order.window)
        if holder and self.processes[holder].alive:
            raise _busy(order.window, holder)
        for name, text in order.launch.files.items():
            path = order.run_dir / name
            path.write_text(text, encoding="utf-8")
            path.chmod(0o700 if name.endswith(".sh") else 0o600)
        process = self.processes[order.run_dir] = FakeProcess(order, self.clock.awake())
        self.windows_busy[order.window] = order.run_dir
        if order.workdir.is_dir():
            self.starts.append(order.run_dir)
        else:
            process.alive, process.recorded, process.exit_code, process.refusal = False, True, 66, "workdir-missing"
        return self._pane(order.run_dir)

    def state(self, run_dir: Path) -> WorkerState:
        """See `Workers.state`."""
        process = self.processes.get(run_dir)
        if process is None:
            phase = WorkerPhase.VANISHED if run_dir in self.barred else WorkerPhase.NOT_STARTED
            return WorkerState(phase=phase)
        pid = self._pid(run_dir)
        if process.alive:
            return WorkerState(phase=WorkerPhase.RUNNING, pid=pid, started_awake=process.started)
        if not process.recorded:
            return WorkerState(phase=WorkerPhase.VANISHED, started_awake=process.started)
        return WorkerState(
            phase=WorkerPhase.EXITED,
            started_awake=process.started,
            exit_code=process.exit_code,
            exit_signal=process.exit_signal,
            stopped_by=process.stopped_by,
            refusal=process.refusal,
        )

    def end(self, run_dir: Path, token: str) -> EndProgress:
        """See `Workers.end`."""
        process = self.processes.get(run_dir)
        if process is None:
            self.barred.add(run_dir)
            return EndProgress.ENDED
        if not process.alive:
            return EndProgress.ENDED
        process.ends_asked += 1
        if process.immortal:
            return EndProgress.STUCK if process.ends_asked > self.slow_end else EndProgress.ENDING
        if process.ends_asked >= self.slow_end:
            process.alive, process.recorded, process.exit_signal, process.stopped_by = False, True, 15, "TERM"
        return EndProgress.ENDED if not process.alive else EndProgress.ENDING

    def survivors(self, token: str) -> tuple[int, ...]:
        """See `Workers.survivors`."""
        return tuple(
            self._pid(folder) for folder, process in self.processes.items() if process.alive and process.order.token == token
        )

    def strays(self, root: Path) -> Sequence[Stray]:
        """See `Workers.strays`."""
        return [
            Stray(process.order.token, folder.parent.name, int(folder.name))
            for folder, process in self.processes.items()
            if process.alive and process.order.environ.get("HC_ROOT") == str(root)
        ]

    def activity(self, run_dir: Path, pane: str | None) -> Activity:
        """See `Workers.activity`."""
        process = self.processes.get(run_dir)
        return Activity(process.cpu_seconds if process else 0.0, self.screen)

    def tail(self, run_dir: Path, pane: str | None, lines: int) -> str:
        """See `Workers.tail`."""
        return "\n".join(self.screen.splitlines()[-lines:])

    def picture(self, run_dir: Path, pane: str | None) -> str:
        """See `Workers.picture`."""
        self.pictures += 1
        return self.screen if run_dir in self.processes else ""

    def keep_output(self, run_dir: Path, pane: str | None) -> None:
        """See `Workers.keep_output`."""
        path = run_dir / "pane.log"
        if path.exists():
            return
        path.write_text(self.screen, encoding="utf-8")
        path.chmod(0o600)

    # What a test makes happen.

    def process(self, ticket: str) -> FakeProcess:
        """The ticket's living process."""
        return next(p for folder, p in self.processes.items() if folder.parent.name == ticket and p.alive)

    def exit(self, ticket: str, code: int = 0, refusal: str | None = None) -> None:
        """Its process ends and the launcher records it."""
        process = self.process(ticket)
        process.alive, process.recorded, process.exit_code, process.refusal = False, True, code, refusal
        (process.order.run_dir / "exit.json").write_text("{}", encoding="utf-8")

    def vanish(self, ticket: str) -> None:
        """Its process and its launcher are gone at once, without a record."""
        self.process(ticket).alive = False

    def report(self, ticket: str, event: str, **fields: object) -> None:
        """Its engine reports something through its hook."""
        path = self.process(ticket).order.run_dir / "signals.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"event": event, "at": self.clock.now().timestamp(), **fields}) + "\n")

    def _pid(self, run_dir: Path) -> int:
        return 1_000 + list(self.processes).index(run_dir)

    def _pane(self, run_dir: Path) -> str:
        return f"%{list(self.processes).index(run_dir)}" if run_dir in self.processes else ""

    def _check(self) -> None:
        if self.broken:
            raise Refusal(
                "tmux-unreachable",
                fact=say("tmux does not answer."),
                cause=say("Nothing can be started."),
                remedy=say("Look at its socket."),
                status=75,
            )


def _check_words(order: WorkerOrder) -> None:
    window = re.fullmatch(r"agent_[A-Za-z0-9][A-Za-z0-9_-]{0,63}", order.window)
    if not window or not is_ticket_id(order.run_dir.parent.name) or not order.run_dir.name.isdigit():
        raise ValueError(f"not generated words: {order.window!r}, {order.run_dir}")
    words = [*order.launch.argv, *order.environ.values()]
    if not order.launch.argv or any("\0" in word for word in words) or any(Path(n).name != n for n in order.launch.files):
        raise Refusal(
            "launch-unusable",
            fact=say("The engine cannot be started as described: {what}.", what=order.launch.argv),
            cause=say("The system would start something else, or nothing."),
            remedy=say("Correct the agent's `args` and `env` in its profile.json, or the engine."),
        )


def _busy(window: str, holder: Path) -> Refusal:
    return Refusal(
        "window-busy",
        fact=say("In window `{window}` something still runs: {what}.", window=window, what=holder),
        cause=say("Starting the next attempt there would kill it."),
        remedy=say("End it or close the window; the attempt is started then."),
        status=75,
    )
