"""What can't be read never stops a company that runs: it stays where it is, and is named with file and line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.e2e.conftest import Founded
from tests.support.e2e import House
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

BOMB = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 8)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
# File name → content, and where and why it is refused.
FILES: dict[str, tuple[bytes, int | None, str]] = {
    "BAD-YAML.md": (b"---\ntitle: ok\nowner: a: b\n---\n# Bad\n", 3, "ticket-bad-yaml"),
    "NOT-UTF8.md": ("# 标题\n\n第三行".encode("gb18030"), 1, "ticket-not-utf8"),
    "BOMB.md": (f"---\n{BOMB}---\n# Bomb\n".encode(), 2, "ticket-bad-yaml"),
    "HUGE.md": (b"# Huge\n" + b"a line of text\n" * 3_500_000, None, "ticket-too-large"),
    "OPEN.md": (b"---\ntitle: never closed\n", 1, "ticket-front-matter-open"),
    "MISSPELT.md": (b"---\ntitle: x\nownr: ann\n---\n# Misspelt\n", 3, "ticket-unknown-key"),
    "a b.md": (b"# A blank in its name\n", None, "ticket-bad-name"),
    "up..up.md": (b"# Two dots\n", None, "ticket-bad-name"),
}


def lay_down(house: House, outside: Path) -> None:
    """Every bad thing that a task folder may hold."""
    todo = house.layout.state(State.TODO)
    for name, (content, _, _) in FILES.items():
        (todo / name).write_bytes(content)
    outside.write_text("# A file that is not the company's\n")
    (todo / "LINK.md").symlink_to(outside)
    (todo / "FOLDER.md").mkdir()
    os.mkfifo(todo / "PIPE.md")


def as_they_lie(house: House) -> dict[str, tuple[int, int, int]]:
    found = {path.name: path.lstat() for path in house.layout.state(State.TODO).iterdir() if not path.name.startswith(".")}
    return {name: (info.st_ino, info.st_size, info.st_mtime_ns) for name, info in found.items()}


def test_unreadable_files_are_named_and_left_alone(founded: Founded, tmp_path: Path) -> None:
    """Other tickets go on; `hc status` and `hc why` name file, line and reason; no byte is changed; corrected, it is done."""
    with founded({"ann": "shell"}, [Chore("GOOD"), Chore("BAD-YAML")]) as (house, _):
        loop = house.run()
        lay_down(house, tmp_path / "outside.md")
        before = as_they_lie(house)
        house.drop("GOOD", Chore("GOOD").asked("# Good"))
        house.event("ticket.moved", "GOOD", to="review")

        told = {found["path"]: found for found in house.hc("status", "--json").json["unreadable"]}
        for name, (_, line, code) in FILES.items():
            found = told[f"tasks/todo/{name}"]
            assert (found["code"], found["line"]) == (code, line), found
        for ticket in ("NOT-UTF8", "a b"):
            assert house.hc("why", ticket, "--json").json.items() >= told[f"tasks/todo/{ticket}.md"].items()
        for name in ("LINK", "FOLDER", "PIPE"):
            assert told[f"tasks/todo/{name}.md"]["code"] == "ticket-not-a-file"
        assert "tasks/todo/BAD-YAML.md:3" in house.hc("status").out
        assert "tasks/todo/BAD-YAML.md:3" in house.hc("why", "BAD-YAML").out
        assert "ticket-unknown" in house.hc("why", "../../etc/passwd", status=2).err
        assert "ticket-bad-name" in house.hc("task", "new", "Out of here", "--id", "../OUT", status=2).err
        assert as_they_lie(house) == before
        assert (house.layout.state(State.TODO) / "HUGE.md").read_bytes() == FILES["HUGE.md"][0]

        house.drop("BAD-YAML", Chore("BAD-YAML").asked("---\ntitle: ok\nowner: ann\n---\n# Corrected"))
        house.event("ticket.moved", "BAD-YAML", to="review")
        assert loop.process.poll() is None


def test_unreadable_profile_keeps_only_its_own_tickets(founded: Founded) -> None:
    """A broken profile.json stops its agent, by file and line, and nobody else; corrected, the agent works."""
    with founded({"ann": "shell", "bob": "shell"}, [Chore("GOOD"), Chore("WAITS")]) as (house, _):
        profile = house.layout.profile_json("bob")
        sound = profile.read_bytes()
        house.run()
        profile.write_bytes(b'{\n  "name": "bob",\n  "engine": shell\n}\n')
        house.drop("WAITS", Chore("WAITS").asked("---\nowner: bob\n---\n# Waits"))
        house.drop("GOOD", Chore("GOOD").asked("---\nowner: ann\n---\n# Good"))
        house.event("ticket.moved", "GOOD", to="review")

        agents = {agent["name"]: agent for agent in house.hc("status", "--json").json["agents"]}
        assert (agents["ann"]["status"], agents["bob"]["status"]) == ("idle", "unusable")
        assert "agents/bob/profile.json:3" in agents["bob"]["problem"]
        assert "agents/bob/profile.json:3" in house.hc("status").out
        why = house.hc("why", "WAITS", "--json").json
        assert (why["code"], why["state"]) == ("agent-unreadable", "todo")
        assert house.where("WAITS") == "todo"

        profile.write_bytes(sound)
        house.event("ticket.moved", "WAITS", to="review")
