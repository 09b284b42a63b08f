"""The daemon is killed and started again: 10,000 tickets with their history, 50 agents at work."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from benchmarks._company import AGENT, Bench, bench_company
from benchmarks._rows import Row
from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.system_clock import SystemClock

_ENDLESS = 'echo "$HC_TICKET" >"$BENCH_STARTED"\nexec sleep 900\n'


def measure(quick: bool) -> Iterator[Row]:
    """From the start of the process to the last adoption, and to a ticket that was dropped meanwhile being noticed."""
    tickets, agents, rounds = (1_000, 5, 2) if quick else (10_000, 50, 5)
    what = f"kill -9 and restart, {tickets:,} tickets in done, {agents} agents at work"
    adopted, noticed = [], []
    with bench_company(slots=agents, job=_ENDLESS) as bench:
        _history(bench, tickets)
        _occupy(bench, agents)
        for number in range(rounds):
            # No slot is free for it: it is only noticed.
            bench.drop(f"late-{number}")
            times = _restart(bench, agents, f"late-{number}")
            adopted.append(times[0])
            noticed.append(times[1])
    yield Row(what=what, who="hc, all adopted", unit="s", values=adopted, aim="≤ 2 s")
    yield Row(what=what, who="hc, a ticket dropped meanwhile is noticed", unit="s", values=noticed)


def _history(bench: Bench, tickets: int) -> None:
    """What that many finished tickets leave: files, outboxes and six events each."""
    bench.fill(State.DONE, tickets, "done")
    moves = [("todo", None, "ticket.added"), ("doing", "todo", "ticket.moved"), ("doing", None, "attempt.started")]
    moves += [("review", "doing", "ticket.moved"), ("review", None, "attempt.closed"), ("done", "review", "ticket.accepted")]
    seq = 0
    with bench.layout.events_file.open("w") as log:
        for number in range(tickets):
            ticket = f"done-{number:06}"
            outbox = bench.layout.outbox(AGENT, ticket)
            outbox.mkdir(parents=True)
            (outbox / "summary.md").write_text("# Done\n")
            for to, came, kind in moves:
                seq += 1
                place = {"to": to, "by": "person", "from": came} if kind.startswith("ticket") else {"engine": "bench"}
                event = {"seq": seq, "at": "2026-01-01T00:00:00.000+00:00", "kind": kind, "ticket": ticket, "data": place}
                log.write(json.dumps(event) + "\n")


def _occupy(bench: Bench, agents: int) -> None:
    process = bench.start()
    try:
        bench.fill(State.TODO, agents, "runs")
        heard = ""
        while heard.count("\n") < agents:
            heard += bench.hear(bench.started)
    finally:
        process.kill()
        process.wait()


def _restart(bench: Bench, agents: int, late: str) -> tuple[float, float]:
    log = EventLog(bench.layout.events_file, SystemClock())
    last = log.last_seq()
    before = time.perf_counter()
    process = bench.start(waits=False)
    adopted, noticed, seen = 0.0, 0.0, 0
    try:
        while not (adopted and noticed):
            for event in log.after(last):
                last = event.seq
                seen += event.kind == "attempt.adopted"
                if event.ticket == late:
                    noticed = time.perf_counter() - before
            if seen == agents and not adopted:
                adopted = time.perf_counter() - before
            if time.perf_counter() - before > 120:
                raise TimeoutError(f"{seen} of {agents} adopted in 120 s")
            time.sleep(0.005)
    finally:
        process.kill()
        process.wait()
    return adopted, noticed
