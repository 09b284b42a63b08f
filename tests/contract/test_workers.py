"""What all workers promise: the fake ones that the kernel's tests run on, and the real ones in tmux."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import pytest

from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Launch
from hermes_company.ports.workers import EndProgress, WorkerOrder, Workers
from tests.fakes.clock import FakeClock
from tests.fakes.workers import FakeWorkers
from tests.support.tmux import TmuxCompany, tmux_company, until

STAYS = "echo started >> started.txt; echo last words; exec sleep 600"
EXITS_3 = "exit 3"
IS_KILLED = "kill -9 $$"


class Bench(Protocol):
    """Workers, and a way to start a shell script on them."""

    @property
    def workers(self) -> Workers:
        """What is tested."""

    def order(self, script: str, ticket: str = "TASK-1", attempt: int = 1) -> WorkerOrder:
        """An order to start that script as an attempt of agent ann."""

    def start(self, order: WorkerOrder) -> str:
        """Spawn it and, where a script ends by itself, let it."""

    def starts(self) -> int:
        """How many times a script that stays was started."""


@dataclass
class TmuxBench:
    """Real processes in a private tmux server."""

    company: TmuxCompany

    @property
    def workers(self) -> Workers:
        return self.company.workers

    def order(self, script: str, ticket: str = "TASK-1", attempt: int = 1) -> WorkerOrder:
        return self.company.sh(script, ticket=ticket, attempt=attempt)

    def start(self, order: WorkerOrder) -> str:
        return self.workers.spawn(order)

    def starts(self) -> int:
        started = self.company.root / "work" / "started.txt"
        return len(started.read_text().splitlines()) if started.exists() else 0


@dataclass
class FakeBench:
    """No processes: the three scripts above are played."""

    root: Path
    workers: FakeWorkers

    def order(self, script: str, ticket: str = "TASK-1", attempt: int = 1) -> WorkerOrder:
        run_dir = self.root / "runs" / ticket / str(attempt)
        run_dir.mkdir(parents=True, exist_ok=True)
        return WorkerOrder(
            run_dir=run_dir,
            window="agent_ann",
            token=f"hc-{ticket}-{attempt}",
            workdir=self.root,
            launch=Launch(argv=("/bin/sh", "-c", script)),
            environ={},
            stop_grace_seconds=0.1,
        )

    def start(self, order: WorkerOrder) -> str:
        pane = self.workers.spawn(order)
        process = self.workers.processes[order.run_dir]
        script = order.launch.argv[-1]
        if process.alive and script in (EXITS_3, IS_KILLED):
            process.alive, process.recorded = False, True
            process.exit_code, process.exit_signal = (3, None) if script == EXITS_3 else (None, 9)
        return pane

    def starts(self) -> int:
        return len(self.workers.starts)


@contextmanager
def tmux_bench(root: Path) -> Iterator[Bench]:
    with tmux_company(root) as company:
        yield TmuxBench(company)


@contextmanager
def fake_bench(root: Path) -> Iterator[Bench]:
    yield FakeBench(root, FakeWorkers(FakeClock()))


@pytest.fixture(params=[fake_bench, tmux_bench])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """Each kind of workers in turn, prepared."""
    opened: AbstractContextManager[Bench] = request.param(tmp_path / "acme")
    (tmp_path / "acme").mkdir()
    with opened as made:
        made.workers.prepare()
        yield made


def wait_for(bench: Bench, order: WorkerOrder, phase: WorkerPhase) -> WorkerState:
    until(lambda: bench.workers.state(order.run_dir).phase is phase, what=str(phase))
    return bench.workers.state(order.run_dir)


def end(bench: Bench, order: WorkerOrder) -> None:
    until(lambda: bench.workers.end(order.run_dir, order.token) is EndProgress.ENDED, what="the end")


def test_an_attempt_that_nobody_started_says_so(bench: Bench) -> None:
    """Before the start fence there is nothing to know."""
    order = bench.order(STAYS)

    assert bench.workers.state(order.run_dir) == WorkerState(phase=WorkerPhase.NOT_STARTED)


def test_a_living_attempt_names_its_process(bench: Bench) -> None:
    """While it runs, the launcher's pid and the boot time of its start are known."""
    order = bench.order(STAYS)
    bench.start(order)

    state = wait_for(bench, order, WorkerPhase.RUNNING)

    assert state.pid is not None
    assert state.started_awake is not None
    assert state.exit_code is None


def test_the_exit_status_is_kept(bench: Bench) -> None:
    """An engine's own exit status is what the state says."""
    order = bench.order(EXITS_3)
    bench.start(order)

    state = wait_for(bench, order, WorkerPhase.EXITED)

    assert (state.exit_code, state.exit_signal, state.stopped_by) == (3, None, None)


def test_the_signal_that_killed_an_engine_is_kept(bench: Bench) -> None:
    """An engine that died of a signal has no exit status, but the signal's number."""
    order = bench.order(IS_KILLED)
    bench.start(order)

    state = wait_for(bench, order, WorkerPhase.EXITED)

    assert (state.exit_code, state.exit_signal) == (None, 9)


def test_an_attempt_starts_once_however_often_it_is_spawned(bench: Bench) -> None:
    """A kernel that does not know the fate of its launch may launch again: same pane, no second engine."""
    order = bench.order(STAYS)
    first = bench.start(order)
    wait_for(bench, order, WorkerPhase.RUNNING)

    again = bench.workers.spawn(order)

    assert again == first
    assert until(bench.starts) == 1


def test_an_ended_attempt_does_not_start_again(bench: Bench) -> None:
    """The fence outlives the attempt."""
    order = bench.order(STAYS)
    bench.start(order)
    wait_for(bench, order, WorkerPhase.RUNNING)
    end(bench, order)

    bench.workers.spawn(order)

    assert bench.workers.state(order.run_dir).phase is WorkerPhase.EXITED
    assert bench.workers.survivors(order.token) == ()


def test_a_window_in_use_is_not_taken_away(bench: Bench) -> None:
    """Another attempt in a window where one lives is refused, and the living one goes on."""
    living, next_one = bench.order(STAYS), bench.order(STAYS, attempt=2)
    bench.start(living)
    wait_for(bench, living, WorkerPhase.RUNNING)

    with pytest.raises(Refusal) as refusal:
        bench.workers.spawn(next_one)

    assert refusal.value.code == "window-busy"
    assert bench.workers.state(living.run_dir).phase is WorkerPhase.RUNNING
    assert bench.workers.state(next_one.run_dir).phase is WorkerPhase.NOT_STARTED


def test_a_window_is_used_again_after_the_end(bench: Bench) -> None:
    """The next attempt of an agent starts where the last one ended."""
    first, second = bench.order(EXITS_3), bench.order(EXITS_3, ticket="任务-2")
    bench.start(first)
    wait_for(bench, first, WorkerPhase.EXITED)

    bench.start(second)

    assert wait_for(bench, second, WorkerPhase.EXITED).exit_code == 3


def test_ending_a_living_attempt_proves_it(bench: Bench) -> None:
    """After ENDED nothing carries the token, and the record says that it was stopped."""
    order = bench.order(STAYS)
    bench.start(order)
    wait_for(bench, order, WorkerPhase.RUNNING)

    end(bench, order)

    state = bench.workers.state(order.run_dir)
    assert (state.phase, state.exit_signal, state.stopped_by) == (WorkerPhase.EXITED, 15, "TERM")
    assert bench.workers.survivors(order.token) == ()


def test_ending_is_repeatable(bench: Bench) -> None:
    """An attempt that has ended is ended, however often one asks."""
    order = bench.order(EXITS_3)
    bench.start(order)
    wait_for(bench, order, WorkerPhase.EXITED)

    assert [bench.workers.end(order.run_dir, order.token) for _ in range(2)] == [EndProgress.ENDED] * 2
    assert bench.workers.state(order.run_dir).exit_code == 3


def test_an_attempt_ended_before_it_began_never_begins(bench: Bench) -> None:
    """A late launcher of an attempt that was given up starts nothing."""
    order = bench.order(STAYS)

    assert bench.workers.end(order.run_dir, order.token) is EndProgress.ENDED

    bench.workers.spawn(order)
    assert bench.workers.state(order.run_dir).phase is WorkerPhase.VANISHED
    assert bench.workers.survivors(order.token) == ()


def test_survivors_are_named_while_they_live(bench: Bench) -> None:
    """The living processes of an attempt are found by its token."""
    order = bench.order(STAYS)
    bench.start(order)
    wait_for(bench, order, WorkerPhase.RUNNING)

    assert until(lambda: bench.workers.survivors(order.token))


def test_a_missing_working_directory_starts_nothing(bench: Bench, tmp_path: Path) -> None:
    """A directory that is gone is refused with its code; the engine never ran somewhere else."""
    order = replace(bench.order(STAYS), workdir=tmp_path / "gone")
    bench.start(order)

    state = wait_for(bench, order, WorkerPhase.EXITED)

    assert (state.refusal, state.exit_code) == ("workdir-missing", 66)


@pytest.mark.parametrize("window", ["ann", "agent_", "agent_#(touch x)", "agent_a;", "agent_a:b", "agent_a.b", "agent_a\n"])
def test_only_generated_words_name_windows(bench: Bench, window: str) -> None:
    """A word that tmux could read as something else is a fault of ours, found before tmux sees it."""
    with pytest.raises(ValueError, match="not generated words"):
        bench.workers.spawn(replace(bench.order(STAYS), window=window))


@pytest.mark.parametrize(
    "launch",
    [
        Launch(argv=()),
        Launch(argv=("a\0b",)),
        Launch(argv=("true",), files={"../x": ""}),
        Launch(argv=("true",), files={"a/b": ""}),
    ],
)
def test_a_launch_that_no_system_can_carry_out_is_refused(bench: Bench, launch: Launch) -> None:
    """NUL bytes, no command, files outside the folder: refused, nothing runs."""
    order = replace(bench.order(STAYS), launch=launch)

    with pytest.raises(Refusal) as refusal:
        bench.workers.spawn(order)

    assert refusal.value.code == "launch-unusable"
    assert bench.workers.state(order.run_dir).phase is WorkerPhase.NOT_STARTED


def test_launch_files_are_private(bench: Bench) -> None:
    """An engine's files are there before it starts, readable by nobody else, scripts executable."""
    order = bench.order(EXITS_3)
    files = {"settings.json": "{}", "hook.sh": "#!/bin/sh\n"}
    bench.start(replace(order, launch=replace(order.launch, prompt_as_argument=False, files=files)))

    modes = {name: stat.S_IMODE(os.stat(order.run_dir / name).st_mode) for name in files}  # noqa: PTH116
    assert modes == {"settings.json": 0o600, "hook.sh": 0o700}


def test_last_words_outlive_the_window(bench: Bench) -> None:
    """What the worker showed can be read while it runs and, once kept, without its window; nobody else may read it."""
    order = bench.order(STAYS)
    pane = bench.start(order)
    until(lambda: bench.workers.tail(order.run_dir, pane, 1) == "last words", what="last words on the screen")

    bench.workers.keep_output(order.run_dir, pane)

    assert bench.workers.tail(order.run_dir, None, 1) == "last words"
    assert stat.S_IMODE((order.run_dir / "pane.log").stat().st_mode) == 0o600


def test_a_picture_is_of_its_own_window(bench: Bench) -> None:
    """It shows what the attempt's window shows; for an attempt that nobody started there is none."""
    order = bench.order(STAYS)
    pane = bench.start(order)

    until(lambda: "last words" in bench.workers.picture(order.run_dir, pane), what="last words in the picture")
    assert bench.workers.picture(bench.order(STAYS, ticket="TASK-2").run_dir, pane) == ""


def test_preparing_twice_is_preparing_once(bench: Bench) -> None:
    """A restart finds the place as it is, with what runs in it."""
    order = bench.order(STAYS)
    bench.start(order)
    wait_for(bench, order, WorkerPhase.RUNNING)

    bench.workers.prepare()

    assert bench.workers.state(order.run_dir).phase is WorkerPhase.RUNNING
