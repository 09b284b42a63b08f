"""`hc memory` and `hc skill`: what the company knows."""

from __future__ import annotations

from pathlib import Path

from tests.support.companies import tree
from tests.support.person import Person

NOTE = """---
id: {id}
task: {id}
attempt: 1
agent: worker
title: "{title}"
created: 2026-04-28
engine: shell
outcome: accepted
status: {status}
---

# {title}

## Pitfalls

- {pitfall}
"""


def learned(person: Person, ticket: str, title: str, pitfall: str, status: str = "approved") -> Path:
    """A note as the archive writes it."""
    path = person.layout.memory / "worker/experiences" / f"{ticket}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(NOTE.format(id=ticket, title=title, pitfall=pitfall, status=status), encoding="utf-8")
    return path


def fill(person: Person) -> None:
    """Three notes, of which two have to do with price lists."""
    learned(person, "TASK-001", "Price list page from the export", "The export has Windows line ends: strip carriage returns.")
    learned(person, "TASK-002", "Price list page for spring", "The export has no header row in spring.", status="pending")
    learned(person, "TASK-003", "给新客户的欢迎语", "称呼客户的名字。")


def test_search_finds_whatever_its_standing(person: Person) -> None:
    """Search shows what fits best with its standing, what no agent may be told included."""
    fill(person)
    found = person.ok("memory", "search", "price list export", "--json").json
    lines = person.ok("memory", "search", "price list export").lines

    assert {(note["id"], note["status"]) for note in found} == {("TASK-001", "approved"), ("TASK-002", "pending")}
    assert found[0]["terms"]
    assert any(line.startswith("approved  TASK-001  worker  2026-04-28  Price list page") for line in lines)
    assert person.ok("memory", "search", "客户 欢迎语").lines[0].split()[1] == "TASK-003"


def test_search_for_nothing(person: Person) -> None:
    """Where nothing fits, it says so."""
    assert person.ok("memory", "search", "quantum").out == "Nothing that was learned has to do with it.\n"
    assert person.ok("memory", "search", "quantum", "--json").json == []


def test_explain_says_what_is_told_and_why_not(person: Person) -> None:
    """For a ticket: what its agent would be told, and the reason for each note that is left out."""
    fill(person)
    person.drop("TASK-9", "---\nowner: worker\n---\n# Price list page for the winter sale from the export\n")
    judged = {note["id"]: note for note in person.ok("memory", "explain", "TASK-9", "--json").json}

    assert judged["TASK-001"]["verdict"] == "shown"
    assert "Windows line ends" in judged["TASK-001"]["text"]
    assert (judged["TASK-002"]["verdict"], judged["TASK-002"]["text"]) == ("not-approved", None)


def test_explain_needs_somebody_to_be_told(person: Person) -> None:
    """Without an agent that fits, it asks for one; a named one is taken."""
    person.drop("TASK-9", "---\nskills: [cobol]\n---\n# Price list\n")

    assert "--agent" in person.hc("memory", "explain", "TASK-9").err
    assert person.ok("memory", "explain", "TASK-9", "--agent", "worker", "--json").json == []
    assert "agent-unknown" in person.hc("memory", "explain", "TASK-9", "--agent", "nobody").err


def test_only_the_cache_is_written(person: Person) -> None:
    """Looking into the memory leaves everything but `.hc/cache` as it was."""
    fill(person)
    person.drop("TASK-9", "# Price list\n")
    before = {name: data for name, data in tree(person.here).items() if not name.startswith(".hc/cache")}
    person.ok("memory", "search", "price list")
    person.ok("memory", "explain", "TASK-9")
    after = {name: data for name, data in tree(person.here).items() if not name.startswith(".hc/cache")}

    assert after == before


def test_skills(person: Person) -> None:
    """Skills with what they are for; what is passed over is named."""
    none = person.ok("skill", "list").out
    folder = person.layout.skills / "tidy"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Use when a folder is a mess\n---\n\n# Tidy\n")
    (person.layout.skills / "broken.md").write_bytes(b"\xff\xfe")
    answer = person.ok("skill", "list")
    shown = person.ok("skill", "list", "--json").json

    assert "company/skills/NAME/SKILL.md" in none
    assert answer.lines == ["tidy  Use when a folder is a mess"]
    assert "broken.md was passed over" in answer.err
    assert [skill["name"] for skill in shown["skills"]] == ["tidy"]
    assert len(shown["passed_over"]) == 1
