"""Faults below `.hc/`: who may read it, what dead processes left, who runs the company."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.company_lock import is_held
from tests.support.examined import dead_pid, doctor
from tests.support.person import Person

HOLD = """
import sys
from pathlib import Path
from hermes_company.folders.company_lock import company_lock
from hermes_company.folders.layout import Layout
from hermes_company.folders.system_clock import SystemClock
with company_lock(Layout(Path(sys.argv[1])), SystemClock()):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def somebody_runs(person: Person) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the company's lock, as `hc run` does."""
    words = [sys.executable, "-c", HOLD, str(person.here)]
    with subprocess.Popen(
        words, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as loop:
        assert loop.stdout
        assert loop.stdout.readline() == "held\n"
        yield loop
        loop.kill()


def test_a_private_folder_that_others_can_enter(person: Person) -> None:
    """Prompts and panes are nobody else's business: bad, and closed by `--fix`."""
    person.layout.private.chmod(0o755)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert (seen.status, seen.codes) == (1, {"private-open": "bad"})
    assert (fixed.status, fixed.codes, fixed.done) == (0, {}, {"private-open": True})
    assert person.layout.private.stat().st_mode & 0o777 == 0o700


def test_files_of_attempts_that_others_could_read(person: Person) -> None:
    """A second fence: what is kept of attempts is closed by itself too; a script stays executable."""
    run = person.attempt("TASK-1", outcome=Outcome.FINISHED)
    folder = person.layout.run("TASK-1", run.number)
    (folder / "prompt.md").write_text("do it")
    (folder / "launch.sh").write_text("exit")
    (folder / "launch.sh").chmod(0o755)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.codes == {"private-files-open": "warn"}
    assert fixed.codes == {}
    assert [(folder / name).stat().st_mode & 0o777 for name in ("prompt.md", "launch.sh")] == [0o600, 0o700]


def test_temporary_files_of_dead_processes(person: Person) -> None:
    """What a killed writer left is deleted; what a living one writes, or wrote a moment ago, is not touched."""
    pid = dead_pid()
    private, agent = person.layout.private, person.layout.agent("worker")
    gone = [private / f"started.json.{pid}.tmp", private / f".run.json.{pid}.tmp", agent / f".runtime.json.{pid}.tmp"]
    kept = [agent / ".runtime.json.1.tmp", private / f".run.json.{pid + 0}0000000.tmp.txt", agent / "x.tmp"]
    for path in (*gone, *kept):
        path.write_text("{")
        person.rest(path, 90)
    young = private / f".young.{pid}.tmp"
    young.write_text("{")
    (person.layout.outbox_root / f".agents.own.{pid}.tmp").write_text("an agent's file")
    person.rest(person.layout.outbox_root / f".agents.own.{pid}.tmp", 90)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.codes == {"stale-temporaries": "warn"}
    assert seen.of("stale-temporaries")["seen"].startswith("3 temporary files of dead processes: ")
    assert fixed.codes == {}
    assert [path.exists() for path in (*gone, *kept, young)] == [False] * 3 + [True] * 4
    assert (person.layout.outbox_root / f".agents.own.{pid}.tmp").exists()


def test_an_old_temporary_file_whose_id_was_given_out_again(person: Person) -> None:
    """Nobody writes for an hour: a living process of that id is another one."""
    path = person.layout.private / ".run.json.1.tmp"
    path.write_text("{")
    person.rest(path, 3_700)

    assert doctor(person, "--fix").done == {"stale-temporaries": True}
    assert not path.exists()


def test_what_was_being_written_into_a_ticket_is_not_thrown_away(person: Person) -> None:
    """A copy of the ticket goes; anything else may be a person's last edit, and is left to them."""
    ticket = person.drop("TASK-1", "---\ntitle: x\n---\nbody\n")
    copy, edit = (ticket.with_name(f".TASK-1.md.{dead_pid()}.tmp") for _ in range(2))
    copy.write_text("---\ntitle: x\nruntime:\n  agent: worker\n---\nbody\n")
    edit.write_text("---\ntitle: x\n---\nbody, edited in the last moment\n")
    for path in (copy, edit):
        person.rest(path, 90)
    examined = doctor(person, "--fix")

    assert examined.done == {"stale-temporaries": True}
    assert examined.codes == {"ticket-unfinished": "warn"}
    assert (copy.exists(), edit.exists()) == (False, True)
    assert examined.of("ticket-unfinished")["remedy"].endswith(f"rm tasks/todo/{edit.name}")


def test_who_runs_the_company(person: Person) -> None:
    """While somebody holds the lock that is well, and said with the process."""
    with somebody_runs(person) as loop:
        examined = doctor(person)

        assert examined.codes == {}
        assert f"process {loop.pid} on " in examined.of("loop")["seen"]


def test_a_loop_that_died(person: Person) -> None:
    """kill -9 leaves its name behind, even where its id lives on in another process; `--fix` takes it away."""
    with somebody_runs(person) as loop:
        loop.kill()
        loop.wait()
    assert person.layout.kernel_holder.exists()
    person.loop_runs()
    person.layout.kernel_holder.chmod(0o600)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.codes == {"loop-died": "warn"}
    assert (fixed.codes, fixed.done) == ({}, {"loop-died": True})
    assert not person.layout.kernel_holder.exists()


def test_asking_does_not_keep_a_loop_from_starting(person: Person) -> None:
    """Whoever asks whether the lock is held lets it go at once, and two may ask at the same time."""
    with somebody_runs(person):
        assert is_held(person.layout)
    for _ in range(50):
        assert not is_held(person.layout)
    with somebody_runs(person):
        assert is_held(person.layout)


def test_a_loop_that_hangs(person: Person) -> None:
    """A loop that lives and renews no claim is no loop."""
    run = person.attempt("TASK-1", minutes_ago=30)
    person.drop("TASK-1", state=State.DOING)
    with somebody_runs(person) as loop:
        examined = doctor(person)

        assert examined.codes == {"loop-silent": "bad"}
        assert str(loop.pid) in examined.of("loop-silent")["seen"]
        assert (run.lease_expires - timedelta(seconds=120)).isoformat(timespec="seconds") in examined.of("loop-silent")["seen"]


def test_attempts_that_nobody_looks_after(person: Person) -> None:
    """Open attempts wait for the next `hc run`; that is said while nobody runs the company."""
    person.attempt("TASK-1")
    person.drop("TASK-1", state=State.DOING)

    assert doctor(person).codes == {"runs-unattended": "warn"}
    assert "TASK-1 (worker)" in doctor(person).of("runs-unattended")["seen"]


def test_a_record_that_cannot_be_read(person: Person) -> None:
    """It is named; the loop closes the attempt as lost."""
    run = person.attempt("TASK-1")
    (person.layout.run("TASK-1", run.number) / "run.json").write_text("{")

    assert doctor(person).codes == {"record-damaged": "bad"}


def test_a_claim_that_was_never_recorded(person: Person) -> None:
    """An entry of an intent that was killed before its record was written is removed, the living ones are not."""
    person.attempt("TASK-1")
    person.drop("TASK-1", state=State.DOING)
    (person.layout.open_runs / "TASK-2").write_text("1")
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.codes == {"intents-stale": "warn", "runs-unattended": "warn"}
    assert (fixed.done, fixed.codes) == ({"intents-stale": True}, {"runs-unattended": "warn"})
    assert sorted(path.name for path in person.layout.open_runs.iterdir()) == ["TASK-1"]


def test_what_needs_rest_is_left_while_somebody_runs_the_company(person: Person) -> None:
    """The lock is asked for: what could cross a running loop is not done and says so, the rest is."""
    (person.layout.open_runs).mkdir()
    (person.layout.open_runs / "TASK-2").write_text("1")
    person.layout.private.chmod(0o755)
    with somebody_runs(person) as loop:
        examined = doctor(person, "--fix")

        assert examined.done == {"intents-stale": False, "private-open": True}
        assert str(loop.pid) in next(r["says"] for r in examined.answer["repairs"] if not r["done"])
        assert (person.layout.open_runs / "TASK-2").exists()


@pytest.mark.parametrize("text", ["", "{}", '{"id": "xyz"}'])
def test_a_damaged_id(person: Person, text: str) -> None:
    """The company's id is not made anew behind anybody's back."""
    person.layout.identity.write_text(text)

    examined = doctor(person, "--fix")
    assert examined.codes == {"identity-damaged": "bad"}
    assert person.layout.identity.read_text() == text
