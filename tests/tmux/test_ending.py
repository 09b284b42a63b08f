"""However an attempt ends, nothing of its process tree is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_company.domain.run import WorkerPhase
from hermes_company.ports.workers import EndProgress, WorkerOrder
from hermes_company.terminal import processes
from hermes_company.terminal.run_folder import Fence, RunFolder
from tests.fakes.clock import FakeClock
from tests.support.tmux import GRACE, TmuxCompany, tmux_company, until
from tests.tmux.hostile_tree import NAMES

HOSTILE = str(Path(__file__).with_name("hostile_tree.py"))


def hostile(company: TmuxCompany, mode: str) -> WorkerOrder:
    """Start the hostile engine and wait until its whole tree stands."""
    order = company.order(sys.executable, HOSTILE, mode)
    company.workers.spawn(order)
    until(lambda: set(pids(company)) >= set(NAMES) - {"reborn"}, what="the hostile tree")
    return order


def pids(company: TmuxCompany) -> dict[str, int]:
    folder = company.root / "work" / "pids"
    return {path.name: int(path.read_text()) for path in folder.glob("[a-z]*")}


def alive(company: TmuxCompany) -> list[str]:
    found = {name: processes.look_up(pid) for name, pid in pids(company).items()}
    return [name for name, process in found.items() if process and not process.zombie]


def fence(order: WorkerOrder) -> Fence:
    found = RunFolder(order.run_dir).fence()
    assert found is not None
    return found


def test_end_leaves_nothing_of_a_hostile_tree(company: TmuxCompany) -> None:
    """Processes that ignore TERM, leave the session, daemonise without the token, stop themselves or respawn: all gone."""
    order = hostile(company, "stay")

    company.end(order)

    state = company.workers.state(order.run_dir)
    assert (state.phase, state.exit_signal, state.stopped_by) == (WorkerPhase.EXITED, signal.SIGKILL, "TERM")
    assert "reborn" in pids(company)
    assert alive(company) == []


def test_what_an_engine_leaves_behind_ends_with_it(company: TmuxCompany) -> None:
    """An engine that ends by itself takes its background processes with it, and its own exit status is kept."""
    order = hostile(company, "leave")

    state = company.phase(order, WorkerPhase.EXITED)

    assert (state.exit_code, state.stopped_by) == (0, None)
    assert alive(company) == []


def test_a_killed_engine_takes_its_tree_along(company: TmuxCompany) -> None:
    """kill -9 of the engine alone ends the rest as well."""
    order = hostile(company, "stay")
    os.kill(pids(company)["engine"], signal.SIGKILL)

    state = company.phase(order, WorkerPhase.EXITED)

    assert state.exit_signal == signal.SIGKILL
    assert alive(company) == []


@pytest.mark.parametrize("words", [("kill-pane", "-t", "=hermes:=agent_ann"), ("kill-server",)])
def test_a_closed_window_ends_the_tree(company: TmuxCompany, words: tuple[str, ...]) -> None:
    """A person who closes the window, or the whole tmux server, ends what ran in it; the record says that it was hung up."""
    order = hostile(company, "stay")

    company.tmux(*words)

    assert company.phase(order, WorkerPhase.EXITED).stopped_by == "HUP"
    assert alive(company) == []
    until(lambda: (launcher := processes.look_up(fence(order).pid or 0)) is None or launcher.zombie)


def test_a_killed_launcher_is_made_good_for(company: TmuxCompany) -> None:
    """kill -9 of the launcher leaves no record: the attempt has vanished, and ending it still leaves nothing."""
    order = hostile(company, "stay")
    os.kill(fence(order).pid or 0, signal.SIGKILL)
    company.phase(order, WorkerPhase.VANISHED)

    company.end(order)

    # Without a cgroup there is no trace to a daemon that dropped the token: the known limit.
    reachable = {*NAMES} if fence(order).cgroup else {*NAMES} - {"clean"}
    left = alive(company)
    for name in left:
        processes.send(pids(company)[name], signal.SIGKILL)
    assert reachable.isdisjoint(left)
    assert not fence(order).cgroup or not Path(fence(order).cgroup or "").exists()


@pytest.mark.parametrize("waits", ["while :; do sleep 0.05; done", "while :; do kill -STOP $$; done"])
def test_a_gentle_engine_may_finish_its_work(company: TmuxCompany, waits: str) -> None:
    """TERM comes first: an engine that cleans up within the grace is not killed, not even one that was stopped."""
    order = company.sh(f"trap 'echo saved > saved.txt; exit 7' TERM; echo ready > ready.txt; {waits}")
    company.workers.spawn(order)
    until((company.root / "work" / "ready.txt").exists)

    company.end(order)

    assert company.workers.state(order.run_dir).exit_code == 7
    assert (company.root / "work" / "saved.txt").exists()


@pytest.fixture
def slow_clock(tmp_path: Path) -> Iterator[tuple[TmuxCompany, FakeClock]]:
    """A company whose boot time moves only when the test says so."""
    clock = FakeClock()
    with tmux_company(tmp_path / "acme", clock=clock) as company:
        yield company, clock


def test_a_launcher_that_hangs_is_overruled(slow_clock: tuple[TmuxCompany, FakeClock]) -> None:
    """A launcher that does not get its tree ended is not waited for: five seconds after the grace it is done for it."""
    company, clock = slow_clock
    order = company.sh("trap '' TERM; sleep 600 & sleep 600", stop_grace_seconds=600.0)
    company.workers.spawn(order)
    until(lambda: len(company.workers.survivors(order.token)) == 3)
    launch = order.run_dir / "launch.json"
    launch.write_text(launch.read_text().replace("600.0", str(GRACE)))

    first = company.workers.end(order.run_dir, order.token)
    clock.advance(GRACE + 4.9)
    early = company.workers.end(order.run_dir, order.token)

    assert (first, early) == (EndProgress.ENDING, EndProgress.ENDING)
    assert len(company.workers.survivors(order.token)) == 3
    clock.advance(0.2)
    company.end(order)
    assert company.workers.survivors(order.token) == ()
    # It lived to see the end of its tree: as long as anything is below it, it is the one that orphans come to.
    assert company.workers.state(order.run_dir).phase is WorkerPhase.EXITED


def test_what_cannot_be_killed_is_called_stuck(slow_clock: tuple[TmuxCompany, FakeClock]) -> None:
    """Processes that are still there after KILL are reported, not waited for in silence; once they go, it has ended."""
    company, clock = slow_clock
    order = company.sh("exec sleep 600")
    company.workers.spawn(order)
    launcher = company.phase(order, WorkerPhase.RUNNING).pid
    os.kill(launcher or 0, signal.SIGKILL)
    company.phase(order, WorkerPhase.VANISHED)
    environ = {"HC_RUN_TOKEN": order.token}
    seen = []
    for _ in range(4):
        # Comes anew as often as it is killed: to the eye the same as one that cannot die.
        process = subprocess.Popen(["sleep", "600"], env=environ)
        until(lambda: company.workers.survivors(order.token))
        seen.append(company.workers.end(order.run_dir, order.token))
        clock.advance(GRACE + 5.1)
        process.kill()
        process.wait()

    assert seen == [EndProgress.ENDING, EndProgress.ENDING, EndProgress.STUCK, EndProgress.STUCK]
    company.end(order)


def test_another_process_with_the_same_id_is_not_the_launcher(company: TmuxCompany) -> None:
    """A fence of before a reboot, or of a pid that was given out again, names nobody who lives."""
    order = company.sh("exec sleep 600")
    company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)
    path = order.run_dir / "started.json"
    record = path.read_text()
    found = fence(order)

    path.write_text(record.replace(found.boot, "another-boot"))
    after_reboot = company.workers.state(order.run_dir).phase
    path.write_text(record.replace(f'"{found.start}"', '"1"'))
    reused = company.workers.state(order.run_dir).phase
    path.write_text(record)

    assert (after_reboot, reused) == (WorkerPhase.VANISHED, WorkerPhase.VANISHED)
    assert company.workers.state(order.run_dir).phase is WorkerPhase.RUNNING


def test_a_zombie_is_dead() -> None:
    """A process that has ended and that nobody has collected yet does not count as alive."""
    process = subprocess.Popen(["true"])
    until(lambda: (row := processes.look_up(process.pid)) is not None and row.zombie)
    found = processes.look_up(process.pid)
    assert found is not None

    alive = processes.is_alive(process.pid, found.start, processes.boot_id())

    process.wait()
    assert not alive


def test_the_end_rings_the_doorbell(company: TmuxCompany) -> None:
    """One byte comes through the FIFO when the record is there, so that nobody has to poll for it."""
    doorbell = company.root / "doorbell"
    os.mkfifo(doorbell)
    listener = os.open(doorbell, os.O_RDWR)
    order = company.sh("exit 0")
    company.workers.spawn(order)

    rung = os.read(listener, 10)
    os.close(listener)

    assert rung == b"\n"
    assert company.workers.state(order.run_dir).phase is WorkerPhase.EXITED


def test_a_file_in_the_place_of_the_doorbell_is_left_alone(company: TmuxCompany) -> None:
    """Only a FIFO is written to."""
    doorbell = company.root / "doorbell"
    doorbell.write_text("somebody's file")

    company.ended(company.sh("exit 0"))

    assert doorbell.read_text() == "somebody's file"
