"""Many processes want the same tickets: how fast they are claimed, and how often one has two winners."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

from benchmarks import _driver, _peers
from benchmarks._company import bench_company
from benchmarks._rows import Row, missing
from hermes_company.domain.ticket import State
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.layout import Layout
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.board import PlaceTaken, TicketGone

_PROCESSES = 8
_SPAWN = get_context("spawn")


def measure(quick: bool) -> Iterator[Row]:
    """Rates, and winners beyond the first."""
    count, rounds = (100, 1) if quick else (1_000, 3)
    rates, doubled = zip(*(_race(count) for _ in range(rounds)), strict=True)
    what, twice = "claims, 8 processes that want the same tickets", "tickets with more than one winner, in all rounds"
    yield Row(what=what, who=f"hc, `board.move`, {count:,} tickets", unit="claims/s", values=rates, base=True)
    peers = list(_hermes(50 if quick else 200, rounds))
    yield from (_hermes_row(what, "claims/s", peer, "rate") for peer in peers)
    yield Row(what=twice, who="hc", unit="tickets", values=[sum(doubled)], aim="0")
    yield from (_hermes_row(twice, "tickets", peer, "double") for peer in peers)
    yield from (_hermes_row("claims that ended in an exception", "claims", peer, "failed") for peer in peers)


def _race(count: int) -> tuple[float, int]:
    with bench_company() as bench:
        bench.fill(State.TODO, count, "job")
        tickets = sorted(path.stem for path in bench.layout.state(State.TODO).iterdir())
        start: Barrier = _SPAWN.Barrier(_PROCESSES + 1)
        results: Queue[list[str]] = _SPAWN.Queue()
        racers = [_SPAWN.Process(target=claim_all, args=(bench.layout, tickets, start, results)) for _ in range(_PROCESSES)]
        for racer in racers:
            racer.start()
        start.wait()
        before = time.perf_counter()
        won = Counter(ticket for _ in racers for ticket in results.get())
        taken = time.perf_counter() - before
        for racer in racers:
            racer.join()
        if bench.count(State.DOING) != count:
            raise AssertionError(f"{count} tickets were claimed, {bench.count(State.DOING)} lie in doing")
        return count / taken, sum(winners > 1 for winners in won.values())


def claim_all(layout: Layout, tickets: list[str], start: Barrier, results: Queue[list[str]]) -> None:
    """Try to claim every ticket; hand back which ones were won."""
    board = FolderBoard(layout, SystemClock(), 0.0)
    won = []
    start.wait()
    for ticket in tickets:
        try:
            board.move(ticket, State.TODO, State.DOING)
        except (TicketGone, PlaceTaken):
            continue
        won.append(ticket)
    results.put(won)


Peer = tuple[str, list[dict[str, float]] | str]


def _hermes(count: int, rounds: int) -> Iterator[Peer]:
    for processes in (2, 6):
        who = f"hermes-agent kanban, `claim_task`, {processes} processes, {count} tickets"
        try:
            yield who, [_hermes_race(processes, count) for _ in range(rounds)]
        except _peers.Unavailable as problem:
            yield who, str(problem)


def _hermes_race(processes: int, count: int) -> dict[str, float]:
    with bench_company() as bench, _driver.hermes(bench.base / "hermes", bench.environ, bench.job) as driver:
        answer: dict[str, float] = driver.ask("race", processes, count)
        return answer


def _hermes_row(what: str, unit: str, peer: Peer, figure: str) -> Row:
    who, races = peer
    if isinstance(races, str):
        return missing(what, who, races)
    values = [race[figure] for race in races]
    return Row(what=what, who=who, unit=unit, values=values if figure == "rate" else [sum(values)])
