"""What a command costs that people, hooks and agents call: wall time and processor time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import _peers
from benchmarks._company import AGENT, Bench, bench_company
from benchmarks._rows import Row, missing
from benchmarks.kernel.starting import task_spooler
from hermes_company.domain.ticket import State

_HC = str(Path(sys.executable).with_name("hc"))
_AIMS = {"hc --help": "≤ 150 ms", "hc task new": "≤ 50 ms", "hc status": ""}


def measure(quick: bool) -> Iterator[Row]:
    """Every command in turn, round after round, in a company with 20 tickets."""
    rounds = 5 if quick else 30
    with bench_company() as bench, task_spooler(bench, 1) as (tsp, tsp_environ):
        for state in State:
            bench.fill(state, 4, state.value)
        root = {**bench.environ, "HC_ROOT": str(bench.layout.root)}
        commands: dict[str, tuple[Sequence[str], Mapping[str, str]]] = {
            "python -c pass": ([sys.executable, "-c", "pass"], root),
            "hc --help": ([_HC, "--help"], root),
            "hc task new": ([_HC, "task", "new", "A ticket", "--owner", AGENT], root),
            "hc status": ([_HC, "status"], root),
            "task-spooler: tsp -n true": ([*tsp, "true"], {**bench.environ, **tsp_environ}),
        }
        absent = None
        try:
            commands |= _hermes(bench)
        except _peers.Unavailable as problem:
            absent = str(problem)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, (words, environ) in commands.items():
                times[name].append(_run(words, environ))
        for place, unit in enumerate(("wall ms", "CPU ms")):
            for name, values in times.items():
                aim = _AIMS.get(name, "") if place == 0 else ""
                figures = [value[place] for value in values]
                yield Row(
                    what=f"a command, {unit}", who=name, unit="ms", values=figures, base=name.startswith("python"), aim=aim
                )
        if absent:
            yield missing("a command, wall ms", "hermes kanban", absent)


def _hermes(bench: Bench) -> dict[str, tuple[Sequence[str], Mapping[str, str]]]:
    program = str(Path(_peers.python()).with_name("hermes"))
    home = bench.base / "hermes"
    home.mkdir()
    environ = {**bench.environ, "HERMES_HOME": str(home), "HOME": str(home)}
    words = ["kanban --help", "kanban create A-task", "kanban list"]
    return {f"hermes {line}": ([program, *line.split()], environ) for line in words}


def _run(words: Sequence[str], environ: Mapping[str, str]) -> tuple[float, float]:
    """Milliseconds of wall time and of processor time.

    Raises:
        ChildProcessError: it failed; a failing command is fast for the wrong reason.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    quiet = [(os.POSIX_SPAWN_DUP2, nothing, number) for number in (0, 1, 2)]
    before = time.perf_counter()
    pid = os.posix_spawn(words[0], list(words), environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    taken = time.perf_counter() - before
    os.close(nothing)
    if status:
        raise ChildProcessError(f"{' '.join(words)}: status {status}")
    return taken * 1_000, (used.ru_utime + used.ru_stime) * 1_000
