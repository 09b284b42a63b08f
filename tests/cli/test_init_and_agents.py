"""`hc init` and `hc agent`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.companies import new_company
from tests.support.person import Person


def test_init_says_what_it_made_and_what_is_next(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The new company's place, its tmux server, and three commands that lead to the first finished ticket."""
    lines = Person(tmp_path, capsys).ok("init", "acme").lines

    assert lines[0] == f"The company lies in {tmp_path}/acme."
    assert "hermes-acme" in lines[1]
    assert [line.strip() for line in lines[-4:]] == [
        "cd acme",
        "hc agent add worker --engine shell",
        'hc task new "A first ticket" --file -',
        "hc run",
    ]


def test_init_here_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`hc init . --lang zh` needs no `cd`, answers in Chinese, and so do later commands in that company."""
    person = Person(tmp_path / "acme", capsys)
    person.here.mkdir()
    lines = person.ok("init", ".", "--lang", "zh", "--name", "知识库").lines

    assert lines[0] == f"公司已建在 {person.here}。"
    assert not any(line.strip().startswith("cd ") for line in lines)
    assert person.ok("status").lines[0] == "知识库  没有在运行：`hc run`"


def test_init_with_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--with-samples` brings agents along."""
    person = Person(tmp_path, capsys)
    person.ok("init", "acme", "--with-samples")
    agents = person.ok("agent", "list", "--json", "--root", "acme").json

    assert "laohuang" in [agent["name"] for agent in agents]


def test_init_refuses_a_folder_with_files(person: Person) -> None:
    """A person's files are never mixed with a new company's."""
    answer = person.hc("init", ".")

    assert answer.status == 2
    assert "init-inside-company" in answer.err


def test_add_writes_the_profile(person: Person) -> None:
    """What is said on the command line stands in profile.json afterwards."""
    person.ok(
        *("agent", "add", "lao", "--engine", "shell", "--role", "后端工程师", "--skills", "nextjs,api_design"),
        *("--model", "m", "--capacity", "2", "--timeout-minutes", "90", "--env", "NPM_TOKEN,CI"),
    )

    assert json.loads(person.layout.profile_json("lao").read_text()) == {
        "name": "lao",
        "role": "后端工程师",
        "engine": "shell",
        "skills": ["nextjs", "api_design"],
        "model": "m",
        "capacity": 2,
        "timeout_minutes": 90.0,
        "env": ["NPM_TOKEN", "CI"],
    }


def test_add_warns_of_a_missing_program(person: Person) -> None:
    """An engine whose program is not there: the agent is made, and the install command is shown."""
    answer = person.ok("agent", "add", "lao", "--engine", "claude-code")

    assert "npm install -g @anthropic-ai/claude-code" in answer.err
    assert person.layout.profile_json("lao").exists()


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("worker", "--engine", "shell"), "agent-exists"),
        (("lao", "--engine", "shel"), "engine-unknown"),
        (("a b", "--engine", "shell"), "agent-bad-name"),
        (("lao", "--engine", "shell", "--capacity", "0"), "agent-bad-value"),
        (("lao", "--engine", "shell", "--env", "TOKEN=secret"), "agent-bad-value"),
    ],
)
def test_add_refuses(person: Person, argv: tuple[str, ...], code: str) -> None:
    """What can't work is refused and leaves no folder behind."""
    answer = person.hc("agent", "add", *argv)

    assert answer.status == 2
    assert answer.err.startswith(f"✗ {code}: ")
    assert sorted(path.name for path in person.layout.agents.iterdir() if path.is_dir()) == ["worker"]


def test_list_shows_who_does_what(person: Person) -> None:
    """One line an agent: busy with what since when, idle, or why it can't work."""
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    broken = person.layout.agent("broken")
    broken.mkdir()
    (broken / "profile.json").write_text('{\n"name": "broken",\n"engin": "shell"}')
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1", title="Count")
    rows = {row["name"]: row for row in person.ok("agent", "list", "--json").json}
    lines = {line.split()[0]: line for line in person.ok("agent", "list").lines}

    assert (rows["worker"]["status"], rows["worker"]["tickets"][0]["ticket"]) == ("busy", "TASK-1")
    assert (rows["lao"]["status"], rows["broken"]["status"]) == ("unusable", "unusable")
    assert "TASK-1 since " in lines["worker"]
    assert "(12 min) Count" in lines["worker"]
    assert "`claude`" in lines["lao"]
    assert "agents/broken/profile.json:3: It has an unknown key `engin`." in lines["broken"]


def test_list_of_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A company without agents says how to get one."""
    person = Person(new_company(tmp_path / "acme").root, capsys)

    assert "hc agent add" in person.ok("agent", "list").out
    assert person.ok("agent", "list", "--json").json == []


def test_show_in_both_forms(person: Person) -> None:
    """The profile and the identity, for people and for programs."""
    answer = person.ok("agent", "show", "worker")
    shown = person.ok("agent", "show", "worker", "--json").json

    assert "You are worker, chores." in answer.out
    assert shown["skills"] == ["sh", "tidy"]
    assert shown["engine_problem"] is None


def test_show_an_unreadable_agent(person: Person) -> None:
    """A broken profile is shown with its file and the way out, not hidden."""
    person.layout.profile_json("worker").write_text("{")
    shown = person.ok("agent", "show", "worker", "--json").json

    assert shown["code"] == "agent-bad-json"
    assert shown["path"] == "agents/worker/profile.json"


def test_prepare_has_nothing_to_ask_a_shell(person: Person) -> None:
    """An engine without questions asks none."""
    assert "Nothing is left to be asked." in person.ok("agent", "prepare", "worker").out


def claude_agent(person: Person) -> Path:
    """An agent with a Claude Code that was set up once; returns where that keeps its answers."""
    programs = Path(person.environ["PATH"])
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\nexit 1\n")
    (programs / "claude").chmod(0o755)
    config = person.here.parent / "claude"
    config.mkdir()
    person.environ |= {"CLAUDE_CONFIG_DIR": str(config), "IS_SANDBOX": "1"}
    (config / ".claude.json").write_text('{"hasCompletedOnboarding": true, "theme": "dark"}')
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    return config


def test_prepare_records_a_yes(person: Person) -> None:
    """`--yes` records every answer where the engine keeps it, for the folders that the agent's tickets name."""
    config = claude_agent(person)
    site = person.here.parent / "site"
    site.mkdir()
    person.drop("TASK-1", f"---\nowner: lao\nworkdir: {site}\n---\n")
    answer = person.ok("agent", "prepare", "lao", "--yes")
    state = json.loads((config / ".claude.json").read_text())

    assert state["theme"] == "dark"
    assert set(state["projects"]) == {str(site), str(person.layout.outbox_root / "lao")}
    assert str(config / ".claude.json") in answer.out
    assert "Nothing is left to be asked." in person.ok("agent", "prepare", "lao").out


def test_prepare_without_anybody_to_answer(person: Person) -> None:
    """Without a terminal and without --yes nothing is recorded, and the refusal says what to do."""
    config = claude_agent(person)
    before = (config / ".claude.json").read_bytes()
    answer = person.hc("agent", "prepare", "lao")

    assert answer.status == 2
    assert "consent-not-given" in answer.err
    assert "--yes" in answer.err
    assert (config / ".claude.json").read_bytes() == before


def test_prepare_takes_the_folders_it_is_told(person: Person) -> None:
    """`--workdir` names the folders instead; a relative one counts from where the person stands."""
    config = claude_agent(person)
    (person.here.parent / "site").mkdir()
    person.ok("agent", "prepare", "lao", "--yes", "--workdir", "../site")

    assert list(json.loads((config / ".claude.json").read_text())["projects"]) == [str(person.here.parent / "site")]
