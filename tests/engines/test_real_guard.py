"""The real Claude Code and Codex, held to the company's rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.policy import Policy
from hermes_company.domain.signals import SignalKind
from hermes_company.ports.engine import Job
from tests.engines.conftest import Rigged
from tests.scripted_model import Run, Step, Use, Write, hand_in
from tests.support.engine_rig import EngineRig

pytestmark = pytest.mark.timeout(300)

# The tests' own folders lie below the machine's temporary one.
STRICTLY_OWN = Policy(write=("workdir", "outbox"))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file outside of everything that an agent may change."""
    file = tmp_path / "victim" / "precious.txt"
    file.parent.mkdir()
    file.write_text("precious")
    return file


def refusals(rig: EngineRig, job: Job) -> list[str | None]:
    """The rules that said no, in order."""
    return [signal.error for signal in rig.signals(job) if signal.kind is SignalKind.GUARD_REFUSED]


def test_deleting_outside(rigged: Rigged, victim: Path) -> None:
    """`rm -rf` outside of the workdir is refused in unattended mode, the model reads why, and goes on to hand in."""
    with rigged([Run(f"rm -rf {victim.parent}"), *hand_in()]) as (rig, model):
        job = rig.job(policy=STRICTLY_OWN)
        rig.begin(job)

        assert rig.done(job) == job.token
        assert victim.read_text() == "precious"
        assert refusals(rig, job) == ["delete-outside"]
        assert f"(delete-outside). {victim.parent} lies outside of what you may change" in model.turns[1].results[-1]


def test_writing_to_the_company(rigged: Rigged, tmp_path: Path) -> None:
    """Neither a file tool nor a shell writes to `company/`, whichever way it goes there; work in the workdir passes."""
    root = tmp_path / "公司 one"
    script = [
        Write(f"{root}/company/NEW.md", "mine"),
        Run("cd .. && echo mine > company/COMPANY.md"),
        Run(f"sh -c 'cd \"{root}\"; echo mine | tee company/COMPANY.md'"),
        # Codex itself refuses `rm -f` in every form.
        Run("mkdir -p build && echo x > build/a && rm -r build && echo kept > kept.txt"),
        *hand_in(),
    ]
    with rigged(script) as (rig, model):
        (root / "company").mkdir()
        (root / "company" / "COMPANY.md").write_text("ours")
        job = rig.job(policy=STRICTLY_OWN)
        rig.begin(job)

        assert rig.done(job) == job.token
        assert {file.name: file.read_text() for file in (root / "company").iterdir()} == {"COMPANY.md": "ours"}
        assert refusals(rig, job) == ["protected"] * 3
        assert "belongs to the company" in model.turns[1].results[-1]
        assert (job.workdir / "kept.txt").read_text() == "kept\n"


def test_project_settings_do_not_switch_it_off(rigged: Rigged, victim: Path, tmp_path: Path) -> None:
    """What lies in the workdir, from a clone or written by the agent itself, leaves the guard where it is."""
    work = tmp_path / "公司 one" / "work"
    settings = {"disableAllHooks": True, "env": {"HC_RUN_DIR": "", "PATH": "/usr/bin:/bin"}}
    again = Write(f"{work}/.claude/settings.local.json", json.dumps(settings))
    with rigged([Run(f"rm -rf {victim.parent}"), again, Run(f"rm -r {victim.parent}"), *hand_in()]) as (rig, _):
        job = rig.job(policy=STRICTLY_OWN)
        against_hooks(rig, work, settings)
        rig.begin(job)

        assert rig.done(job) == job.token
        assert victim.read_text() == "precious"
        assert refusals(rig, job) == ["delete-outside", "delete-outside"]


def against_hooks(rig: EngineRig, work: Path, settings: Mapping[str, Any]) -> None:
    """A project that the engine trusts, with settings against hooks."""
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text(json.dumps(settings))
    (work / ".codex").mkdir()
    (work / ".codex" / "config.toml").write_text("[features]\nhooks = false\n")
    if "CODEX_HOME" in rig.environ:
        file = Path(rig.environ["CODEX_HOME"]) / "config.toml"
        file.write_text(f'{file.read_text()}\n[projects.{json.dumps(str(work))}]\ntrust_level = "trusted"\n')


@pytest.mark.parametrize("engine_name", ["codex"], indirect=True)
def test_codex_by_its_own_ways(rigged: Rigged, victim: Path) -> None:
    """Codex's patches, its folder for one command, and a shell into which it would type later are judged as well."""

    def patch(line: str) -> Run:
        return Run(f"apply_patch <<'EOF'\n*** Begin Patch\n{line}\n*** End Patch\nEOF")

    script: list[Step] = [
        patch(f"*** Delete File: {victim}"),
        Use("exec_command", {"cmd": "rm -rf victim", "workdir": str(victim.parents[1])}),
        Use("exec_command", {"cmd": "bash", "tty": True}),
        patch("*** Add File: new.txt\n+hi"),
        *hand_in(),
    ]
    with rigged(script) as (rig, _):
        job = rig.job(policy=STRICTLY_OWN)
        rig.begin(job)

        assert rig.done(job) == job.token
        assert victim.read_text() == "precious"
        assert refusals(rig, job) == ["delete-outside", "delete-outside", "unseen"]
        assert (job.workdir / "new.txt").read_text() == "hi\n"


@pytest.mark.parametrize("engine_name", ["claude-code"], indirect=True)
def test_claude_by_its_own_ways(rigged: Rigged, victim: Path) -> None:
    """Claude Code's tools for editing and reading are judged as well."""
    secret = victim.with_name("key")
    secret.write_text("k3y")
    script: list[Step] = [
        Use("Read", {"file_path": str(victim)}),
        Use("Edit", {"file_path": str(victim), "old_string": "precious", "new_string": "mine"}),
        Use("Read", {"file_path": str(secret)}),
        *hand_in(),
    ]
    with rigged(script) as (rig, model):
        job = rig.job(policy=Policy(write=("workdir", "outbox"), secrets=(str(secret),)))
        rig.begin(job)

        assert rig.done(job) == job.token
        assert victim.read_text() == "precious"
        assert refusals(rig, job) == ["write-outside", "secrets"]
        assert "k3y" not in str(model.turns[-1].body)
