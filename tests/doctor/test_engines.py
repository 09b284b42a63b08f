"""Faults of engines and of what the company has learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.examined import doctor
from tests.support.person import Person


def program(person: Person, name: str, script: str) -> Path:
    """A program of that name, found first."""
    folder = person.here.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    if not person.environ["PATH"].startswith(str(folder)):
        person.environ["PATH"] = f"{folder}:{person.environ['PATH']}"
    return path


def only_these(person: Person, *names: str) -> None:
    """A machine on which nothing else is installed."""
    folder = person.here.parent / "few"
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(Path("/usr/bin") / name)
    person.environ["PATH"] = str(folder)


def test_an_engine_that_is_not_there(person: Person) -> None:
    """How to install it; once for the engine, not once for each of its agents."""
    only_these(person, "tmux", "git", "sh", "date")
    person.hc("agent", "add", "ann", "--engine", "codex")
    person.hc("agent", "add", "bob", "--engine", "codex")
    examined = doctor(person)

    assert (examined.status, examined.codes) == (1, {"engine-missing": "bad"})
    assert "npm install -g @openai/codex" in examined.of("engine-missing")["remedy"]


def test_an_engine_that_does_not_exist(person: Person) -> None:
    """A profile may name anything; what was probably meant is said."""
    profile = person.layout.profile_json("worker")
    profile.write_text(profile.read_text().replace('"shell"', '"claude-cod"'))
    examined = doctor(person)

    assert examined.codes == {"engine-unknown": "bad"}
    assert "claude-code" in examined.of("engine-unknown")["remedy"]


def test_an_engine_that_does_not_start(person: Person) -> None:
    """A program that is there and broken is tried out, with its own words."""
    path = program(person, "codex", 'echo "cannot find libfoo" >&2; exit 127')
    person.ok("agent", "add", "ann", "--engine", "codex")
    examined = doctor(person)

    assert examined.codes["engine-does-not-start"] == "bad"
    assert f"{path} does not start: cannot find libfoo" in examined.of("engine-does-not-start")["seen"]


def test_the_version_is_told_and_the_persons_home_left_alone(person: Person) -> None:
    """The program is asked for its version in a home of its own, which is gone afterwards."""
    program(person, "codex", 'touch "$HOME/was-here"; echo "$HOME" >"$(dirname "$0")/home"; echo "codex-cli 0.171.0"')
    person.ok("agent", "add", "ann", "--engine", "codex")
    versions = [f["seen"] for f in doctor(person).answer["findings"] if f["code"] == "engine"]
    used = Path((person.here.parent / "bin" / "home").read_text().strip())

    assert any(seen.startswith("codex: codex-cli 0.171.0, ") for seen in versions)
    assert not Path(person.environ["HOME"], "was-here").exists()
    assert used != Path(person.environ["HOME"])
    assert not used.exists()


def test_questions_that_nobody_answered(person: Person) -> None:
    """What would make an agent's engine stop and ask: for its outbox and for the folders that its tickets name."""
    program(person, "codex", "echo codex-cli 1")
    home = Path(person.environ["HOME"])
    (home / ".codex").mkdir()
    person.ok("agent", "add", "ann", "--engine", "codex")
    logged_out = doctor(person)
    (home / ".codex" / "auth.json").write_text("{}")
    site = home / "site"
    (site / ".codex").mkdir(parents=True)
    person.drop("TASK-1", f"---\nowner: ann\nworkdir: {site}\n---\n")
    (person.here / ".git").rename(person.here.parent / "git-aside")
    untrusted = doctor(person)

    assert logged_out.codes["codex-not-logged-in"] == "bad"
    assert logged_out.of("codex-not-logged-in")["seen"].startswith("ann can't start: ")
    assert untrusted.codes["codex-folder-not-trusted"] == "bad"
    assert str(site) in untrusted.of("codex-folder-not-trusted")["seen"]
    assert "codex-not-logged-in" not in untrusted.codes


def test_reports_that_cannot_be_made(person: Person) -> None:
    """The hook command is run as an engine would run it: without a shell on PATH no report arrives."""
    only_these(person, "tmux", "git")
    examined = doctor(person)

    assert (examined.status, examined.codes) == (0, {"hooks-broken": "warn"})
    assert "sh" in examined.of("hooks-broken")["seen"]


def test_a_company_without_agents_has_no_engines(person: Person) -> None:
    """Nothing is tried out for nobody."""
    for path in person.layout.agent("worker").iterdir():
        path.unlink()
    person.layout.agent("worker").rmdir()
    codes = {finding["code"] for finding in doctor(person).answer["findings"]}

    assert codes & {"engine", "hooks", "prompts", "agents"} == set()


@pytest.mark.parametrize(
    ("place", "content", "reason"),
    [
        ("memory/worker/lessons/L-1.md", b"\xff\xfe", "line 1 is not UTF-8"),
        ("memory/worker/experiences/TASK-1.md", None, "it is not a regular file"),
        ("company/skills/web/SKILL.md", b"---\nname: [\n---\n", "its front matter cannot be read"),
    ],
)
def test_what_was_learned_and_cannot_be_read(person: Person, place: str, content: bytes | None, reason: str) -> None:
    """Notes and skills that every recall passes over are named."""
    path = person.here / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.symlink_to("/etc/passwd")
    else:
        path.write_bytes(content)
    examined = doctor(person)

    assert (examined.status, examined.codes) == (0, {"memory-unreadable": "warn"})
    assert examined.of("memory-unreadable")["seen"].startswith(f"{place} is passed over: {reason}")


def test_a_settings_file_of_an_engine_that_cannot_be_read(person: Person) -> None:
    """It is the engine's own dialog that would open; the file is named."""
    program(person, "codex", "echo codex-cli 1")
    config = Path(person.environ["HOME"]) / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text("[broken")
    person.ok("agent", "add", "ann", "--engine", "codex")

    assert str(config) in json.dumps(doctor(person).of("codex-config-unreadable"))
