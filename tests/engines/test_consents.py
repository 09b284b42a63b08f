"""What engines ask: which answers count, and how they are recorded among a person's own settings."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.settings import EngineSettings
from hermes_company.engines.claude_code import ClaudeCode
from hermes_company.engines.codex import Codex
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job
from tests.support.engine_rig import make_job

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz-0123456789"
SETTLED = {
    "numStartups": 7,
    "oauthAccount": {"emailAddress": "a@example.com"},
    "hasCompletedOnboarding": True,
    "projects": {"/elsewhere": {"allowedTools": ["x"], "hasTrustDialogAccepted": True}},
    "customApiKeyResponses": {"approved": ["an-older-key"], "rejected": ["another-key"]},
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A person's home."""
    folder = tmp_path / "home"
    (folder / ".codex").mkdir(parents=True)
    return folder


def claude_job(home: Path, state: dict[str, Any] | str | None = None, **environ: str) -> Job:
    """A job for Claude Code where its state file says `state`."""
    if state is not None:
        (home / ".claude.json").write_text(state if isinstance(state, str) else json.dumps(state))
    return make_job(home.parent / "company", "claude-code", environ={"HOME": str(home), **environ})


def codex_job(home: Path, config: str = "", **changes: Any) -> Job:
    """A job for Codex where its configuration says `config`."""
    (home / ".codex" / "config.toml").write_text(config)
    return make_job(home.parent / "company", "codex", **{"environ": {"HOME": str(home)}, **changes})


def given(consents: tuple[Consent, ...]) -> dict[str, bool]:
    """Kind → whether it was answered."""
    return {consent.kind: consent.given for consent in consents}


def user(number: int) -> ClaudeCode:
    """Claude Code, started by that user."""
    return ClaudeCode(lambda: number)


# --- Claude Code ------------------------------------------------------------------------------------------------------


def test_claude_asks_in_the_order_of_its_dialogs(home: Path) -> None:
    """On a new machine everything is open; the key is asked about only where there is one."""
    assert given(user(1).consents(claude_job(home))) == {"onboarding": False, "trust": False, "bypass": False}
    assert list(given(user(1).consents(claude_job(home, ANTHROPIC_API_KEY=KEY)))) == [
        "onboarding",
        "trust",
        "api-key",
        "bypass",
    ]


def test_claude_trusts_below_a_trusted_folder(home: Path) -> None:
    """Trust in a folder covers those below it, also through a link."""
    company = (home.parent / "company").resolve()
    job = claude_job(home, {"projects": {str(company): {"hasTrustDialogAccepted": True}}})
    link = home.parent / "link"
    link.symlink_to(job.workdir)

    assert given(user(1).consents(job))["trust"]
    assert given(user(1).consents(make_job(company, "claude-code", workdir=link, environ=job.environ)))["trust"]


def test_claude_trust_elsewhere_does_not_count(home: Path) -> None:
    """A folder whose name only begins like a trusted one is not trusted, nor is one that was turned down."""
    job = claude_job(home)
    for place, answer in ((f"{job.workdir}2", True), (str(job.workdir)[:-1], True), (str(job.workdir), False)):
        claude_job(home, {"projects": {place: {"hasTrustDialogAccepted": answer}}})

        assert not given(user(1).consents(job))["trust"]


def test_claude_key_is_known_by_its_end(home: Path) -> None:
    """A key counts as approved by its last 20 characters; one that was turned down opens no dialog either."""
    for kind in ("approved", "rejected"):
        job = claude_job(home, {"customApiKeyResponses": {kind: [KEY[-20:]]}}, ANTHROPIC_API_KEY=KEY)

        assert given(user(1).consents(job))["api-key"]


def test_claude_never_shows_the_key(home: Path) -> None:
    """Neither question nor refusal holds more of a key than its last four characters."""
    job = claude_job(home, {"hasCompletedOnboarding": True}, ANTHROPIC_API_KEY=KEY)
    job = make_job(job.root, "claude-code", environ=job.environ, settings=EngineSettings(accept=("trust",)))
    refusal = user(1).preflight(job)

    assert refusal is not None
    assert refusal.code == "claude-api-key-not-approved"
    for lang in ("en", "zh"):
        assert KEY[-4:] in refusal.in_lang(lang)
        assert KEY[-5:] not in refusal.in_lang(lang)


def test_claude_bypass_said_in_either_file(home: Path) -> None:
    """A yes to the bypass mode counts in the person's settings and, as older versions kept it, in the state file."""
    assert given(user(1).consents(claude_job(home, {"bypassPermissionsModeAccepted": True})))["bypass"]

    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"skipDangerousModePermissionPrompt": true}')
    assert given(user(1).consents(claude_job(home, {})))["bypass"]


def test_claude_reads_the_folder_that_it_is_told(home: Path, tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR holds the state file; an older `.config.json` in it goes first, as in Claude Code."""
    other = tmp_path / "other"
    other.mkdir()
    job = claude_job(home, {}, CLAUDE_CONFIG_DIR=str(other))
    (other / ".claude.json").write_text('{"hasCompletedOnboarding": true}')
    assert given(user(1).consents(job))["onboarding"]

    (other / ".config.json").write_text("{}")
    assert not given(user(1).consents(job))["onboarding"]


def test_claude_login_is_left_to_the_person(home: Path) -> None:
    """Without any login the onboarding can't be answered for the person; the refusal says what to do by hand."""
    job = claude_job(home)
    user(1).grant(user(1).consents(job))
    refusal = user(1).preflight(job)

    assert refusal is not None
    assert refusal.code == "claude-not-onboarded"
    assert "log in" in refusal.in_lang("en")


def test_claude_grant_changes_only_its_entries(home: Path) -> None:
    """A yes is recorded beside everything that Claude Code and the person keep in that file."""
    job = claude_job(home, SETTLED, ANTHROPIC_API_KEY=KEY)
    user(1).grant(user(1).consents(job))

    expected = {
        **SETTLED,
        "projects": {**SETTLED["projects"], str(job.workdir.resolve()): {"hasTrustDialogAccepted": True}},  # type: ignore[dict-item]
        "customApiKeyResponses": {"approved": ["an-older-key", KEY[-20:]], "rejected": ["another-key"]},
    }
    assert json.loads((home / ".claude.json").read_text()) == expected
    assert json.loads((home / ".claude" / "settings.json").read_text()) == {"skipDangerousModePermissionPrompt": True}
    assert KEY not in (home / ".claude.json").read_text()


@pytest.mark.parametrize("state", ["", "{broken", "[]"])
def test_claude_broken_state_is_a_refusal(home: Path, state: str) -> None:
    """A state file that Claude Code could not read is named before the start and never written."""
    job = claude_job(home, state)
    refusal = user(1).preflight(job)

    assert refusal is not None
    assert refusal.code == "claude-config-unreadable"
    assert (home / ".claude.json").read_text() == state


def test_claude_root_needs_a_sandbox(home: Path) -> None:
    """Root is refused unless the person says that this machine is a sandbox, in either place."""
    job = claude_job(home)
    sandboxed = make_job(job.root, "claude-code", environ=job.environ, settings=EngineSettings(sandboxed=True))

    codes = [getattr(user(0).preflight(j), "code", None) for j in (job, claude_job(home, IS_SANDBOX="1"), sandboxed)]
    assert codes == ["claude-refuses-root", "claude-not-onboarded", "claude-not-onboarded"]
    assert getattr(user(1).preflight(job), "code", None) == "claude-not-onboarded"


def test_claude_sandbox_is_said_only_where_the_person_did(home: Path) -> None:
    """IS_SANDBOX is set for the engine by company.yaml's `sandboxed` alone; from the environment it is passed on."""
    program = home / "claude"
    program.write_text("")
    program.chmod(0o755)
    job = claude_job(home)
    plain, sandboxed = (
        make_job(job.root, "claude-code", environ=job.environ, settings=EngineSettings(command=str(program), sandboxed=said))
        for said in (False, True)
    )

    assert "IS_SANDBOX" not in user(0).start(plain).env
    assert user(0).start(sandboxed).env["IS_SANDBOX"] == "1"
    assert "IS_SANDBOX" in user(0).start(plain).pass_env


@pytest.mark.parametrize(("accept", "said"), [((), False), (("bypass",), True)])
def test_claude_bypass_warning_is_passed_over_only_with_a_yes(home: Path, accept: tuple[str, ...], said: bool) -> None:
    """The run's settings pass the warning over only when a person accepted the bypass mode."""
    program = home / "claude"
    program.write_text("")
    program.chmod(0o755)
    job = claude_job(home)
    job = make_job(job.root, "claude-code", environ=job.environ, settings=EngineSettings(command=str(program), accept=accept))
    settings = json.loads(user(1).start(job).files["settings.json"])

    assert ("skipDangerousModePermissionPrompt" in settings) == said


# --- Codex ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "logged_in"),
    [
        ("", False),
        ('model_provider = "openai"', False),
        ('model_provider = "local"\n[model_providers.local]\nbase_url = "http://127.0.0.1"', True),
        ('model_provider = "local"\n[model_providers.local]\nrequires_openai_auth = true', False),
        ('cli_auth_credentials_store = "keyring"', True),
    ],
)
def test_codex_login(home: Path, config: str, logged_in: bool) -> None:
    """A login is missing where the provider needs one and no file holds it; a keyring can't be looked into."""
    assert given(Codex().consents(codex_job(home, config)))["login"] == logged_in


def test_codex_login_in_a_file(home: Path) -> None:
    """`auth.json` is a login; without it the person is told how to log in, whatever was accepted."""
    job = codex_job(home, settings=EngineSettings(accept=("trust", "login")))
    refusal = Codex().prepare(job)
    (home / ".codex" / "auth.json").write_text("{}")

    assert refusal is not None
    assert refusal.code == "codex-not-logged-in"
    assert "codex login" in refusal.in_lang("zh")
    assert Codex().prepare(job) is None


@pytest.mark.parametrize("args", [("--oss",), ("-c", "model_provider=local"), ("-p", "work")])
def test_codex_provider_on_the_command_line(home: Path, args: tuple[str, ...]) -> None:
    """Where the agent's own words choose a provider, nothing is certain, so nothing is refused."""
    config = 'model_provider = "team"\n[model_providers.team]\nenv_key = "TEAM_KEY"\nrequires_openai_auth = true\n'

    assert Codex().preflight(codex_job(home, config)) is not None
    assert Codex().preflight(codex_job(home, config, agent={"args": args})) is None


def test_codex_key_of_its_provider(home: Path) -> None:
    """A provider's key is passed on by the name that the configuration gives it; where it is not set, that is said before."""
    config = (
        'model_provider = "local"\n[model_providers.local]\nenv_key = "LOCAL_KEY"\n'
        '[model_providers.local.env_http_headers]\nX-Team = "TEAM_NAME"\n'
    )
    program = home / "codex"
    program.write_text("")
    program.chmod(0o755)
    job = codex_job(home, config, settings=EngineSettings(command=str(program)))
    refusal = Codex().preflight(job)
    environ = {**job.environ, "LOCAL_KEY": "k"}

    assert refusal is not None
    assert refusal.code == "codex-key-missing"
    assert "LOCAL_KEY" in refusal.in_lang("en")
    assert Codex().preflight(codex_job(home, config, environ=environ)) is None
    assert {"LOCAL_KEY", "TEAM_NAME"} <= set(Codex().start(job).pass_env)


def test_codex_asks_for_trust_only_where_settings_could_lie(home: Path) -> None:
    """A plain folder needs no trust; a git repository and a folder with `.codex` do."""
    job = codex_job(home)
    assert "trust" not in given(Codex().consents(job))

    (job.workdir / ".codex").mkdir()
    assert given(Codex().consents(job))["trust"] is False


def test_codex_trusts_the_whole_repository(home: Path) -> None:
    """Trust is recorded for the repository's top, also from a folder in it or from a linked worktree."""
    job = codex_job(home)
    top, tree = job.workdir / "site", job.workdir / "tree"
    (top / "pages").mkdir(parents=True)
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "x")
    git(top, "worktree", "add", "-q", str(tree))

    for folder in (top, top / "pages", tree):
        asked = Codex().consents(make_job(job.root, "codex", workdir=folder, environ=job.environ))
        assert [consent.subject for consent in asked if consent.kind == "trust"] == [str(top.resolve())]


@pytest.mark.parametrize("end", ["", "\n", "\n \n\n"])
def test_codex_grant_leaves_the_persons_text(home: Path, end: str) -> None:
    """The entry is appended: comments, order, spelling and blank lines of everything else stay byte for byte."""
    text = f'\n# mine\nmodel = "m"   # why\n\n[tui]\ntheme="dark"{end}'
    job = codex_job(home, text)
    (job.workdir / ".codex").mkdir()
    Codex().grant(Codex().consents(job))

    written = (home / ".codex" / "config.toml").read_text()
    assert written.startswith(text)
    assert tomllib.loads(written)["projects"] == {str(job.workdir.resolve()): {"trust_level": "trusted"}}


def test_codex_quotes_strange_folders(home: Path) -> None:
    """Quotes, backslashes and Chinese in a folder's name stay inside the entry's name."""
    job = codex_job(home)
    folder = job.workdir / '网站 "a\\b" [x]'
    (folder / ".codex").mkdir(parents=True)
    job = make_job(job.root, "codex", workdir=folder, environ=job.environ)
    Codex().grant(Codex().consents(job))

    assert tomllib.loads((home / ".codex" / "config.toml").read_text())["projects"] == {
        str(folder.resolve()): {"trust_level": "trusted"}
    }
    assert given(Codex().consents(job))["trust"]


@pytest.mark.parametrize("form", ['[projects."{folder}"]\ntrust_level = "untrusted"\n', 'projects = {{"/x" = {{}}}}\n'])
def test_codex_does_not_overrule_the_person(home: Path, form: str) -> None:
    """Where the configuration says otherwise, or can't be added to, the person has to change it; nothing is written."""
    job = codex_job(home)
    (job.workdir / ".codex").mkdir()
    text = form.format(folder=job.workdir.resolve())
    job = codex_job(home, text, settings=EngineSettings(accept=("trust",)))
    asked = [consent for consent in Codex().consents(job) if consent.kind == "trust"]
    Codex().grant(asked)

    assert asked[0].by_hand is not None
    assert (home / ".codex" / "config.toml").read_text() == text


def test_codex_broken_configuration_is_a_refusal(home: Path) -> None:
    """A configuration that Codex could not read is named before the start and never written."""
    job = codex_job(home, "a = [")
    refusal = Codex().preflight(job)

    assert refusal is not None
    assert refusal.code == "codex-config-unreadable"
    with pytest.raises(Refusal):
        Codex().consents(job)


def git(folder: Path, *words: str) -> None:
    """Run git as somebody."""
    command = ["git", "-C", str(folder), "-c", "user.email=a@example.com", "-c", "user.name=a", *words]
    subprocess.run(command, check=True, capture_output=True)
