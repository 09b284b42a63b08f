"""hermes-agent's kanban, driven in its own Python: one command a line on standard input, one JSON answer a line.

Run by the peers' Python (`_peers.python`), which knows nothing of hermes_company. HERMES_BIN makes its own dispatcher start
our job instead of a model.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from multiprocessing import Barrier, Process, Queue
from pathlib import Path
from typing import Any

from hermes_cli import kanban_db as kanban


def main() -> None:
    kanban.init_db()
    connection = kanban.connect()
    verbs = {"drop": drop, "tick": tick, "work": work, "fill": fill, "race": race, "forget": forget}
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # it prints hints; they are no answers
    for line in sys.stdin:
        verb, *numbers = line.split()
        answers.write(json.dumps(verbs[verb](connection, *map(int, numbers))) + "\n")
        answers.flush()


def drop(connection: Any) -> str:
    """Make a task and tick at once: the best case of a dispatcher that looks once a minute by default."""
    task = create(connection, "one")
    kanban.dispatch_once(connection, max_spawn=8)
    while not finish(connection):
        time.sleep(0.001)
    return task


def tick(connection: Any, slots: int) -> float:
    """Seconds that one dispatch takes."""
    before = time.perf_counter()
    kanban.dispatch_once(connection, max_spawn=slots)
    return time.perf_counter() - before


def work(connection: Any, count: int, slots: int) -> float:
    """Tasks a second from ready to done, with as many workers as there are slots and no pause between dispatches."""
    for number in range(count):
        create(connection, str(number))
    done = 0
    before = time.perf_counter()
    while done < count:
        kanban.dispatch_once(connection, max_spawn=slots)
        done += finish(connection)
    return count / (time.perf_counter() - before)


def finish(connection: Any) -> int:
    """Complete what has written DONE, as its workers do through a tool; how many that were."""
    query = "SELECT id, workspace_path FROM tasks WHERE status = 'running'"
    finished = [task["id"] for task in connection.execute(query).fetchall() if _handed_in(task["workspace_path"])]
    for task in finished:
        kanban.complete_task(connection, task, summary="done")
    return len(finished)


def _handed_in(workspace: str | None) -> bool:
    return workspace is not None and (Path(workspace) / "DONE").exists()


def fill(connection: Any, done: int, ready: int) -> int:
    """Let so many tasks be there that are done, and that are ready."""
    forget(connection)
    for status, count in (("done", done), ("ready", ready)):
        first = create(connection, status)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(tasks)") if row[1] not in ("id", "status")]
        names = ", ".join(columns)
        with kanban.write_txn(connection):
            connection.execute("UPDATE tasks SET status = ? WHERE id = ?", (status, first))
            for number in range(count - 1):
                connection.execute(
                    f"INSERT INTO tasks (id, status, {names}) SELECT ?, ?, {names} FROM tasks WHERE id = ?",
                    (f"{status}-{number}", status, first),
                )
    return done + ready


def forget(connection: Any) -> int:
    """Delete every task."""
    with kanban.write_txn(connection):
        connection.execute("DELETE FROM tasks")
        connection.execute("DELETE FROM task_runs")
    return 0


def race(connection: Any, processes: int, count: int) -> dict[str, float]:
    """So many processes claim the same tasks: claims a second, and how often a task had more than one winner."""
    tasks = [create(connection, str(number)) for number in range(count)]
    start, results = Barrier(processes + 1), Queue()
    racers = [Process(target=claim_all, args=(tasks, start, results)) for _ in range(processes)]
    for racer in racers:
        racer.start()
    start.wait()
    before = time.perf_counter()
    outcomes = [results.get() for _ in racers]
    taken = time.perf_counter() - before
    won = Counter(task for claimed, _ in outcomes for task in claimed)
    return {"rate": len(won) / taken, "double": won.total() - len(won), "failed": sum(failed for _, failed in outcomes)}


def claim_all(tasks: list[str], start: Any, results: Any) -> None:
    connection = kanban.connect()
    start.wait()
    claimed, failed = [], 0
    for task in tasks:
        try:
            if kanban.claim_task(connection, task):
                claimed.append(task)
        except Exception:  # noqa: BLE001 - whatever it is, the claim went wrong: that is what is counted
            failed += 1
    results.put((claimed, failed))


def create(connection: Any, title: str) -> str:
    task: str = kanban.create_task(connection, title=title, body="Nothing is to be done.", assignee="default")
    return task


if __name__ == "__main__":
    main()
