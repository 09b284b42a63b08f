"""What a person does about skills: look, approve, reject, edit, roll back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.companies import tree
from tests.support.person import Answer, Person

SKILL = """---
name: {name}
description: "What to look at before a page goes live."
metadata:
  hc-ticket: "SKILL-{name}"
  hc-tickets: "TASK-001 TASK-002 TASK-003"
---

# Check

- {step}
"""
NAME = "launch-check"
TICKET = f"SKILL-{NAME}"


def draft(person: Person, name: str = NAME, step: str = "Look at it.") -> Path:
    """A draft with its ticket, as the program files them."""
    path = person.layout.skill_drafts / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(SKILL.format(name=name, step=step))
    person.drop(f"SKILL-{name}", f"---\ntitle: Drafted skill {name}\nhold: true\n---\n\nLook.\n", state=State.REVIEW)
    return path


def with_git(person: Person) -> Person:
    """The person's company becomes a git repository with one commit."""
    home = Path(person.environ["HOME"])
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\nname = ann\nemail = ann@localhost\n")
    person.environ["PATH"] = os.environ["PATH"]
    for words in (("init", "-q"), ("add", "--all"), ("commit", "-q", "-m", "begin")):
        git(person, *words)
    return person


def git(person: Person, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", *words], cwd=person.here, env=person.environ, check=True, capture_output=True, text=True)
    return done.stdout


def approved(person: Person, name: str = NAME) -> Path:
    """The approved skill's file."""
    return person.layout.skills / name / "SKILL.md"


def rejected(person: Person, name: str = NAME) -> Path:
    """The rejected skill's file."""
    return person.layout.skill_drafts / ".rejected" / name / "SKILL.md"


def test_drafts_are_listed_and_shown(person: Person) -> None:
    """With what they are for, their text, where they come from and what can be done; looking changes nothing."""
    path = draft(person)
    before = tree(person.here)
    listed = person.ok("skill", "list")
    shown = person.ok("skill", "show", NAME)
    in_json = person.ok("skill", "show", NAME, "--json").json

    assert listed.lines[1:] == ["Drafted, for you to review:", f"  {NAME}  What to look at before a page goes live."]
    assert [row["name"] for row in person.ok("skill", "list", "--json").json["drafts"]] == [NAME]
    assert shown.lines[0] == f"{NAME}  {path}"
    assert "- Look at it." in shown.lines
    assert shown.lines[-1].startswith(f"→ `hc skill approve {NAME}`")
    assert (in_json["state"], in_json["ticket"], in_json["problems"]) == ("draft", TICKET, [])
    assert in_json["metadata"]["hc-tickets"] == "TASK-001 TASK-002 TASK-003"
    assert tree(person.here) == before


def test_a_draft_waits_among_the_reviews(person: Person) -> None:
    """`hc review` has its ticket, and shows the skill's text."""
    path = draft(person)

    assert person.ok("review").lines[0].split() == [TICKET, "Drafted", "skill", NAME]
    assert "- Look at it." in person.ok("review", "show", TICKET).lines
    assert person.ok("review", "show", TICKET, "--json").json["files"] == [str(path)]


@pytest.mark.parametrize("line", [("skill", "approve", NAME), ("review", "approve", TICKET)])
def test_approved_by_name_or_by_ticket(person: Person, line: tuple[str, ...]) -> None:
    """Either way the skill is the company's and its ticket is done; again, nothing changes."""
    text = draft(person).read_text()
    did = person.ok(*line, "--json").json
    again = person.ok(*line, "--json").json

    assert (did[0]["changed"], again[0]["changed"]) == (True, False)
    assert approved(person).read_text() == text
    assert not (person.layout.skill_drafts / NAME).exists()
    assert person.where(TICKET) is State.DONE


@pytest.mark.parametrize(
    "line", [("skill", "reject", NAME, "-m", "Too narrow."), ("review", "reject", TICKET, "-m", "Too narrow.")]
)
def test_rejected_by_name_or_by_ticket(person: Person, line: tuple[str, ...]) -> None:
    """Either way the draft is kept with the reason, out of the way, and its ticket is done; again, nothing changes."""
    draft(person)
    did = person.ok(*line, "--json").json
    again = person.ok(*line, "--json").json

    assert (did[0]["changed"], again[0]["changed"]) == (True, False)
    assert (rejected(person).parent / "REJECTED.md").read_text() == "Too narrow.\n"
    assert not approved(person).exists()
    assert person.where(TICKET) is State.DONE
    assert "Rejected:" in person.ok("skill", "list").lines


def test_an_approved_skill_can_be_rejected_and_the_other_way_round(person: Person) -> None:
    """Second thoughts: out of use, and back; what was said against it goes when it is approved."""
    draft(person)
    person.ok("skill", "approve", NAME)
    person.ok("skill", "reject", NAME, "-m", "It misled everybody.")
    out = approved(person).exists()
    person.ok("skill", "approve", NAME)

    assert not out
    assert [path.name for path in approved(person).parent.iterdir()] == ["SKILL.md"]


def test_other_tickets_are_answered_beside_it(person: Person) -> None:
    """`hc review approve` takes both kinds at once."""
    draft(person)
    person.hand_in("TASK-1")
    person.ok("review", "approve", "TASK-1", TICKET)

    assert (person.where("TASK-1"), person.where(TICKET)) == (State.DONE, State.DONE)
    assert approved(person).exists()


def test_a_ticket_that_is_only_called_like_that(person: Person) -> None:
    """Without such a skill it is a ticket like any other."""
    person.hand_in("SKILL-training")
    person.ok("review", "reject", "SKILL-training", "-m", "Again, please.")

    assert person.where("SKILL-training") is State.DOING


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("skill show nothing", "skill-unknown"),
        ("skill approve launch-chek", "skill-unknown"),
        ("skill approve ../elsewhere", "skill-unknown"),
        ("skill show ../elsewhere", "skill-unknown"),
        ("skill rollback ../../tasks", "skill-unknown"),
        (f"review reject {TICKET} -m no --anew", "skill-has-no-agent"),
        (f"skill edit {NAME}", "editor-missing"),
        (f"skill edit {NAME} --file none.md", "text-unreadable"),
        (f"skill rollback {NAME}", "memory-history-missing"),
    ],
)
def test_what_is_refused_changes_nothing(person: Person, line: str, code: str) -> None:
    """Unknown names, ways that lead nowhere or out of the folders."""
    draft(person)
    (person.layout.company / "elsewhere").mkdir()
    (person.layout.company / "elsewhere" / "SKILL.md").write_text(SKILL.format(name="elsewhere", step="x"))
    before = tree(person.layout.company)
    answer = person.hc(*line.split())

    assert (answer.status, answer.err.split(":")[0]) == (2, f"✗ {code}")
    assert tree(person.layout.company) == before
    assert person.where(TICKET) is State.REVIEW


def test_what_the_standard_does_not_want_is_not_approved(person: Person) -> None:
    """Broken by an edit: it stays a draft, its ticket in review, and the refusal says what is wrong."""
    path = draft(person)
    path.write_text(path.read_text().replace(f"name: {NAME}", "name: Other"))
    answer = person.hc("review", "approve", TICKET)

    assert answer.err.startswith(f"✗ skill-unfit: {NAME}: its name `Other` is not made of lower-case letters")
    assert (path.exists(), person.where(TICKET)) == (True, State.REVIEW)


def test_no_other_skill_is_overwritten(person: Person) -> None:
    """One of that name is there already: refused, both stay."""
    path = draft(person)
    approved(person).parent.mkdir()
    (approved(person).parent / "notes.txt").write_text("mine")
    answer = person.hc("skill", "approve", NAME)

    assert answer.err.startswith("✗ skill-exists: ")
    assert (path.exists(), person.where(TICKET)) == (True, State.REVIEW)


def edited(person: Person, text: str) -> Answer:
    """`hc skill edit` with this text on standard input."""
    return person.hc("skill", "edit", NAME, "--file", "-", stdin=text)


def test_edit_from_a_file(person: Person) -> None:
    """The new text replaces the old one, once; one that the standard refuses is kept beside and named."""
    path = draft(person)
    better = SKILL.format(name=NAME, step="Look twice.")
    first, again = edited(person, better), edited(person, better)
    bad = edited(person, "# no front matter")

    assert (first.out, again.out) == (f"The skill {NAME} is changed.\n", f"The skill {NAME} says that already.\n")
    assert path.read_text() == better
    assert bad.err.startswith("✗ skill-unfit: ")
    kept = person.layout.private / "edit" / NAME / "SKILL.md"
    assert kept.read_text() == "# no front matter"
    assert str(kept) in bad.err


def test_edit_in_an_editor(person: Person, tmp_path: Path) -> None:
    """$VISUAL or $EDITOR, with its options, gets a copy; one that fails changes nothing."""
    path = draft(person)
    script = tmp_path / "my editor.sh"
    script.write_text('#!/bin/sh\nsed -i "s/Look at it/$2/" "$3"\n')
    script.chmod(0o700)
    person.environ["PATH"] = os.environ["PATH"]
    person.environ["EDITOR"] = f"sh '{script}' -x 'Look twice'"
    person.ok("skill", "edit", NAME)
    after = path.read_text()
    person.environ["VISUAL"] = "false"
    failed = person.hc("skill", "edit", NAME)
    left = list((person.layout.private / "edit").rglob("*.md"))

    assert "- Look twice." in after
    assert failed.err.startswith("✗ editor-failed: ")
    assert (path.read_text(), left) == (after, [])


def test_what_was_refused_is_opened_again(person: Person) -> None:
    """A text that the standard refuses is not lost: the next edit goes on with it."""
    path = draft(person)
    edited(person, SKILL.format(name="Other", step="Look three times."))
    person.environ["PATH"] = os.environ["PATH"]
    person.environ["EDITOR"] = f"sed -i s/Other/{NAME}/"
    person.ok("skill", "edit", NAME)

    assert path.read_text() == SKILL.format(name=NAME, step="Look three times.")


def test_rollback_brings_the_earlier_version_back(person: Person) -> None:
    """With every file of the skill; the same again takes it back; a commit can be named; a person's staged work stays."""
    draft(person)
    with_git(person)
    person.ok("skill", "approve", NAME)
    first = approved(person).read_text()
    edited(person, SKILL.format(name=NAME, step="Look twice."))
    (approved(person).parent / "list.txt").write_text("by hand\r\n")
    with (person.here / "company.yaml").open("a") as file:
        file.write("# mine\n")
    git(person, "add", "company.yaml")

    person.ok("skill", "rollback", NAME)
    without_file = not (approved(person).parent / "list.txt").exists()
    person.ok("skill", "rollback", NAME)
    with_file = (approved(person).parent / "list.txt").read_bytes()
    commit = git(person, "log", "--format=%H", "--grep", f"skills: approve {NAME}").strip()
    person.ok("skill", "rollback", NAME, "--to", commit)

    assert (without_file, with_file) == (True, b"by hand\r\n")
    assert approved(person).read_text() == first
    assert git(person, "diff", "--cached", "--name-only") == "company.yaml\n"
    assert git(person, "status", "--porcelain", "company") == ""


def test_rollback_brings_a_rejected_skill_s_approved_version_back(person: Person) -> None:
    """What is gone from the approved ones is in the history."""
    draft(person)
    with_git(person)
    person.ok("skill", "approve", NAME)
    text = approved(person).read_text()
    person.ok("skill", "reject", NAME)
    person.ok("skill", "rollback", NAME)

    assert approved(person).read_text() == text


def test_rollback_refuses_where_there_is_no_way_back(person: Person) -> None:
    """A first version, a commit without the skill, a merge that is under way."""
    draft(person)
    with_git(person)
    begin = git(person, "rev-parse", "HEAD").strip()
    person.ok("skill", "approve", NAME)
    first = person.hc("skill", "rollback", NAME)
    elsewhere = person.hc("skill", "rollback", NAME, "--to", begin)
    (person.here / ".git" / "MERGE_HEAD").write_text(f"{begin}\n")
    busy = person.hc("skill", "rollback", NAME)

    assert first.err.startswith("✗ skill-version-missing: The history knows no other version")
    assert elsewhere.err.startswith(f"✗ skill-version-missing: The skill {NAME} is not in commit")
    assert (busy.status, busy.err.split(":")[0]) == (75, "✗ skill-history-busy")


def test_decisions_are_in_the_history(person: Person) -> None:
    """Each is a commit that says what was decided."""
    draft(person)
    draft(person, "second")
    with_git(person)
    person.ok("review", "approve", TICKET)
    person.ok("skill", "reject", "second")

    subjects = [change["subject"] for change in person.ok("memory", "log", "--json").json]
    assert subjects[:2] == ["skills: reject second", f"skills: approve {NAME}"]


def test_in_chinese(chinese: Person) -> None:
    """A draft with a Chinese name is answered by it."""
    draft(chinese, "落地页-四段")
    shown = chinese.ok("skill", "show", "落地页-四段").lines[1]
    did = chinese.ok("skill", "approve", "落地页-四段").out

    assert shown == "  这是草稿：在你批准之前，不会告诉任何员工。"
    assert did == "技能 落地页-四段 已批准。\n"
    assert approved(chinese, "落地页-四段").exists()
