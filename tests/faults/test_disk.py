"""Disks that are full, read-only, or lose their writer in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_company.domain.ticket import State, Unreadable
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.layout import Layout
from hermes_company.folders.system_clock import SystemClock
from hermes_company.folders.ticket_file import parse_ticket, without_runtime
from tests.support.person import Person
from tests.support.whole_machine import in_namespace

FULL = """
small size=8m
hc task new one --owner worker --file - <<'END'
```sh
true
```
END
echo "sum: $(sha256sum <tasks/todo/TASK-001.md)"
cat /dev/zero >fill 2>/dev/null
hc task new two --owner worker; echo "new: $?"
hc run --once --plain; echo "run: $?"
hc status | head -1
echo "sum: $(sha256sum <tasks/todo/TASK-001.md)"
echo "todo: "$(ls tasks/todo)
rm fill
hc run --once --plain; echo "run: $?"
echo "doing: "$(ls tasks/doing)
"""


def test_a_full_disk_claims_nothing_and_loses_nothing(person: Person) -> None:
    """Whoever writes is refused with the way out, the ticket keeps every byte, and once there is room it is started."""
    said = in_namespace(person, FULL)
    told = [line.split(": ", 1) for line in said.splitlines() if ": " in line]
    sums = {words for key, words in told if key == "sum"}

    assert [words for key, words in told if key in ("new", "run")] == ["75", "75", "0"]
    assert len(sums) == 1
    assert ["todo", "TASK-001.md"] in told
    assert ["doing", "TASK-001.md"] in told
    assert "Make room" in said
    assert "internal-fault" not in said


FULL_FOR_A_WHILE = """
small size=8m
wait_for() { tries=600; until grep -aqs "$1" said; do tries=$((tries - 1)); [ $tries -gt 0 ] || return 1; sleep 0.1; done; }
mkdir aside
printf '```sh\ntrue\n```\n' >aside/TASK-001.md
# Its room is there before there is none.
head -c 65536 /dev/zero >said
"$PYTHON" -m hermes_company run --plain 1<>said 2>&1 &
loop=$!
wait_for 'runs[.]' || echo "no loop"
cat /dev/zero >fill 2>/dev/null
mv aside/TASK-001.md tasks/todo/
wait_for 'Nothing new is started' && echo "told: yes"
echo "todo: "$(ls tasks/todo)
kill -0 $loop && echo "alive: yes"
rm fill
wait_for 'TASK-001.*finished' && echo "finished: yes"
kill -INT $loop
wait $loop; echo "run: $?"
tr -cd '[:print:][:space:]' <said
"""


def test_a_loop_waits_for_room(person: Person) -> None:
    """A disk that is full for a while ends nothing: the loop says so, starts nothing, and goes on when there is room."""
    said = in_namespace(person, FULL_FOR_A_WHILE)
    told = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)

    assert {key: told.get(key) for key in ("told", "todo", "alive", "finished", "run")} == {
        "told": "yes",
        "todo": "TASK-001.md",
        "alive": "yes",
        "finished": "yes",
        "run": "0",
    }, said
    assert "Traceback" not in said


READ_ONLY = """
hc task new one --owner worker >/dev/null
mount --bind "$COMPANY" "$COMPANY"
mount -o remount,bind,ro "$COMPANY"
cd "$COMPANY"
hc run --once --plain; echo "run: $?"
hc task cancel TASK-001; echo "cancel: $?"
hc status >/dev/null; echo "status: $?"
hc why TASK-001 >/dev/null; echo "why: $?"
hc task list
"""


def test_a_read_only_disk_can_be_looked_at(person: Person) -> None:
    """What writes is refused by name, what only looks works, and nothing ends in a traceback."""
    said = in_namespace(person, READ_ONLY)
    told = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)

    assert {key: told[key] for key in ("run", "cancel", "status", "why")} == {
        "run": "75",
        "cancel": "75",
        "status": "0",
        "why": "0",
    }
    assert "TASK-001" in said
    assert "internal-fault" not in said


@contextmanager
def somebody_without_rights() -> Iterator[Path]:
    """A folder of a user who is not root; inside of the block this process is that user."""
    with tempfile.TemporaryDirectory(prefix="hc-", dir="/tmp") as name:
        folder, root = Path(name), os.geteuid() == 0
        folder.chmod(0o755)
        if root:
            os.chown(folder, 65_534, 65_534)
            os.seteuid(65_534)
        try:
            yield folder
        finally:
            if root:
                os.seteuid(0)


def test_a_ticket_that_may_not_be_read_is_not_claimed() -> None:
    """A file that can be renamed but not read: named with the way out, and left where it is."""
    with somebody_without_rights() as root:
        layout = Layout(root)
        for state in State:
            layout.state(state).mkdir(parents=True)
        layout.ticket("TASK-1", State.TODO).write_text("secret")
        layout.ticket("TASK-1", State.TODO).chmod(0)
        found = FolderBoard(layout, SystemClock(), 0).view().todo["TASK-1"]

    assert isinstance(found, Unreadable)
    assert (found.code, found.path) == ("ticket-unreadable", "tasks/todo/TASK-1.md")


TEXT = b"---\ntitle: x  # mine\n---\n" + b"body\n" * 20_000
MARK_FOR_EVER = """
import sys
from pathlib import Path
from hermes_company.domain.ticket import State
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.layout import Layout
from hermes_company.folders.system_clock import SystemClock
board = FolderBoard(Layout(Path(sys.argv[1])), SystemClock(), 0)
print("begun", flush=True)
number = 0
while True:
    number += 1
    assert board.mark("T-1", State.DOING, {"agent": "ann", "attempt": number} if number % 2 else None)
"""


def test_a_ticket_is_never_torn_by_a_kill(tmp_path: Path) -> None:
    """kill -9 while our block is written, again and again: the person's bytes are whole each time."""
    layout = Layout(tmp_path)
    for state in State:
        layout.state(state).mkdir(parents=True)
    path = layout.ticket("T-1", State.DOING)
    path.write_bytes(TEXT)
    seen = set()
    for number in range(12):
        with subprocess.Popen(
            [sys.executable, "-c", MARK_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout
            writer.stdout.readline()
            deadline = time.monotonic() + 0.002 * number
            while time.monotonic() < deadline:
                pass
            writer.send_signal(signal.SIGKILL)
        raw = path.read_bytes()
        seen.add(raw != TEXT)

        assert without_runtime(raw) == TEXT
        assert parse_ticket("T-1", raw).title == "x"
        assert writer.returncode == -signal.SIGKILL
    assert seen == {True, False} or len(seen) == 1
