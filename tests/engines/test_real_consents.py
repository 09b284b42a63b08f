"""What the real CLIs ask at first: known before a start, refused by name, and not asked any more once it is recorded."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_company.domain.settings import EngineSettings
from hermes_company.engines.registry import get_engine
from hermes_company.engines.screens import SCREENS
from hermes_company.ports.engine import Job
from tests.scripted_model import ScriptedModel, hand_in
from tests.support.engine_rig import EngineRig, search_path
from tests.support.tmux import tmux_company, until

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def claude(binaries: Path, tmp_path: Path) -> Iterator[EngineRig]:
    """Claude Code on a machine where nobody has ever started it."""
    with ScriptedModel(hand_in()) as model, tmux_company(tmp_path / "company") as company:
        env = model.claude_env(tmp_path / "home")
        shutil.rmtree(env["CLAUDE_CONFIG_DIR"])
        yield EngineRig(company, get_engine("claude-code"), {"PATH": search_path(binaries), **env})


@pytest.fixture
def codex(binaries: Path, tmp_path: Path) -> Iterator[EngineRig]:
    """Codex that was never started in the git repository it is to work in."""
    with ScriptedModel(hand_in()) as model, tmux_company(tmp_path / "company") as company:
        env = model.codex_env(tmp_path / "home")
        subprocess.run(["git", "init", "-q", str(company.root / "work")], check=True)
        yield EngineRig(company, get_engine("codex"), {"PATH": search_path(binaries), **env})


def named(rig: EngineRig, job: Job) -> str:
    """The dialog that is read from the window, once it is drawn."""
    screen = SCREENS[rig.engine.name]
    return until(lambda: screen.look(rig.picture(job)).dialog, seconds=90, what=rig.screen(job))


CLAUDE_DIALOGS = [
    ("onboarding", "claude-not-onboarded", "Dark mode"),
    ("trust", "claude-folder-not-trusted", "Accessing workspace"),
    ("api-key", "claude-api-key-not-approved", "Detected a custom API key"),
    ("bypass", "claude-bypass-not-accepted", "Bypass Permissions mode"),
]


@pytest.mark.parametrize(("kind", "code", "shown"), CLAUDE_DIALOGS)
def test_claude_refusal_names_the_dialog_that_opens(claude: EngineRig, kind: str, code: str, shown: str) -> None:
    """Each refusal stands for a dialog of the real Claude Code that would open and wait."""
    job = claude.job()
    claude.engine.grant(consent for consent in claude.engine.consents(job) if consent.kind != kind)

    refusal = claude.engine.preflight(job)
    claude.spawn(job, claude.engine.start(job))

    assert refusal is not None
    assert refusal.code == code
    until(lambda: shown in claude.screen(job), seconds=90, what=claude.screen(job))
    assert named(claude, job) == kind
    assert not (job.run_dir / "signals.jsonl").exists()


@pytest.mark.parametrize("own_folder", [True, False])
def test_claude_works_once_everything_is_granted(claude: EngineRig, own_folder: bool) -> None:
    """Where Claude Code was never started, the recorded answers are enough for it to hand in, wherever it keeps them."""
    environ = {name: value for name, value in claude.environ.items() if own_folder or name != "CLAUDE_CONFIG_DIR"}
    job = claude.job(environ=environ)
    claude.engine.grant(claude.engine.consents(job))
    claude.begin(job)

    assert claude.done(job) == job.token


def test_claude_works_on_what_company_yaml_accepts(claude: EngineRig) -> None:
    """What company.yaml accepts in advance is recorded at the launch, and no dialog opens."""
    accept = ("onboarding", "trust", "api-key", "bypass")
    job = claude.job(settings=EngineSettings(accept=accept))
    claude.begin(job)

    assert claude.done(job) == job.token
    assert not (Path(job.environ["CLAUDE_CONFIG_DIR"]) / "settings.json").exists()


def test_claude_refuses_whom_preflight_refuses(claude: EngineRig) -> None:
    """Whether this user may use the bypass mode without a sandbox: preflight says what the real Claude Code does."""
    environ = {name: value for name, value in claude.environ.items() if name != "IS_SANDBOX"}
    job = claude.job(environ=environ)
    claude.engine.grant(claude.engine.consents(job))
    refusal = claude.engine.preflight(job)
    done = subprocess.run(
        ["claude", "--dangerously-skip-permissions", "-p", "hello"], env=environ, capture_output=True, text=True, check=False
    )

    assert (done.returncode != 0 and "root" in done.stderr) == (refusal is not None and refusal.code == "claude-refuses-root")


def test_codex_refusal_names_the_dialog_that_opens(codex: EngineRig) -> None:
    """Codex asks for trust in a git repository, even in its unattended mode; preflight says so before."""
    job = codex.job()
    refusal = codex.engine.preflight(job)
    codex.spawn(job, codex.engine.start(job))

    assert refusal is not None
    assert refusal.code == "codex-folder-not-trusted"
    until(lambda: "Trust this folder?" in codex.screen(job), seconds=90, what=codex.screen(job))
    assert named(codex, job) == "trust"


def test_codex_works_once_trust_is_granted(codex: EngineRig) -> None:
    """After the person's yes Codex works in that repository without asking."""
    job = codex.job()
    codex.engine.grant(codex.engine.consents(job))
    codex.begin(job)

    assert codex.done(job) == job.token


def test_codex_asks_for_a_login_that_preflight_refuses(codex: EngineRig) -> None:
    """Without a login and with OpenAI as the provider the real Codex shows its login screen, key in the environment or not."""
    (Path(codex.environ["CODEX_HOME"]) / "config.toml").unlink()
    job = codex.job(environ={**codex.environ, "OPENAI_API_KEY": "sk-scripted"})
    refusal = codex.engine.preflight(job)
    codex.spawn(job, codex.engine.start(job))

    assert refusal is not None
    assert refusal.code == "codex-not-logged-in"
    until(lambda: "Sign in with ChatGPT" in codex.screen(job), seconds=90, what=codex.screen(job))
    assert named(codex, job) == "login"
