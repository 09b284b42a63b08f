"""No-op jobs from the first that is handed in to the last that is finished, eight at a time."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Iterator

from benchmarks import _driver, _peers
from benchmarks._company import Bench, bench_company, until
from benchmarks._rows import Row, missing
from benchmarks.kernel.starting import task_spooler
from hermes_company.domain.ticket import State

_SLOTS, _MANY = 8, 10_000
_LONGEST_SECONDS = 600.0
_OURS = "hc in tmux: claim, prompt, start, DONE, review, memory"
# The same work for everybody, and nobody listens at the FIFOs: it only hands in.
_JOB = 'echo "# Done" >"$HC_OUTBOX/summary.md"\n: >"$HC_OUTBOX/DONE"\n'
# Jobs → seconds.
Way = Callable[[Bench, int], float]


def measure(quick: bool) -> Iterator[Row]:
    """Every program in turn, round after round; the long run of our own once."""
    count, rounds = (100, 1) if quick else (1_000, 3)
    ways: dict[str, Way] = {
        "xargs -P 8": _xargs,
        "task-spooler, 8 slots": _task_spooler,
        "nq (one at a time by design)": _nq,
        "huey (SQLite, 8 processes)": _huey,
        "hermes-agent kanban, dispatch without a pause": _hermes,
        _OURS: _hc,
    }
    what = f"{count:,} no-op jobs, {_SLOTS} at a time"
    rates: dict[str, list[float]] = {name: [] for name in ways}
    absent: dict[str, str] = {}
    for _ in range(rounds):
        for name, way in ways.items():
            try:
                rates[name].append(_rate(way, count))
            except _peers.Unavailable as problem:
                absent[name] = str(problem)
    for name, values in rates.items():
        if name in absent:
            yield missing(what, name, absent[name])
        else:
            aim = "≥ 150" if name == _OURS else ""
            yield Row(what=what, who=name, unit="jobs/s", values=values, base=name.startswith("task-spooler"), aim=aim)
    if not quick:
        yield _many(statistics.median(rates[_OURS]))


def _many(rate: float) -> Row:
    """Ten times as many, if that comes to an end soon."""
    what, who = f"{_MANY:,} no-op jobs, {_SLOTS} at a time", _OURS
    if rate < _MANY / _LONGEST_SECONDS:
        return missing(what, who, f"it would take {_MANY / rate / 60:.0f} minutes")
    return Row(what=what, who=who, unit="jobs/s", values=[_rate(_hc, _MANY)], aim="no worse than 1,000")


def _rate(way: Way, count: int) -> float:
    with bench_company(slots=_SLOTS, job=_JOB) as bench:
        return count / way(bench, count)


def _hc(bench: Bench, count: int) -> float:
    with bench.running():
        bench.drop("warm-up")
        until(lambda: bench.count(State.REVIEW) == 1, "the first ticket in review")
        waiting = bench.base / "waiting"
        bench.fill(State.TODO, count, "job", folder=waiting)
        before = time.perf_counter()
        for path in waiting.iterdir():
            path.rename(bench.layout.state(State.TODO) / path.name)
        until(lambda: bench.count(State.REVIEW) == count + 1, f"{count} tickets in review", 1_800, pause=0.05)
        return time.perf_counter() - before


def _xargs(bench: Bench, count: int) -> float:
    listed = "".join(f"{bench.job_environ(str(number))['HC_OUTBOX']}\n" for number in range(count))
    words = ["xargs", "-P", str(_SLOTS), "-I", "{}", "env", "HC_OUTBOX={}", "/bin/sh", str(bench.job)]
    before = time.perf_counter()
    subprocess.run(words, input=listed, text=True, check=True)
    return time.perf_counter() - before


def _task_spooler(bench: Bench, count: int) -> float:
    with task_spooler(bench, _SLOTS) as (words, environ):
        return _enqueue(bench, count, words, environ)


def _nq(bench: Bench, count: int) -> float:
    folder = bench.base / "nq"
    folder.mkdir()
    return _enqueue(bench, count, [_peers.debian("nq", "nq"), "-q"], {"NQDIR": str(folder)})


def _enqueue(bench: Bench, count: int, words: list[str], environ: dict[str, str]) -> float:
    environs = [{**bench.job_environ(str(number)), **environ} for number in range(count)]
    before = time.perf_counter()
    for each in environs:
        subprocess.run([*words, "/bin/sh", str(bench.job)], env=each, stdout=subprocess.DEVNULL, check=True)
    return _wait(bench, count, before)


def _huey(bench: Bench, count: int) -> float:
    with _driver.huey(bench.base / "huey", bench.environ, bench.job) as driver:
        outboxes = [bench.job_environ(str(number))["HC_OUTBOX"] for number in range(count)]
        before = time.perf_counter()
        for outbox in outboxes:
            driver.ask("drop", "job", outbox)
        return _wait(bench, count, before)


def _hermes(bench: Bench, count: int) -> float:
    with _driver.hermes(bench.base / "hermes", bench.environ, bench.job) as driver:
        # A thousand would take it minutes; its rate does not grow with their number.
        return count / float(driver.ask("work", min(count, 200), _SLOTS))


def _wait(bench: Bench, count: int, before: float) -> float:
    done = (bench.base / "peers").glob
    until(lambda: sum(1 for _ in done("*/DONE")) == count, f"{count} jobs done", 600, pause=0.05)
    return time.perf_counter() - before
