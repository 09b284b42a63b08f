"""How long from `Workers.spawn` to the engine's first instruction, beside a bare process start and task-spooler.

Run by hand, nothing else running: `python -m benchmarks.spawn_latency [runs]`. The engine is `sh`, whose first act is to
write into a FIFO; its own start-up (the first row) is in every row, so compare rows, not absolute figures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_company.domain.run import WorkerPhase
from tests.support.tmux import TmuxCompany, tmux_company

# Starts the engine with that number and returns what waits for its end.
Start = Callable[[int], Callable[[], object]]


def main(runs: int) -> None:
    """Print the table."""
    ways = {"process": bare, "tsp": task_spooler, "first in its window": new_window, "next in its window": next_in_window}
    if not shutil.which("tsp"):
        del ways["tsp"]
    with tempfile.TemporaryDirectory() as folder:
        fifo = Path(folder) / "started"
        os.mkfifo(fifo)
        listener = os.open(fifo, os.O_RDWR)
        rows: dict[str, list[float]] = {}
        for number, (name, way) in enumerate(ways.items()):
            with way(Path(folder) / str(number), f"echo > {fifo}") as start:
                rows[name] = [measure(start, run, listener) for run in range(runs)]
    show(rows)


def measure(start: Start, number: int, listener: int) -> float:
    """Milliseconds from the call to the first instruction."""
    before = time.perf_counter()
    finish = start(number)
    os.read(listener, 1)
    taken = (time.perf_counter() - before) * 1_000
    finish()
    return taken


@contextmanager
def bare(_folder: Path, script: str) -> Iterator[Start]:
    """The floor: no queue, no window, no record."""
    yield lambda _number: subprocess.Popen(["/bin/sh", "-c", script]).wait


@contextmanager
def task_spooler(folder: Path, script: str) -> Iterator[Start]:
    """`tsp` with a server of its own that runs already."""
    environ = {**os.environ, "TS_SOCKET": str(folder), "TMPDIR": str(folder.parent)}
    subprocess.run(["tsp"], env=environ, capture_output=True, check=True)
    try:
        yield lambda _number: subprocess.Popen(["tsp", "-n", "sh", "-c", script], env=environ, stdout=subprocess.DEVNULL).wait
    finally:
        subprocess.run(["tsp", "-K"], env=environ, check=True)


@contextmanager
def new_window(folder: Path, script: str) -> Iterator[Start]:
    """Every attempt is the first of its agent."""
    with tmux_company(folder) as company:
        company.workers.prepare()
        yield lambda number: spawn(company, script, number, f"agent_{number}")


@contextmanager
def next_in_window(folder: Path, script: str) -> Iterator[Start]:
    """Every attempt is the next one of its agent."""
    with tmux_company(folder) as company:
        company.workers.prepare()
        company.ended(company.sh("exit 0", ticket="TASK-0"))
        yield lambda number: spawn(company, script, number + 1, "agent_ann")


def spawn(company: TmuxCompany, script: str, number: int, window: str) -> Callable[[], object]:
    """Start an attempt."""
    order = company.sh(script, ticket=f"TASK-{number}", window=window)
    company.workers.spawn(order)
    return lambda: company.phase(order, WorkerPhase.EXITED)


def show(rows: dict[str, list[float]]) -> None:
    """The table, with ratios to task-spooler where it is installed."""
    base = percentile(rows["tsp"], 0.5) if "tsp" in rows else None
    print(f"{'':24}{'p50 ms':>8}{'p95 ms':>8}{'x tsp':>8}")
    for name, times in rows.items():
        ratio = f"{percentile(times, 0.5) / base:8.1f}" if base else f"{'-':>8}"
        print(f"{name:24}{percentile(times, 0.5):8.2f}{percentile(times, 0.95):8.2f}{ratio}")


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, round(share * (len(times) - 1)))]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
