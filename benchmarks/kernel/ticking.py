"""One tick: idle whatever lies in `done`, with all slots taken, with many tickets that wait, and when one of them is new."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from benchmarks import _driver, _peers
from benchmarks._company import Bench, bench_company, ticket_text
from benchmarks._rows import Row, missing
from hermes_company.domain.ticket import State
from hermes_company.kernel.loop import Kernel

_SLOTS = 8
# A job that works on until the company's tmux server is gone.
_ENDLESS = 'echo "$HC_TICKET" >"$BENCH_STARTED"\nexec sleep 600\n'
_WAITING = ticket_text("waiting", needs="TASK-NEVER").decode()


def measure(quick: bool) -> Iterator[Row]:
    """Every tick of the same kernel, which was warm; the first one is told apart."""
    times = 20 if quick else 200
    for count in (10, 1_000) if quick else (10, 1_000, 10_000, 100_000):
        what = f"one tick, nothing to do, {count:,} tickets in done"
        with bench_company() as bench:
            bench.fill(State.DONE, count, "done")
            first, kernel = _first_tick(bench)
            yield Row(what=what, who="hc", unit="ms", values=_ticks(kernel, times), base=True, aim="≤ 0.1 ms")
            yield Row(what=what, who="hc, the first after its start", unit="ms", values=[first])
            yield _hermes(bench, what, times, done=count, ready=0, slots=_SLOTS)
    for count in (1_000,) if quick else (1_000, 10_000):
        yield from _full(count, times)
        yield from _waiting(count, times)


def _full(count: int, times: int) -> Iterator[Row]:
    what = f"one tick, {count:,} ready, all {_SLOTS} slots taken"
    with bench_company(slots=_SLOTS, job=_ENDLESS) as bench:
        bench.fill(State.TODO, count, "ready")
        _, kernel = _first_tick(bench)
        heard = ""
        while heard.count("\n") < _SLOTS:
            heard += bench.hear(bench.started)
        yield Row(what=what, who="hc", unit="ms", values=_ticks(kernel, times), base=True, aim="≤ 0.1 ms")
        yield _hermes(bench, what, times, done=0, ready=count, slots=0)


def _waiting(count: int, times: int) -> Iterator[Row]:
    what = f"one tick, {count:,} wait for another ticket"
    with bench_company(job=_ENDLESS) as bench:
        bench.fill(State.TODO, count, "waits", text=_WAITING)
        first, kernel = _first_tick(bench)
        yield Row(what=what, who="hc, nothing has changed", unit="ms", values=_ticks(kernel, times), aim="≤ 0.1 ms")
        yield Row(what=what, who="hc, the first after its start", unit="ms", values=[first])
        values = list(_with_a_change(bench, kernel, 5 if times < 100 else 20))
        yield Row(what=what, who="hc, another one has come", unit="ms", values=values, aim="≤ 50 ms")


def _with_a_change(bench: Bench, kernel: Kernel, times: int) -> Iterator[float]:
    for number in range(times):
        bench.drop(f"late-{number:03}", text=_WAITING)
        yield _timed(kernel.tick)
        _settle(bench, kernel)


def _first_tick(bench: Bench) -> tuple[float, Kernel]:
    """Milliseconds that a new loop takes to recover and tick, and that loop."""
    bench.prepare()
    bench.renew()
    kernel = bench.company.kernel()

    def begin() -> None:
        kernel.recover()
        kernel.tick()

    return _timed(begin), kernel


def _ticks(kernel: Kernel, times: int) -> list[float]:
    """Ticks once the folders have rested: a time stamp of this very moment is not yet to be trusted."""
    until_rested = time.monotonic() + 2.5
    while time.monotonic() < until_rested:
        kernel.tick()
        time.sleep(0.1)
    return [_timed(kernel.tick) for _ in range(times)]


def _settle(bench: Bench, kernel: Kernel) -> None:
    folder = bench.layout.state(State.TODO)
    old = time.time() - 60
    os.utime(folder, (old, old))
    kernel.tick()


def _timed(step: Callable[[], object]) -> float:
    before = time.perf_counter()
    step()
    return (time.perf_counter() - before) * 1_000


def _hermes(bench: Bench, what: str, times: int, *, done: int, ready: int, slots: int) -> Row:
    who = "hermes-agent kanban, dispatch"
    try:
        with _driver.hermes(bench.base / "hermes", bench.environ, bench.job) as driver:
            driver.ask("fill", done, ready)
            driver.ask("tick", slots)
            return Row(what=what, who=who, unit="ms", values=[driver.ask("tick", slots) * 1_000 for _ in range(times)])
    except _peers.Unavailable as problem:
        return missing(what, who, str(problem))
