"""What the daemon costs while it has nothing to do: processor time over a minute, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import _driver, _peers
from benchmarks._company import Bench, bench_company, ticket_text, until
from benchmarks._rows import Row, missing
from benchmarks.kernel.starting import task_spooler
from hermes_company.domain.ticket import State

_WAITING = ticket_text("waiting", needs="TASK-NEVER").decode()
_SETTLE_SECONDS = 5.0
_CPU = "processor time while idle"
_MEMORY = "resident memory while idle"
# Its dispatcher without the gateway that it is a part of, looking as often as it does by default.
_HERMES_DAEMON = "from hermes_cli import kanban_db as k; k.init_db(); k.run_daemon()"
# Name → its processes.
Pids = Mapping[str, list[int]]


def measure(quick: bool) -> Iterator[Row]:
    """All of them in the same minute."""
    waiting, seconds = (1_000, 10) if quick else (10_000, 60)
    with bench_company() as bench, ExitStack() as stack:
        bench.fill(State.TODO, waiting, "waits", text=_WAITING)
        ours = stack.enter_context(bench.running())
        running, absent = _peers_running(bench, stack)
        running = {f"hc run, {waiting:,} waiting tickets": [ours.pid], **running}
        # What ten thousand new tickets mean to the programs is told to them bit by bit.
        until(lambda: _has_caught_up(bench), "the programs have seen every event", 300, pause=0.5)
        time.sleep(_SETTLE_SECONDS)
        before = {name: _used(pids) for name, pids in running.items()}
        time.sleep(seconds)
        for name, pids in running.items():
            share = (_used(pids) - before[name]) / seconds * 100
            aim = "≤ 0.1 %" if name.startswith("hc") else ""
            yield Row(what=_CPU, who=name, unit=f"% over {seconds} s", values=[share], base=name.startswith("hc"), aim=aim)
        yield from (missing(_CPU, name, why) for name, why in absent.items())
        for name, pids in running.items():
            yield Row(what=_MEMORY, who=name, unit="MB", values=[_memory(pids)], base=name.startswith("hc"))


def _has_caught_up(bench: Bench) -> bool:
    last = bench.company.events.last_seq()
    seen = [json.loads(file.read_bytes())["seq"] for file in (bench.layout.private / "programs").glob("*.json")]
    return bool(seen) and min(seen) == last


def _peers_running(bench: Bench, stack: ExitStack) -> tuple[dict[str, list[int]], dict[str, str]]:
    ways: dict[str, Callable[[], list[int]]] = {
        "task-spooler, its server": lambda: _tsp(bench, stack),
        "huey, its consumer with 8 processes": lambda: _huey(bench, stack),
        "hermes-agent kanban, its daemon alone": lambda: _hermes(bench, stack),
    }
    running, absent = {}, {}
    for name, way in ways.items():
        try:
            running[name] = way()
        except _peers.Unavailable as problem:
            absent[name] = str(problem)
    return running, absent


def _tsp(bench: Bench, stack: ExitStack) -> list[int]:
    stack.enter_context(task_spooler(bench, 1))
    return [pid for pid in _all_pids() if _environ(pid).get("TS_SOCKET") == str(bench.base / "tsp")]


def _huey(bench: Bench, stack: ExitStack) -> list[int]:
    stack.enter_context(_driver.huey(bench.base / "huey", bench.environ, bench.job))
    time.sleep(2)
    ours = [pid for pid in _all_pids() if _environ(pid).get("HUEY_FILE") == str(bench.base / "huey" / "huey.db")]
    return [pid for pid in ours if b"huey_consumer" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _hermes(bench: Bench, stack: ExitStack) -> list[int]:
    return [stack.enter_context(_hermes_daemon(bench)).pid]


@contextmanager
def _hermes_daemon(bench: Bench) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**bench.environ, "HERMES_HOME": str(bench.base / "hermes"), "HOME": str(bench.base / "hermes")}
    (bench.base / "hermes").mkdir()
    with subprocess.Popen([_peers.python(), "-c", _HERMES_DAEMON], env=environ, cwd=bench.base) as process:
        try:
            yield process
        finally:
            process.terminate()


def _used(pids: list[int]) -> float:
    """Seconds of processor time that the processes have used. Of those that are gone the last figure is unknown: 0."""
    ticks = os.sysconf("SC_CLK_TCK")
    words = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum((int(each[11]) + int(each[12])) / ticks for each in words)


def _memory(pids: list[int]) -> float:
    """Megabytes, pages that are shared counted once a process."""
    pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _all_pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def _environ(pid: int) -> dict[str, str]:
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    return dict(line.split("=", 1) for line in raw.decode(errors="replace").split("\0") if "=" in line)


if sys.platform != "linux":
    raise _peers.Unavailable("processor time of a running process is read from /proc")
