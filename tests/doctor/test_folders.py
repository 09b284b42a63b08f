"""Faults of the tree: folders, templates, tickets, profiles."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.examine import FolderExaminer
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.doctor import Severity
from tests.support.examined import doctor, elsewhere
from tests.support.person import Person


def test_a_missing_state_folder_is_made_again(person: Person) -> None:
    """Without one of the five folders the company can't run; `--fix` makes it, and then it can."""
    shutil.rmtree(person.layout.tasks)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.status == 1
    assert "tasks/blocked" in next(f["seen"] for f in seen.answer["findings"] if f["code"] == "folder-missing")
    assert (fixed.status, fixed.codes) == (0, {})
    assert all(person.layout.state(state).is_dir() for state in State)


@pytest.mark.parametrize("name", ["agents", "memory", "logs", "outbox", "company/skills"])
def test_other_missing_folders_are_made_again(person: Person, name: str) -> None:
    """What the company can do without for a while is only to be looked at, and made by `--fix`."""
    shutil.rmtree(person.here / name)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert (seen.status, seen.codes) == (0, {"folder-missing": "warn"})
    assert seen.of("folder-missing")["seen"] == f"The folder {name} is missing."
    assert (fixed.codes, (person.here / name).is_dir()) == ({}, True)


@pytest.mark.parametrize("in_the_way", ["file", "link"])
def test_what_lies_in_the_place_of_a_folder_is_left(person: Person, in_the_way: str) -> None:
    """A file or a link where a state folder belongs is named and not touched."""
    folder = person.layout.state(State.DONE)
    shutil.rmtree(folder)
    if in_the_way == "file":
        folder.write_text("mine")
    else:
        (person.here.parent / "archive").mkdir()
        folder.symlink_to(person.here.parent / "archive")
    examined = doctor(person, "--fix")

    assert examined.of("folder-missing" if in_the_way == "file" else "folder-elsewhere")["severity"] == "bad"
    assert examined.answer["repairs"] == []
    assert folder.is_file() or folder.is_symlink()


def test_a_state_folder_on_another_file_system(person: Person) -> None:
    """A move between file systems is no rename: said before the first ticket is to be moved there."""
    examined = elsewhere(person, 'mount -t tmpfs tmpfs "$COMPANY/tasks/done"')

    assert (examined.status, examined.of("folder-elsewhere")["severity"]) == (1, "bad")
    assert "tasks/done" in examined.of("folder-elsewhere")["seen"]


def test_a_company_that_cannot_be_written_into(person: Person) -> None:
    """On a read-only disk every folder is named; `--fix` tells what it could not do, and nothing ends in a traceback."""
    shutil.rmtree(person.layout.memory)
    examined = elsewhere(person, 'mount --bind "$COMPANY" "$COMPANY"; mount -o remount,bind,ro "$COMPANY"', "--fix")
    folders = [f["seen"].split()[-1] for f in examined.answer["findings"] if f["code"] == "folder-not-writable"]

    assert examined.status == 1
    assert {"tasks/todo.", "tasks/done.", "agents.", ".hc."} <= set(folders)
    assert examined.done == {"folder-missing": False}
    assert "Read-only" in examined.answer["repairs"][0]["says"]


def test_folders_of_another_user(person: Person) -> None:
    """One run with sudo leaves folders behind that the usual user can't work in."""
    examiner = FolderExaminer(person.layout, SystemClock(), person.environ, runners={}, user=lambda: os.geteuid() + 1)
    found = {finding.code: finding for finding in examiner.examine()}

    assert found["owner-differs"].severity is Severity.WARN
    assert ".hc, tasks/todo" in str(found["owner-differs"].seen)


def test_a_policy_that_cannot_be_used(person: Person) -> None:
    """A slip of the pen in company/policy.yaml, for which nothing starts, is found with the key that was meant."""
    person.layout.policy_file.write_text("stric: true\n")
    found = doctor(person).of("policy-unknown-key")

    assert (found["severity"], found["remedy"]) == ("bad", "Did you mean `strict`?")


def test_a_prompt_that_cannot_be_made(person: Person) -> None:
    """A rules file or a template that is gone or broken is found before an agent is started without it."""
    (person.layout.company / "SECURITY_RULES.md").unlink()
    assert doctor(person).codes == {"rules-unreadable": "bad"}
    (person.layout.company / "SECURITY_RULES.md").touch()
    (person.layout.runners / "shell_runner.md").write_text(
        "{% extends 'base.md' %}{% block engine %}{{ nobody }}{% endblock %}"
    )
    broken = doctor(person)
    assert broken.codes == {"runner-broken": "bad"}
    assert "shell_runner.md, line 1" in broken.of("runner-broken")["seen"]
    (person.layout.runners / "shell_runner.md").unlink()
    assert doctor(person).codes == {"runner-missing": "bad"}


def test_a_broken_feedback_template(person: Person) -> None:
    """What a rejected ticket is told is tried out too, not only the first prompt."""
    (person.layout.runners / "feedback.md").write_text("{{ nobody }}")

    assert "feedback.md" in doctor(person).of("runner-broken")["seen"]


def test_an_agent_whose_profile_cannot_be_used(person: Person) -> None:
    """File, line and remedy, as `hc status` has them."""
    person.layout.profile_json("worker").write_text('{\n "name": "worker",\n "engin": "shell"\n}\n')
    found = doctor(person).of("agent-unknown-key")

    assert found["severity"] == "bad"
    assert found["seen"].startswith("agents/worker/profile.json, line 3: ")
    assert found["remedy"] == "Did you mean `engine`?"


def test_tickets_that_cannot_be_read(person: Person) -> None:
    """In every folder where somebody still waits for them; what is done may be as it likes."""
    for number, state in enumerate(State):
        person.drop(f"bad{number}", "---\ntitle: [\n---\n", state)
    found = [f["seen"].split(",")[0] for f in doctor(person).answer["findings"] if f["code"] == "ticket-bad-yaml"]

    assert sorted(found) == ["tasks/blocked/bad2.md", "tasks/doing/bad1.md", "tasks/review/bad3.md", "tasks/todo/bad0.md"]


def test_files_that_are_no_tickets(person: Person) -> None:
    """Links, bad names, copies of sync tools, leftovers of editors: each is told for what it is."""
    todo = person.layout.state(State.TODO)
    (todo / "link.md").symlink_to("/etc/passwd")
    (todo / "a b.md").write_text("x")
    (todo / "TASK-1.sync-conflict-20260501-101010-ABCDEFG.md").write_text("x")
    for name in (".TASK-1.md.swp", "TASK-1.md~", "4913", "notes.txt", ".DS_Store"):
        (todo / name).write_text("x")
    examined = doctor(person)

    assert examined.codes == {
        "ticket-not-a-file": "bad",
        "ticket-bad-name": "bad",
        "ticket-conflict-copy": "warn",
        "not-tickets": "warn",
    }
    names = (".TASK-1.md.swp", "4913", "TASK-1.md~", "notes.txt")
    listed = ", ".join(f"tasks/todo/{name}" for name in names)
    assert examined.of("not-tickets")["seen"] == f"4 files are not taken for tickets: {listed}."


def test_the_same_name_twice(person: Person) -> None:
    """In two folders, or in one that differs in case only: both are named, none is touched."""
    person.drop("TASK-1", "one")
    person.drop("TASK-1", "two", State.REVIEW)
    person.drop("abc", "one")
    person.drop("ABC", "two")
    found = [f["seen"] for f in doctor(person, "--fix").answer["findings"] if f["code"] == "ticket-twice"]

    assert sorted(found) == [
        "Several files have this name: tasks/todo/ABC.md, tasks/todo/abc.md.",
        "Several files have this name: tasks/todo/TASK-1.md, tasks/review/TASK-1.md.",
    ]
    assert (person.here / "tasks/todo/TASK-1.md").read_text() == "one"


@pytest.mark.parametrize("how", ["link", "placeholder"])
def test_a_move_that_was_interrupted(person: Person, how: str) -> None:
    """What the two fallbacks of a move leave when they are killed in the middle is told, with the name that can go."""
    old, new = (person.layout.ticket("TASK-1", state) for state in (State.TODO, State.DOING))
    person.drop("TASK-1", "whole")
    if how == "link":
        new.hardlink_to(old)
    else:
        new.touch()
    found = doctor(person).of("ticket-half-moved")
    spare = Path(found["remedy"].rpartition("rm ")[2])
    (person.here / spare).unlink()

    assert found["severity"] == "bad"
    assert doctor(person).codes == {}
    assert [path.read_text() for path in (old, new) if path.exists()] == ["whole"]


def test_a_ticket_that_was_just_written_is_no_fault(person: Person) -> None:
    """It is mentioned, because nothing happens to it yet."""
    path = person.drop("TASK-1")
    os.utime(path, (datetime.now(UTC).timestamp(),) * 2)
    examined = doctor(person)

    assert examined.codes == {}
    assert examined.of("ticket-settling")["severity"] == "ok"
