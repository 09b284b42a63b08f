"""Limits of the system that are used up: file descriptors, watches."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.system_clock import SystemClock
from tests.support.person import Person
from tests.support.whole_machine import attempts, in_namespace, tmux


@pytest.mark.parametrize("files", [16, 20])
def test_no_file_can_be_opened_any_more(person: Person, files: int) -> None:
    """With next to no descriptors a start fails for now: not the agent's failure, nothing lost, started once there are more."""
    person.ok("task", "new", "one", "--owner", "worker", "--file", "-", stdin="```sh\ntrue\n```\n")
    words = [
        "sh",
        "-c",
        f'ulimit -n {files}; exec "$@"',
        "sh",
        sys.executable,
        "-m",
        "hermes_company",
        "run",
        "--once",
        "--plain",
    ]
    done = subprocess.run(words, cwd=person.here, env=person.environ, capture_output=True, text=True, check=False, timeout=60)
    ended = {run.outcome for run in attempts(person) if run.outcome}
    person.hc("task", "retry", "TASK-001")
    person.ok("run", "--once", "--plain")

    assert ended <= {Outcome.PAUSED}, done
    assert person.where("TASK-001") in (State.DOING, State.REVIEW)
    assert "agent_worker" in tmux(person, "list-windows", "-a", "-F", "#{window_name}")


WITHOUT_WATCHES = """
echo {count} > /proc/sys/user/max_inotify_{what}
"$PYTHON" -m hermes_company run --plain >out 2>&1 &
until grep -q runs out; do sleep 0.1; done
hc task new one --owner worker --file - <<'END'
```sh
true
```
END
for _ in $(seq 100); do [ -e tasks/review/TASK-001.md ] && break; sleep 0.1; done
kill -TERM $!
wait $!
echo "status $?"
cat out
ls tasks/review
"""


@pytest.mark.parametrize(("what", "count"), [("instances", 0), ("watches", 3)])
def test_folders_that_cannot_be_watched_are_looked_at(person: Person, what: str, count: int) -> None:
    """Without a single watch the loop says so, runs on by looking, and finds ticket and DONE all the same."""
    said = in_namespace(person, WITHOUT_WATCHES.format(what=what, count=count))

    assert "Folders can't be watched" in said
    assert "status 0" in said
    assert said.rstrip().endswith("TASK-001.md")


def test_a_task_folder_that_is_made_anew_is_seen(person: Person) -> None:
    """Removed and made again, a folder is another one to those who watch it; who looks finds its tickets."""
    board = FolderBoard(person.layout, SystemClock(), 0)
    person.drop("TASK-1")
    before = set(board.view().todo)
    shutil.rmtree(person.layout.tasks)
    gone = set(board.view().todo)
    for state in State:
        person.layout.state(state).mkdir(parents=True)
    person.drop("TASK-2")

    assert (before, gone, set(board.view().todo)) == ({"TASK-1"}, set(), {"TASK-2"})
