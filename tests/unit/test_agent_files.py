"""`agents/<name>`: people's profiles, and the orchestrator's runtime.json."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.domain.agent import Agent, AgentStatus, UnreadableAgent
from hermes_company.domain.settings import Settings, TmuxSettings
from hermes_company.errors import Refusal
from hermes_company.folders.agent_files import AgentFiles
from hermes_company.folders.layout import Layout
from hermes_company.folders.profile_json import BadProfile, parse_profile, render_profile
from tests.support.companies import new_company, tree

MINIMAL = '{"name": "ada", "engine": "shell"}'


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A company without agents."""
    return new_company(tmp_path / "acme")


@pytest.fixture
def files(layout: Layout) -> AgentFiles:
    """Its agents."""
    return AgentFiles(layout, Settings())


def drop(layout: Layout, name: str, profile: str | bytes = MINIMAL) -> None:
    """An agent folder as a person makes it by hand."""
    layout.agent(name).mkdir()
    layout.profile_json(name).write_bytes(profile.encode() if isinstance(profile, str) else profile)


def unreadable(files: AgentFiles, name: str = "ada") -> UnreadableAgent:
    """The agent, which must not be readable."""
    found = files.read(name)
    assert isinstance(found, UnreadableAgent)
    return found


# Reading


def test_profile_is_read(layout: Layout, files: AgentFiles) -> None:
    """Everything that profile.json and profile.md say arrives, in whatever order it was written."""
    profile = {
        "engine": "claude-code",
        "skills": ["nextjs", "接口设计"],
        "name": "ada",
        "role": "全栈工程师",
        "skills_pack": ["superpowers"],
        "model": "opus",
        "capacity": 2,
        "timeout_minutes": 12.5,
        "env": ["GH_HOST"],
        "args": ["--verbose"],
        "memory": False,
    }
    drop(layout, "ada", json.dumps(profile))
    layout.profile_md("ada").write_text("# Ada\n")

    assert files.read("ada") == Agent(
        name="ada",
        engine="claude-code",
        role="全栈工程师",
        skills=("nextjs", "接口设计"),
        skills_pack=("superpowers",),
        model="opus",
        capacity=2,
        timeout_minutes=12.5,
        env=("GH_HOST",),
        args=("--verbose",),
        memory=False,
        identity="# Ada\n",
    )


def test_name_and_engine_suffice(layout: Layout, files: AgentFiles) -> None:
    """A profile of two lines and without profile.md is an agent."""
    drop(layout, "ada")

    assert files.read("ada") == Agent(name="ada", engine="shell")


def test_byte_order_mark_is_no_part_of_the_text(layout: Layout, files: AgentFiles) -> None:
    """Files that a Windows editor saved are read like any other."""
    drop(layout, "ada", b"\xef\xbb\xbf" + MINIMAL.encode())
    layout.profile_md("ada").write_bytes(b"\xef\xbb\xbfI am Ada.")

    assert files.read("ada") == Agent(name="ada", engine="shell", identity="I am Ada.")


def test_time_limit_comes_from_the_company(layout: Layout) -> None:
    """An agent that names no time limit has the company's."""
    drop(layout, "ada")

    agent = AgentFiles(layout, Settings(timeout_minutes=7)).read("ada")

    assert isinstance(agent, Agent)
    assert agent.timeout_minutes == 7


def test_agents_are_listed_by_name(layout: Layout, files: AgentFiles) -> None:
    """Every folder is an agent, readable or not; plain and hidden files are none."""
    drop(layout, "zoe", '{"name": "zoe", "engine": "shell"}')
    drop(layout, "ada")
    drop(layout, "broken", "{")
    (layout.agents / "README.md").touch()
    (layout.agents / ".cache").mkdir()

    found = files.all()

    assert list(found) == ["ada", "broken", "zoe"]
    assert isinstance(found["broken"], UnreadableAgent)


def test_company_without_agents_folder_has_none(layout: Layout, files: AgentFiles) -> None:
    """A missing agents folder is a company without agents, not a fault."""
    shutil.rmtree(layout.agents)

    assert files.all() == {}


def test_unknown_agent_is_refused_with_a_guess(layout: Layout, files: AgentFiles) -> None:
    """Asking for an agent that does not exist names the one that was probably meant."""
    drop(layout, "laohuang", '{"name": "laohuang", "engine": "shell"}')

    with pytest.raises(Refusal) as caught:
        files.read("laohuan")

    assert caught.value.code == "agent-unknown"
    assert "`laohuang`" in str(caught.value.remedy)


@pytest.mark.parametrize("name", ["../tasks", "ada\n", "", ".", "a b"])
def test_name_that_can_be_none_is_unknown(files: AgentFiles, name: str) -> None:
    """A word that can't name an agent leads nowhere, least of all out of the agents folder."""
    with pytest.raises(Refusal) as caught:
        files.read(name)

    assert caught.value.code == "agent-unknown"


@pytest.mark.parametrize(
    ("profile", "code", "line", "seen"),
    [
        ('{"name": "ada",\n"engine": }', "agent-bad-json", 2, "JSON"),
        ('{"name": "ada", "name": "ada", "engine": "shell"}', "agent-bad-json", None, "twice"),
        ('{"name": "ada", "engine": "shell", "capacity": NaN}', "agent-bad-json", None, "NaN"),
        ('["ada"]', "agent-bad-json", 1, "object"),
        ("", "agent-bad-json", 1, "JSON"),
        ("[" * 60_000, "agent-bad-json", None, "JSON"),
        ('{"capacity": 1' + "0" * 5_000 + "}", "agent-bad-json", None, "JSON"),
        ('{"name": "ada",\n\n"engin": "shell"}', "agent-unknown-key", 3, "`engin`"),
        ('{"name": "ada"}', "agent-bad-value", None, "`engine` is missing"),
        ('{"name": "ada",\n"engine": null}', "agent-bad-value", None, "`engine` is missing"),
        ('{"name": "ada",\n"engine": "Shell"}', "agent-bad-value", 2, "`engine`"),
        ('{"name": "ada", "engine": "shell\\n"}', "agent-bad-value", 1, "`engine`"),
        ('{"name": "bob",\n"engine": "shell"}', "agent-name-differs", 1, "bob"),
        ('{"name": "ada", "engine": "shell", "capacity": true}', "agent-bad-value", 1, "`capacity`"),
        ('{"name": "ada", "engine": "shell", "capacity": 0}', "agent-bad-value", 1, "`capacity`"),
        ('{"name": "ada", "engine": "shell", "timeout_minutes": "30"}', "agent-bad-value", 1, "`timeout_minutes`"),
        ('{"name": "ada", "engine": "shell", "timeout_minutes": 1e400}', "agent-bad-value", 1, "`timeout_minutes`"),
        ('{"name": "ada", "engine": "shell", "skills": "nextjs"}', "agent-bad-value", 1, "`skills`"),
        ('{"name": "ada", "engine": "shell", "skills": ["../x"]}', "agent-bad-value", 1, "`skills`"),
        ('{"name": "ada", "engine": "shell", "env": ["KEY=secret"]}', "agent-bad-value", 1, "`env`"),
        ('{"name": "ada", "engine": "shell", "args": ["a\\u0000b"]}', "agent-bad-value", 1, "`args`"),
        ('{"name": "ada", "engine": "shell", "role": "half \\ud800"}', "agent-bad-value", 1, "`role`"),
        ('{"name": "ada", "engine": "shell", "memory": "off"}', "agent-bad-value", 1, "`memory`"),
        (b'{"name": "ada",\n"role": "\xff"}', "agent-unreadable", 2, "UTF-8"),
        ("{" + " " * 70_000 + "}", "agent-unreadable", None, "65536"),
    ],
)
def test_unreadable_profile_names_what_and_where(
    layout: Layout, files: AgentFiles, profile: str | bytes, code: str, line: int | None, seen: str
) -> None:
    """A profile that can't be read is an agent that can't work, with the reason and the line, never a guess."""
    drop(layout, "ada", profile)

    found = unreadable(files)

    assert (found.code, found.line, found.path) == (code, line, "agents/ada/profile.json")
    assert seen in str(found.reason)


def test_unknown_key_comes_with_a_guess(layout: Layout, files: AgentFiles) -> None:
    """The remedy for a misspelt key is the key that was probably meant."""
    drop(layout, "ada", '{"name": "ada", "engine": "shell", "skill": []}')

    assert "`skills`" in str(unreadable(files).remedy)


def test_secret_in_env_is_not_repeated_whole(layout: Layout, files: AgentFiles) -> None:
    """Somebody who writes a key's value into `env` does not find it again in messages and logs."""
    drop(layout, "ada", '{"name": "ada", "engine": "shell", "env": ["TOKEN=ghp_0123456789abcdef"]}')

    assert "ghp_" not in str(unreadable(files).reason)


def test_folder_without_a_profile(layout: Layout, files: AgentFiles) -> None:
    """An agent folder without profile.json says how to get one."""
    layout.agent("ada").mkdir()

    assert unreadable(files).code == "agent-no-profile"


def test_folder_with_a_name_that_tmux_would_execute(layout: Layout, files: AgentFiles) -> None:
    """A folder whose name may not become a tmux window is named, and nothing in it is read."""
    drop(layout, "#(reboot)", '{"name": "#(reboot)", "engine": "shell"}')

    found = files.all()["#(reboot)"]

    assert isinstance(found, UnreadableAgent)
    assert found.code == "agent-bad-name"


def test_identity_that_is_not_text(layout: Layout, files: AgentFiles) -> None:
    """An unreadable profile.md makes the agent unreadable: it would work as somebody else."""
    drop(layout, "ada")
    layout.profile_md("ada").write_bytes(b"ok\n\xff")

    found = unreadable(files)

    assert (found.code, found.line, found.path) == ("agent-unreadable", 2, "agents/ada/profile.md")


def test_link_out_of_the_company_is_not_followed(tmp_path: Path, layout: Layout, files: AgentFiles) -> None:
    """Neither a linked file nor a linked folder brings in what lies outside of the company."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "profile.json").write_text(MINIMAL)
    layout.agent("ada").mkdir()
    layout.profile_json("ada").symlink_to(outside / "profile.json")
    layout.agent("eve").symlink_to(outside)

    assert [unreadable(files, name).code for name in ("ada", "eve")] == ["agent-unreadable"] * 2
    assert "out of the company" in str(unreadable(files).reason)


def test_links_inside_the_company_are_followed(layout: Layout, files: AgentFiles) -> None:
    """Agents may share an identity by a link within the company."""
    drop(layout, "ada")
    (layout.company / "identity.md").write_text("shared")
    layout.profile_md("ada").symlink_to(layout.company / "identity.md")

    agent = files.read("ada")

    assert isinstance(agent, Agent)
    assert agent.identity == "shared"


@pytest.mark.parametrize("kind", ["fifo", "folder", "circle"])
def test_what_is_no_file_holds_nothing_up(layout: Layout, files: AgentFiles, kind: str) -> None:
    """A FIFO, a folder or a circle of links in place of the profile is named; reading does not wait."""
    layout.agent("ada").mkdir()
    path = layout.profile_json("ada")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path)

    assert unreadable(files).code == "agent-unreadable"


def test_edits_show_at_once(layout: Layout, files: AgentFiles) -> None:
    """An edit, a removed profile and a repaired one are seen at the next look."""
    drop(layout, "ada")
    first = files.read("ada")
    layout.profile_md("ada").write_text("new identity")
    second = files.read("ada")
    layout.profile_json("ada").unlink()
    third = files.read("ada")
    layout.profile_json("ada").write_text('{"name": "ada", "engine": "codex"}')

    assert isinstance(first, Agent)
    assert second == replace(first, identity="new identity")
    assert isinstance(third, UnreadableAgent)
    assert files.read("ada") == Agent(name="ada", engine="codex", identity="new identity")


def test_unchanged_profile_is_not_read_again(layout: Layout, files: AgentFiles) -> None:
    """What did not change is answered from memory: the very same value."""
    drop(layout, "ada")

    assert files.read("ada") is files.read("ada")


def test_reading_writes_nothing(layout: Layout, files: AgentFiles) -> None:
    """Looking at agents leaves the tree as it was."""
    drop(layout, "ada")
    drop(layout, "broken", "{")
    before = tree(layout.root)

    files.all()

    assert tree(layout.root) == before


# Making an agent


def test_new_agent_reads_back(layout: Layout, files: AgentFiles) -> None:
    """What `hc agent add` writes is what the loop reads."""
    agent = Agent(name="ada", engine="codex", role="tester", skills=("pytest",), model="gpt", identity="I am Ada.\n")

    files.create(agent, lang="en")

    assert files.read("ada") == agent


def test_new_agent_starts_with_an_identity(layout: Layout, files: AgentFiles) -> None:
    """Without an identity of its own a new agent gets a short one in the company's language."""
    files.create(Agent(name="ada", engine="codex", role="测试"), lang="zh")

    assert "你是 ada，岗位：测试" in layout.profile_md("ada").read_text()


def test_new_agent_never_overwrites(layout: Layout, files: AgentFiles) -> None:
    """An agent that exists, readable or not, is left as it is."""
    drop(layout, "ada", "{")
    before = tree(layout.root)

    with pytest.raises(Refusal) as caught:
        files.create(Agent(name="ada", engine="shell"), lang="en")

    assert caught.value.code == "agent-exists"
    assert tree(layout.root) == before


def test_identity_that_lies_there_is_kept(layout: Layout, files: AgentFiles) -> None:
    """A profile.md that a person wrote first stays when the agent is made around it."""
    layout.agent("ada").mkdir()
    layout.profile_md("ada").write_text("mine")

    files.create(Agent(name="ada", engine="shell", identity="other"), lang="en")

    assert layout.profile_md("ada").read_text() == "mine"


@pytest.mark.parametrize(
    ("agent", "code"),
    [
        (Agent(name="a/../b", engine="shell"), "agent-bad-name"),
        (Agent(name="ada\n", engine="shell"), "agent-bad-name"),
        (Agent(name="ada", engine="no engine"), "agent-bad-value"),
        (Agent(name="ada", engine="shell", skills=("a b",)), "agent-bad-value"),
        (Agent(name="ada", engine="shell", capacity=0), "agent-bad-value"),
    ],
)
def test_agent_that_could_not_be_read_is_not_made(layout: Layout, files: AgentFiles, agent: Agent, code: str) -> None:
    """What would be unreadable later is refused now, and no folder is left."""
    with pytest.raises(Refusal) as caught:
        files.create(agent, lang="en")

    assert caught.value.code == code
    assert files.all() == {}


names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,10}[A-Za-z0-9]", fullmatch=True)
line = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=20)
skill = st.from_regex(r"[a-z一-龥][a-z一-龥._-]{0,8}", fullmatch=True).filter(lambda word: ".." not in word)


@given(
    st.builds(
        Agent,
        name=names.filter(lambda name: name.casefold() not in ("con", "prn", "aux", "nul", "lock", "runtime")),
        engine=st.sampled_from(["shell", "claude-code", "codex"]),
        role=line,
        skills=st.lists(skill, max_size=3).map(tuple),
        skills_pack=st.lists(skill, max_size=2).map(tuple),
        model=st.none() | line.filter(bool),
        capacity=st.integers(1, 64),
        timeout_minutes=st.floats(0.1, 1_000),
        env=st.just(("PATH_X",)) | st.just(()),
        args=st.lists(line, max_size=3).map(tuple),
        memory=st.booleans(),
        identity=st.just(""),
    )
)
def test_every_agent_reads_back_as_it_was(agent: Agent) -> None:
    """Whatever values an agent has, its written profile means the same."""
    assert parse_profile(agent.name, render_profile(agent)) == agent


@given(st.text(max_size=200) | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_an_agent_or_a_reason(text: str) -> None:
    """No profile, however odd, raises anything but the reason why it is none."""
    with contextlib.suppress(BadProfile):
        assert isinstance(parse_profile("ada", text), Agent)


# runtime.json


def test_runtime_tells_what_the_agent_does(layout: Layout) -> None:
    """runtime.json has the documented keys."""
    files = AgentFiles(layout, Settings(tmux=TmuxSettings(session="mine")))
    drop(layout, "ada")
    agent = files.read("ada")
    assert isinstance(agent, Agent)

    files.report(agent, AgentStatus.BUSY, current="TASK-1", heartbeat="2026-05-01T09:00:00Z")

    assert json.loads(layout.runtime_json("ada").read_text()) == {
        "agent": "ada",
        "engine": "shell",
        "container": "tmux",
        "tmux_session": "mine",
        "tmux_window": "agent_ada",
        "status": "busy",
        "current_task": "TASK-1",
        "last_heartbeat": "2026-05-01T09:00:00Z",
    }


def test_runtime_is_written_only_when_it_changes(layout: Layout, files: AgentFiles) -> None:
    """The same report again touches no file; another one does."""
    drop(layout, "ada")
    agent = Agent(name="ada", engine="shell")
    files.report(agent, AgentStatus.IDLE, current=None, heartbeat=None)
    first = layout.runtime_json("ada").stat().st_ino
    files.report(agent, AgentStatus.IDLE, current=None, heartbeat=None)
    second = layout.runtime_json("ada").stat().st_ino
    files.report(agent, AgentStatus.BUSY, current="TASK-1", heartbeat=None)

    assert first == second
    assert json.loads(layout.runtime_json("ada").read_text())["status"] == "busy"


def test_deleted_agent_is_not_made_anew(layout: Layout, files: AgentFiles) -> None:
    """A report on an agent whose folder a person deleted is passed over; the folder stays gone."""
    files.report(Agent(name="ada", engine="shell"), AgentStatus.IDLE, current=None, heartbeat=None)

    assert not layout.agent("ada").exists()
