"""The engines' own sandboxes, for agents whose profile asks for one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hermes_company.domain.custom import CustomCommand
from hermes_company.domain.policy import Policy
from hermes_company.engines.registry import get_engine
from tests.engines.conftest import Rigged
from tests.scripted_model import Run, hand_in
from tests.support.engine_rig import make_job

SANDBOX = {"sandbox": "workspace-write"}
OWN_ONLY = Policy(write=("workdir", "outbox"))
CLAUDE_CAN = all(shutil.which(program) for program in ("bwrap", "socat"))


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """An environment with the engines' programs, and what Claude Code's sandbox needs."""
    for name in ("claude", "codex", "bwrap", "socat"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return {"PATH": str(tmp_path), "HOME": str(tmp_path), "IS_SANDBOX": "1", "ANTHROPIC_API_KEY": "k" * 30}


def test_codex_is_told_where_it_may_write(tmp_path: Path, machine: dict[str, str]) -> None:
    """Codex's sandbox opens what the policy opens and what is there, and the network as the policy says."""
    policy = Policy(write=("workdir", "outbox", "/nowhere"), network=False)
    job = make_job(tmp_path / "co", "codex", agent=SANDBOX, environ=machine, policy=policy)
    words = get_engine("codex").start(job).argv

    assert "--dangerously-bypass-approvals-and-sandbox" not in words
    assert words[words.index("--sandbox") + 1] == "workspace-write"
    assert words[words.index("--ask-for-approval") + 1] == "never"
    assert [word for word in words if word.startswith("sandbox_workspace_write.")] == [
        f'sandbox_workspace_write.writable_roots=["{job.outbox.resolve()}","{job.workdir.resolve()}"]',
        "sandbox_workspace_write.network_access=false",
        "sandbox_workspace_write.exclude_slash_tmp=true",
        "sandbox_workspace_write.exclude_tmpdir_env_var=true",
    ]


def test_without_network_codex_does_not_search(tmp_path: Path, machine: dict[str, str]) -> None:
    """Codex's search, which no hook sees, is off where the policy says no network, sandbox or not."""
    off, on = (make_job(tmp_path / "co", "codex", environ=machine, policy=Policy(network=network)) for network in (False, True))

    assert 'web_search="disabled"' in get_engine("codex").start(off).argv
    assert 'web_search="disabled"' not in get_engine("codex").start(on).argv


@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine_name", ["codex"], indirect=True)
def test_real_codex_does_not_search(rigged: Rigged) -> None:
    """The real Codex offers its model no search then."""
    with rigged(hand_in()) as (rig, model):
        job = rig.job(policy=Policy(network=False))
        rig.begin(job)
        rig.done(job)

        assert "web_search" not in model.turns[0].tools


def test_claude_is_told_where_it_may_write(tmp_path: Path, machine: dict[str, str]) -> None:
    """Claude Code's sandbox opens what the policy opens, and can't be left by the model's own wish."""
    policy = Policy(write=("workdir", "outbox"), network=False)
    job = make_job(tmp_path / "co", "claude-code", agent=SANDBOX, environ=machine, policy=policy)
    settings = json.loads(get_engine("claude-code").start(job).files["settings.json"])["sandbox"]

    assert settings["filesystem"] == {"allowWrite": [str(job.outbox.resolve()), str(job.workdir.resolve())]}
    assert settings["network"] == {"deniedDomains": ["*"]}
    assert (settings["failIfUnavailable"], settings["allowUnsandboxedCommands"]) == (True, False)


def test_without_the_wish_there_is_no_sandbox(tmp_path: Path, machine: dict[str, str]) -> None:
    """Nothing changes for agents whose profile doesn't ask."""
    job = make_job(tmp_path / "co", "claude-code", environ=machine)

    assert "sandbox" not in json.loads(get_engine("claude-code").start(job).files["settings.json"])


@pytest.mark.skipif("sys.platform != 'linux'", reason="other systems bring what it needs")
def test_claude_without_its_tools_is_refused(tmp_path: Path, machine: dict[str, str]) -> None:
    """An agent that is to be sandboxed isn't started without: what is missing is named beforehand."""
    (tmp_path / "socat").unlink()
    job = make_job(tmp_path / "co", "claude-code", agent=SANDBOX, environ=machine)
    (tmp_path / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True}))
    engine = get_engine("claude-code")
    engine.grant(engine.consents(job))
    refusal = engine.preflight(job)

    assert refusal is not None
    assert refusal.code == "sandbox-missing"
    assert "socat" in refusal.in_lang("en")
    assert "bwrap" not in refusal.fact.in_lang("en")


@pytest.mark.parametrize("engine", ["shell", "custom"])
def test_engines_without_a_sandbox_refuse(tmp_path: Path, engine: str) -> None:
    """An engine that has no sandbox says so instead of working without."""
    custom = CustomCommand(command=("sh", "-c", "true")) if engine == "custom" else None
    job = make_job(tmp_path, engine, agent={**SANDBOX, "custom": custom}, environ={"PATH": "/usr/bin:/bin"})
    refusal = get_engine(engine).preflight(job)

    assert refusal is not None
    assert refusal.code == "sandbox-unknown"


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "engine_name",
    ["codex", pytest.param("claude-code", marks=pytest.mark.skipif(not CLAUDE_CAN, reason="needs bubblewrap and socat"))],
    indirect=True,
)
def test_real_sandbox_holds_programs(rigged: Rigged, tmp_path: Path) -> None:
    """What no guard can see, a program's own writing, the system refuses; the workdir, the outbox and reports stay open."""
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    write = f"import pathlib; pathlib.Path('inside').write_text('x'); pathlib.Path('{victim}').write_text('mine')"
    with rigged([Run(f'python3 -c "{write}"'), *hand_in()]) as (rig, model):
        job = rig.job(agent=SANDBOX, policy=OWN_ONLY)
        rig.begin(job)

        assert rig.done(job) == job.token
        assert victim.read_text() == "precious"
        assert (job.workdir / "inside").read_text() == "x"
        assert "Read-only file system" in model.turns[1].results[-1]
