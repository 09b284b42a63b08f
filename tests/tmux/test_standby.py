"""Between two attempts of an agent the launcher waits in its window. Nothing of one attempt reaches the next."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from hermes_company.domain.run import WorkerPhase
from hermes_company.errors import Refusal
from hermes_company.ports.workers import EndProgress, WorkerOrder
from hermes_company.terminal import processes
from hermes_company.terminal.run_folder import Fence, RunFolder
from hermes_company.terminal.standby import Standby, hand_over
from tests.support.tmux import TmuxCompany, until

DIRTY = (
    "stty raw -echo; trap '' INT; printf '\\033[?1049h\\033[?1000h\\033[?2004h\\033[?25l\\033[3;9r\\033[31mleft over'; exit 0"
)


def fence(order: WorkerOrder) -> Fence:
    found = RunFolder(order.run_dir).fence()
    assert found is not None
    return found


def gone(pid: int | None) -> bool:
    found = processes.look_up(pid or 0)
    return found is None or found.zombie


def test_the_next_attempt_needs_no_new_launcher(company: TmuxCompany) -> None:
    """It is taken up by the launcher that waits in the window; what the last one left on record stays."""
    first, second = company.sh("exit 3", ticket="TASK-1"), company.sh("exit 4", ticket="任务-2")
    pane = company.workers.spawn(first)
    company.phase(first, WorkerPhase.EXITED)

    assert company.workers.spawn(second) == pane
    assert company.phase(second, WorkerPhase.EXITED).exit_code == 4
    assert fence(second).pid == fence(first).pid
    assert company.workers.state(first.run_dir).exit_code == 3


def test_an_attempt_that_was_ended_leaves_its_launcher_to_the_next(company: TmuxCompany) -> None:
    """Engines that never end by themselves are ended by us: that too is an end after which the launcher waits."""
    first, second = company.sh("exec sleep 600", ticket="TASK-1"), company.sh("exit 4", ticket="TASK-2")
    company.workers.spawn(first)
    company.phase(first, WorkerPhase.RUNNING)
    company.end(first)

    assert company.ended(second).exit_code == 4
    assert fence(second).pid == fence(first).pid


def test_ending_an_attempt_again_spares_the_next(company: TmuxCompany) -> None:
    """One launcher, two attempts: what is done about the first after its record does not touch the second."""
    first, second = company.sh("exit 0", ticket="TASK-1"), company.sh("exec sleep 600", ticket="TASK-2")
    company.ended(first)
    company.workers.spawn(second)
    company.phase(second, WorkerPhase.RUNNING)
    until(lambda: company.workers.survivors(second.token))

    assert company.workers.end(first.run_dir, first.token) is EndProgress.ENDED
    assert company.workers.state(second.run_dir).phase is WorkerPhase.RUNNING
    assert company.workers.survivors(second.token)


def test_nothing_of_the_last_engine_is_on_the_terminal(company: TmuxCompany) -> None:
    """Raw mode, alternate screen, scroll region, colours, text, history: the next engine finds a new terminal."""
    settings = company.sh("stty -a > one.txt", ticket="TASK-1")
    company.ended(settings)
    company.ended(company.sh(DIRTY, ticket="TASK-2"))
    second = company.sh("stty -a > two.txt; seq 100; echo fresh", ticket="TASK-3")
    pane = company.workers.spawn(second)
    company.phase(second, WorkerPhase.EXITED)
    until(lambda: "fresh" in company.workers.tail(second.run_dir, pane, 1))

    work = company.root / "work"
    assert (work / "two.txt").read_text() == (work / "one.txt").read_text()
    shown = company.workers.tail(second.run_dir, pane, 1_000).splitlines()
    assert shown == [*map(str, range(1, 101)), "fresh"]
    flags = "#{alternate_on} #{mouse_any_flag} #{cursor_flag} #{scroll_region_upper} #{scroll_region_lower}"
    assert company.tmux("display-message", "-p", "-t", pane, flags) == "0 0 1 0 49"


def test_what_is_typed_into_an_idle_window_reaches_no_engine(company: TmuxCompany) -> None:
    """Words that a person typed between two attempts are not the next engine's first input."""
    pane = company.workers.spawn(company.sh("exit 0", ticket="TASK-1"))
    until(lambda: "──" in company.tmux("capture-pane", "-p", "-t", pane))
    company.tmux("send-keys", "-t", pane, "rm -rf everything", "Enter")
    until(lambda: "everything" in company.tmux("capture-pane", "-p", "-t", pane))
    order = company.sh('read line; echo "$line" > got.txt', ticket="TASK-2")

    company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)
    company.tmux("send-keys", "-t", pane, "meant for you", "Enter")
    company.phase(order, WorkerPhase.EXITED)

    assert (company.root / "work" / "got.txt").read_text() == "meant for you\n"


def test_the_environment_of_one_attempt_does_not_reach_the_next(company: TmuxCompany) -> None:
    """Each engine has its own environment, and only that."""
    company.ended(company.sh("exit 0", ticket="TASK-1", environ={"PATH": os.defpath, "SECRET": "one"}))
    order = company.sh("env > env.txt", ticket="TASK-2", environ={"PATH": os.defpath})

    company.ended(order)

    names = {line.partition("=")[0] for line in (company.root / "work" / "env.txt").read_text().splitlines()}
    assert names - {"PWD", "OLDPWD", "SHLVL", "_"} == {"PATH", "TERM", "HC_RUN_TOKEN"}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_waiting_launcher_that_was_ended_is_replaced(company: TmuxCompany, number: int) -> None:
    """Whatever ends it between two attempts, the next one starts all the same, in the same pane."""
    first, second = company.sh("exit 0", ticket="TASK-1"), company.sh("exit 4", ticket="TASK-2")
    pane = company.workers.spawn(first)
    company.phase(first, WorkerPhase.EXITED)
    os.kill(fence(first).pid or 0, number)

    assert company.workers.spawn(second) == pane
    assert company.phase(second, WorkerPhase.EXITED).exit_code == 4


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_launcher_leaves_a_cgroup_behind(company: TmuxCompany, number: int) -> None:
    """It takes its cgroup along; after one that was killed, the next launcher sweeps."""
    first, second = company.sh("exit 0", ticket="TASK-1"), company.sh("exit 0", ticket="TASK-2")
    company.ended(first)
    folder = fence(first).cgroup
    if folder is None:
        pytest.skip("no cgroup v2 that we may write to")
    assert str(fence(first).pid) in (Path(folder) / "cgroup.procs").read_text().split()
    os.kill(fence(first).pid or 0, number)
    until(lambda: gone(fence(first).pid))

    if number == signal.SIGKILL:
        company.ended(second)
    assert not Path(folder).exists()


def test_a_new_orchestrator_replaces_what_waits(company: TmuxCompany) -> None:
    """It does not know what the last one agreed on with its launchers, so it starts its own; the window stays."""
    first, second = company.sh("exit 0", ticket="TASK-1"), company.sh("exit 4", ticket="TASK-2")
    pane = company.workers.spawn(first)
    company.phase(first, WorkerPhase.EXITED)
    company.workers = company.new_workers()

    assert company.workers.spawn(second) == pane
    assert company.phase(second, WorkerPhase.EXITED).exit_code == 4
    assert company.windows() == ["company", "agent_ann"]
    until(lambda: gone(fence(first).pid))


def test_a_person_at_work_in_an_agents_pane_is_not_disturbed(company: TmuxCompany) -> None:
    """A pane that somebody took for a shell of their own is not taken back, idle as it looks."""
    pane = company.workers.spawn(company.sh("exit 0", ticket="TASK-1"))
    company.tmux("respawn-pane", "-k", "-t", pane, "/bin/cat", "-u")

    with pytest.raises(Refusal, match="window-busy"):
        company.workers.spawn(company.sh("exit 0", ticket="TASK-2"))

    assert company.tmux("display-message", "-p", "-t", pane, "#{pane_dead}") == "0"


def test_waiting_has_an_end(company: TmuxCompany) -> None:
    """An idle launcher does not stay for ever; its exit status is the last engine's."""
    order = company.sh("exit 5")
    run = RunFolder(order.run_dir)
    run.write(order, doorbell=company.root / "doorbell", lang="en")
    launch = order.run_dir / "launch.json"
    launch.write_text(launch.read_text().replace('"standby_seconds": 900.0', '"standby_seconds": 0.05'))

    done = subprocess.run(["/bin/sh", str(run.script), "stay"], stdin=subprocess.DEVNULL, check=False, timeout=20)

    assert done.returncode == 5


def test_an_order_is_handed_over_with_a_receipt(tmp_path: Path) -> None:
    """Nobody there, a file in the place of the FIFO, a folder's name that is too long: not taken, nothing changed."""
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "standby").write_text("not a FIFO")
    waiting = tmp_path / "waiting"
    waiting.mkdir()
    standby = Standby(str(waiting))

    assert not hand_over(str(tmp_path / "nobody"), "/next")
    assert not hand_over(str(tmp_path / "file"), "/next")
    assert not hand_over(str(waiting), "/" + "x" * 5_000)
    assert standby.wait(0.0) is None
    assert not hand_over(str(waiting), "/next")
    assert (tmp_path / "file" / "standby").read_text() == "not a FIFO"


def test_an_order_without_a_receipt_is_not_taken(tmp_path: Path) -> None:
    """A launcher that hangs gives no receipt in a second: whoever handed over starts a new one; the fence lets one win."""
    standby = Standby(str(tmp_path))

    taken = hand_over(str(tmp_path), "/next")

    assert not taken
    assert standby.wait(0.0) == "/next"
