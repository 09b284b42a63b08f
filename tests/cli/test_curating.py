"""What a person does to memory and skills by hand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from tests.cli.test_memory import fill, learned
from tests.support.companies import tree
from tests.support.person import Person

SKILL = "---\nname: {name}\ndescription: What to look at before a page goes live.\n---\n\n# Check\n\n- Look.\n"


@pytest.fixture
def historian(person: Person) -> Person:
    """The person, whose company is a git repository with a note that is committed."""
    home = Path(person.environ["HOME"])
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = ann\nemail = ann@localhost\n")
    person.environ["PATH"] = os.environ["PATH"]
    learned(person, "TASK-001", "Price list page", "Strip carriage returns.")
    for words in (("init", "-q"), ("add", "--all"), ("commit", "-q", "-m", "begin")):
        subprocess.run(["git", *words], cwd=person.here, env=person.environ, check=True, capture_output=True)
    return person


def test_list(person: Person) -> None:
    """Every note with its standing, filtered as one likes; what is no note is named."""
    fill(person)
    broken = person.layout.memory / "worker/lessons/bad.md"
    broken.parent.mkdir()
    broken.write_bytes(b"\xff")
    listed = person.ok("memory", "list")
    pending = person.ok("memory", "list", "--status", "pending", "--json").json

    assert sorted(line.split()[1] for line in listed.lines) == ["TASK-001", "TASK-002", "TASK-003"]
    assert "bad.md was passed over: " in listed.err
    assert [note["id"] for note in pending["notes"]] == ["TASK-002"]
    assert person.ok("memory", "list", "--kind", "pattern").out == "There are no such notes.\n"
    assert person.ok("memory", "list", "--agent", "nobody").out == "There are no such notes.\n"


def test_held_back_and_released(person: Person) -> None:
    """A note that is held back is told to nobody until it is released."""
    path = learned(person, "TASK-001", "Price list page from the export", "Strip carriage returns.")
    person.drop("TASK-009", "# Price list page from the export\n")
    held = person.ok("memory", "quarantine", "TASK-001").out
    during = person.ok("memory", "explain", "TASK-009", "--json").json[0]["verdict"]
    person.ok("memory", "release", "TASK-001")
    after = person.ok("memory", "explain", "TASK-009", "--json").json[0]["verdict"]

    assert held == "TASK-001 is held back.\n"
    assert (during, after) == ("not-approved", "shown")
    assert "status: approved" in path.read_text()


def test_blame(person: Person) -> None:
    """Notes that misled an agent are marked with the ticket, once, alone or together with the work's rejection."""
    path = learned(person, "TASK-001", "Price list page", "Strip carriage returns.")
    person.drop("TASK-009")
    person.ok("memory", "blame", "TASK-001", "--ticket", "TASK-009")
    person.ok("memory", "blame", "TASK-001", "--ticket", "TASK-009")
    alone = path.read_text()
    person.hand_in("TASK-010")
    person.ok("review", "reject", "TASK-010", "-m", "Not again.", "--blame", "TASK-001")

    assert "harmful: 1\n" in alone
    assert "harmful: 2\n" in path.read_text()
    assert RunFiles(person.layout).blamed("TASK-010", 1) == ["TASK-001"]
    assert person.where("TASK-010") is State.DOING


@pytest.mark.parametrize(
    "line",
    [
        *("memory quarantine TASK-001 L-0", "memory release L-0", "memory blame TASK-001 L-0 --ticket TASK-010"),
        *("memory quarantine ../lessons/x", "review reject TASK-010 -m no --blame TASK-001 --blame L-0"),
    ],
)
def test_an_unknown_note_changes_nothing(person: Person, line: str) -> None:
    """Where one of several ids is unknown, nothing at all is changed."""
    learned(person, "TASK-001", "Price list page", "Strip carriage returns.")
    person.hand_in("TASK-010")
    before = tree(person.here)
    answer = person.hc(*line.split())

    assert answer.status == 2
    assert answer.err.startswith("✗ note-unknown: There is no note ")
    assert tree(person.here) == before


def test_purge_asks_first(person: Person) -> None:
    """What a ticket taught is deleted after a yes, and only then."""
    path = learned(person, "TASK-001", "Price list page", "Strip carriage returns.")
    kept = person.hc("memory", "purge", "TASK-001", stdin="n\n").status, path.exists()
    nothing = person.ok("memory", "purge", "TASK-404", "--yes").out
    person.ok("memory", "purge", "TASK-001", stdin="y\n")

    assert kept == (1, True)
    assert nothing == "Nothing is deleted: no note comes from TASK-404 alone.\n"
    assert not path.exists()


def test_history(historian: Person) -> None:
    """Every change is a commit that can be looked at and undone."""
    path = historian.layout.memory / "worker/experiences/TASK-001.md"
    before = path.read_text()
    historian.ok("memory", "quarantine", "TASK-001")
    first = historian.ok("memory", "log", "--json").json[0]
    shown = historian.ok("memory", "diff", first["commit"]).out
    undone = historian.ok("memory", "revert", "TASK-001").out

    assert (first["subject"], first["author"]) == ("memory: quarantine TASK-001", "hc-orchestrator")
    assert "-status: approved" in shown
    assert path.read_text() == before
    assert undone.startswith("Undone by ")
    assert historian.ok("memory", "log").lines[0].endswith("memory: revert TASK-001")
    assert "memory-commit-unknown" in historian.hc("memory", "revert", "nonsense").err


def test_without_history(person: Person) -> None:
    """A company that is no repository says so; changes are made all the same, and the latest can be undone."""
    path = learned(person, "TASK-001", "Price list page", "Strip carriage returns.")
    person.ok("memory", "release", "TASK-001")
    before = path.read_bytes()

    assert person.ok("memory", "quarantine", "TASK-001").err == ""
    log = person.ok("memory", "log")
    assert "only the latest changes are kept" in log.err
    name, rest = log.lines[0].split(maxsplit=1)
    assert rest.endswith("memory: quarantine TASK-001")
    assert "+status: quarantined" in person.ok("memory", "diff", name).out
    assert "memory-commit-unknown" in person.hc("memory", "diff", "HEAD").err
    assert "Undone by copy-" in person.ok("memory", "revert", name).out
    assert path.read_bytes() == before


def test_skills_are_checked(person: Person) -> None:
    """What the standard does not want is named with its file, and ends with status 1."""
    folder = person.layout.skills / "launch-check"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL.format(name="launch-check"))
    good = person.ok("skill", "lint").out
    (folder / "SKILL.md").write_text(SKILL.format(name="Launch"))
    bad = person.hc("skill", "lint")
    in_json = person.hc("skill", "lint", "--json").json

    assert good == "All skills are as the standard wants them.\n"
    assert bad.status == 1
    assert bad.lines[0].startswith(f"{folder}/SKILL.md: its name `Launch` is not made of lower-case letters")
    assert [row["path"] for row in in_json] == [str(folder / "SKILL.md")] * 2


def test_flat_skills_become_folders(person: Person) -> None:
    """A flat file of an older company becomes a folder that passes the check; `--dry-run` only says so."""
    flat = person.layout.skills / "landing_page.md"
    flat.write_text("# Landing page\n\n## When to use\n\n- For a page that sells.\n")
    planned = person.ok("skill", "migrate", "--dry-run").out
    still = flat.exists()
    person.ok("skill", "migrate")

    assert planned == f"{flat} → {person.layout.skills}/landing-page/SKILL.md\n"
    assert still
    assert not flat.exists()
    assert person.ok("skill", "lint").out == "All skills are as the standard wants them.\n"
    assert person.ok("skill", "migrate").out == "There is no flat skill file.\n"
