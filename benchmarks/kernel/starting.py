"""From a job that is handed in to its first instruction, and from DONE to `review`."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from benchmarks import _driver, _peers
from benchmarks._company import AGENT, Bench, bench_company, ticket_text, until
from benchmarks._rows import Row, missing
from hermes_company.domain.ticket import State

_STARTED = "handed in → first instruction of its process"
_FIRST = "the same, the first ticket of an agent (its window is made)"
_REVIEW = "DONE → the ticket is in `review`"
# Hands in the job of that id; what it returns is called when the job is done.
Way = Callable[[str], Callable[[], object]]
_QUIET_SECONDS = 0.03


def measure(quick: bool) -> Iterator[Row]:
    """Every way in turn, round after round."""
    rounds = 10 if quick else 60
    with bench_company(slots=2) as bench, bench.running(), ExitStack() as stack:
        ways, absent = _ways(bench, stack)
        _once(bench, ways["hc, `board.create`"], "warm-up")
        started: dict[str, list[float]] = {name: [] for name in ways}
        reviewed: list[float] = []
        for number in range(rounds):
            for place, (name, way) in enumerate(ways.items()):
                times = _once(bench, way, f"job-{number}-{place}", reviews=name.startswith("hc"))
                started[name].append(times[0])
                reviewed += times[1:]
        for name, values in started.items():
            aim = "≤ 8 ms, p95 ≤ 15 ms, ≤ 3× tsp" if name.startswith("hc") else ""
            yield Row(what=_STARTED, who=name, unit="ms", values=values, base=name == "task-spooler", aim=aim)
        yield from (missing(_STARTED, name, why) for name, why in absent.items())
        yield Row(what=_FIRST, who="hc", unit="ms", values=list(_firsts(bench, 5 if quick else 20)))
        yield Row(what=_REVIEW, who="hc", unit="ms", values=reviewed, aim="≤ 10 ms")


def _once(bench: Bench, way: Way, job: str, *, reviews: bool = True) -> list[float]:
    """Milliseconds until the job began; and, where it is one of our tickets, from DONE until it was in review."""
    before = time.perf_counter()
    finish = way(job)
    bench.hear(bench.started)
    began = time.perf_counter()
    bench.hear(bench.done)
    done = time.perf_counter()
    times = [(began - before) * 1_000]
    if reviews:
        path = bench.layout.ticket(job, State.REVIEW)
        until(path.exists, f"{job} in review", pause=0.0005)
        times.append((time.perf_counter() - done) * 1_000)
    finish()
    time.sleep(_QUIET_SECONDS)
    return times


def _firsts(bench: Bench, count: int) -> Iterator[float]:
    for number in range(count):
        name = f"new{number}"
        folder = bench.layout.agent(name)
        folder.mkdir()
        (folder / "profile.json").write_text(f'{{"name": "{name}", "engine": "bench"}}')
        text = ticket_text("first").replace(AGENT.encode(), name.encode()).decode()
        yield _once(bench, partial(_drop, bench, text), f"first-{number}")[0]


def _drop(bench: Bench, text: str, job: str) -> Callable[[], object]:
    bench.drop(job, text=text)
    return _nothing


def _ways(bench: Bench, stack: ExitStack) -> tuple[dict[str, Way], dict[str, str]]:
    makers = {
        "a bare process": _bare,
        "task-spooler": _task_spooler,
        "nq": _nq,
        "huey (SQLite, 8 processes)": _huey,
        "hermes-agent kanban (create, dispatch at once)": _hermes,
        "hc, `board.create`": _create,
        "hc, a file renamed into tasks/todo": _rename,
    }
    ways: dict[str, Way] = {}
    absent: dict[str, str] = {}
    for name, maker in makers.items():
        try:
            ways[name] = stack.enter_context(maker(bench))
        except _peers.Unavailable as problem:
            absent[name] = str(problem)
    return ways, absent


@contextmanager
def _bare(bench: Bench) -> Iterator[Way]:
    yield lambda job: subprocess.Popen(["/bin/sh", str(bench.job)], env=bench.job_environ(job)).wait


@contextmanager
def _task_spooler(bench: Bench) -> Iterator[Way]:
    with task_spooler(bench, slots=2) as (words, environ):
        yield (
            lambda job: (
                subprocess.Popen(
                    [*words, "/bin/sh", str(bench.job)], env={**bench.job_environ(job), **environ}, stdout=subprocess.DEVNULL
                ).wait
            )
        )


@contextmanager
def task_spooler(bench: Bench, slots: int) -> Iterator[tuple[list[str], dict[str, str]]]:
    """`tsp` with a server of its own: the words that come before a command, and the environment that finds the server.

    Raises:
        Unavailable: it cannot be had.
    """
    program = _peers.debian("tsp", "task-spooler")
    environ = {"TS_SOCKET": str(bench.base / "tsp"), "TMPDIR": str(bench.base), "TS_SLOTS": str(slots)}
    subprocess.run([program], env={**bench.environ, **environ}, capture_output=True, check=True)
    try:
        yield [program, "-n"], environ
    finally:
        subprocess.run([program, "-K"], env={**bench.environ, **environ}, check=True)


@contextmanager
def _nq(bench: Bench) -> Iterator[Way]:
    words = [_peers.debian("nq", "nq"), "-q", "/bin/sh", str(bench.job)]
    folder = bench.base / "nq"
    folder.mkdir()
    yield lambda job: subprocess.Popen(words, env={**bench.job_environ(job), "NQDIR": str(folder)}).wait


@contextmanager
def _huey(bench: Bench) -> Iterator[Way]:
    with _driver.huey(bench.base / "huey", bench.environ, bench.job) as driver:

        def hand_in(job: str) -> Callable[[], object]:
            driver.tell("drop", job, bench.job_environ(job)["HC_OUTBOX"])
            return driver.answer

        yield hand_in


@contextmanager
def _hermes(bench: Bench) -> Iterator[Way]:
    with _driver.hermes(bench.base / "hermes", bench.environ, bench.job) as driver:

        def hand_in(_job: str) -> Callable[[], object]:
            driver.tell("drop")
            return driver.answer

        yield hand_in


@contextmanager
def _create(bench: Bench) -> Iterator[Way]:
    yield partial(_drop, bench, "")


@contextmanager
def _rename(bench: Bench) -> Iterator[Way]:
    def hand_in(job: str) -> Callable[[], object]:
        ready = bench.base / "ready.md"
        ready.rename(bench.layout.ticket(job, State.TODO))
        return write

    def write() -> None:
        path = bench.base / "ready.md"
        path.write_bytes(ticket_text("ready"))
        # Written a while ago: what is measured is the move into the folder.
        os.utime(path, (time.time() - 60,) * 2)

    write()
    yield hand_in


def _nothing() -> None:
    """There is nothing left to do."""
