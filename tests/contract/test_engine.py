"""What every engine promises to the kernel, whatever its program."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.custom import CustomCommand
from hermes_company.domain.environment import choose
from hermes_company.domain.settings import EngineSettings
from hermes_company.engines.registry import get_engine
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Engine, Job, Launch
from tests.fakes.engines import FakeEngine
from tests.support.engine_rig import make_job

RUNNERS = Path(__file__).parents[2] / "runners"
TOOL = CustomCommand(command=("claude", "-s", "{session_id}", "-p", "{prompt}"), resume=("claude", "-r", "{session_id}"))
PARENT_SESSION = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "cli",
    "CLAUDE_CODE_SESSION_ID": "s",
    "CLAUDE_CODE_CHILD_SESSION": "1",
    "CODEX_THREAD_ID": "t",
    "CODEX_SANDBOX": "seatbelt",
    "TMUX": "/tmp/tmux",
    "TMUX_PANE": "%1",
    "HC_RUN_TOKEN": "hc-of-another-run",
    "SOME_SECRET": "x",
}


@dataclass
class Case:
    """One engine on a machine that has what it needs."""

    engine: Engine
    root: Path
    environ: Mapping[str, str]

    def job(self, **changes: Any) -> Job:
        """A job that the engine can do."""
        fields = {"environ": self.environ, "body": "```sh\ntrue\n```"}
        agent = {"custom": TOOL} if self.engine.name == "custom" else {}
        return make_job(self.root, self.engine.name, **{**fields, **changes, "agent": {**agent, **changes.get("agent", {})}})

    def snapshot(self) -> dict[Path, bytes]:
        """Every file of the company and of the person's home."""
        return {path: path.read_bytes() for path in self.root.parent.rglob("*") if path.is_file()}


def on_a_machine(engine: Engine, folder: Path) -> Case:
    """A home with logins, and programs that are never started."""
    home, programs = folder / "home", folder / "bin"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "auth.json").write_text("{}")
    (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True, "projects": {"/elsewhere": {}}}))
    programs.mkdir()
    for name in ("claude", "codex"):
        (programs / name).write_text("#!/bin/sh\nexit 9\n")
        (programs / name).chmod(0o755)
    environ = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "ANTHROPIC_API_KEY": "sk-ant-1234567890123456789012345"}
    return Case(engine, folder / "company", {**environ, "IS_SANDBOX": "1"})


@pytest.fixture(params=["claude-code", "codex", "shell", "custom", "fake"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """Every engine, and the fake that stands for one."""
    return on_a_machine(FakeEngine() if request.param == "fake" else get_engine(request.param), tmp_path)


@pytest.fixture(params=["claude-code", "codex", "shell", "custom"])
def real(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """Every engine but the fake."""
    return on_a_machine(get_engine(request.param), tmp_path)


@pytest.fixture(params=["claude-code", "codex"])
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    """The engines whose program has to be installed."""
    return on_a_machine(get_engine(request.param), tmp_path)


@pytest.fixture(params=["start", "resume"])
def describe(request: pytest.FixtureRequest) -> Callable[[Engine, Job], Launch]:
    """Both ways to begin: a new conversation, and going on."""
    how: str = request.param
    return lambda engine, job: getattr(engine, how)(job)


def test_program_is_found(case: Case) -> None:
    """With its program in place an engine is ready and names the file."""
    readiness = case.engine.check(EngineSettings(), case.environ)

    assert readiness.refusal is None
    assert readiness.program is not None


def test_missing_program_is_refused_with_the_way_out(installed: Case) -> None:
    """Without its program an engine says what is missing and how to get it; starting it says the same."""
    job = installed.job(environ={**installed.environ, "PATH": "/nonexistent"})
    readiness = installed.engine.check(job.settings, job.environ)
    with pytest.raises(Refusal) as raised:
        installed.engine.start(job)

    assert readiness.program is None
    assert readiness.refusal is not None
    assert readiness.refusal.code == raised.value.code == "engine-missing"
    assert "npm install -g" in readiness.refusal.in_lang("en")


def test_named_program_is_taken(installed: Case, tmp_path: Path) -> None:
    """company.yaml may name the program's path; it goes before PATH."""
    program = tmp_path / "bin" / "other name"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    job = installed.job(settings=EngineSettings(command=str(program)))

    assert installed.engine.start(job).argv[0] == str(program)


def test_looking_writes_nothing(case: Case) -> None:
    """Checking, asking and describing a start leave every file as it was."""
    job = case.job()
    before = case.snapshot()
    case.engine.check(job.settings, job.environ)
    case.engine.preflight(job)
    case.engine.consents(job)
    case.engine.start(job)
    case.engine.resume(job)

    assert case.snapshot() == before


def test_ready_once_all_is_granted(case: Case) -> None:
    """What an engine asks can be recorded, and then nothing stands in the way any more."""
    job = case.job()
    case.engine.grant(case.engine.consents(job))

    assert all(consent.given for consent in case.engine.consents(job))
    assert case.engine.preflight(job) is None


def test_granting_twice_changes_nothing(case: Case) -> None:
    """Recording what is recorded already leaves the files alone."""
    job = case.job()
    case.engine.grant(case.engine.consents(job))
    before = case.snapshot()
    case.engine.grant(case.engine.consents(job))

    assert case.snapshot() == before


def test_prepare_records_only_what_was_accepted(case: Case) -> None:
    """Without a word in company.yaml `prepare` writes nothing and refuses what `preflight` refuses."""
    job = case.job()
    before = case.snapshot()
    expected = case.engine.preflight(job)
    refusal = case.engine.prepare(job)

    assert (refusal and refusal.code) == (expected and expected.code)
    assert case.snapshot() == before


def test_prepare_answers_what_was_accepted(case: Case) -> None:
    """What company.yaml accepts is no obstacle, and `prepare` can be called again."""
    job = case.job(settings=EngineSettings(accept=("trust", "bypass", "api-key")))

    assert case.engine.preflight(job) is None
    assert case.engine.prepare(job) is None
    assert case.engine.prepare(job) is None


def test_launch_can_be_carried_out(case: Case, describe: Callable[[Engine, Job], Launch]) -> None:
    """Words without NUL, plain file names, nothing that the launcher keeps for itself."""
    launch = describe(case.engine, case.job())

    assert launch.argv
    assert all(word and "\0" not in word for word in launch.argv)
    assert all(Path(name).name == name for name in launch.files)
    assert not {"prompt.md", "launch.json", "env.json", "started.json", "exit.json", "signals.jsonl"} & set(launch.files)


def test_prompt_is_never_an_option(real: Case, describe: Callable[[Engine, Job], Launch]) -> None:
    """The command ends its options before the prompt, so that a prompt may begin with a dash."""
    launch = describe(real.engine, real.job(agent={"args": ("--verbose",), "model": "m"}))

    assert not launch.prompt_as_argument or launch.argv[-1] == "--"


def test_nothing_of_a_parent_session_gets_in(real: Case, describe: Callable[[Engine, Job], Launch]) -> None:
    """An engine started from within another one learns nothing of it, and no secret that nobody named."""
    environ = {**real.environ, **PARENT_SESSION}
    launch = describe(real.engine, real.job(environ=environ))
    passed = choose(environ, launch.pass_env, launch.env)

    assert not set(PARENT_SESSION) & set(passed)


def test_no_key_is_written_down(real: Case, describe: Callable[[Engine, Job], Launch]) -> None:
    """Neither the command nor the launch files hold a key from the environment."""
    launch = describe(real.engine, real.job())

    assert real.environ["ANTHROPIC_API_KEY"] not in repr((launch.argv, launch.files, launch.env))


def test_runner_is_there(real: Case) -> None:
    """The prompt's template that an engine names is among the company's runners."""
    assert (RUNNERS / real.engine.runner).is_file()


def test_strange_line_is_no_signal(case: Case) -> None:
    """A line that says nothing to the engine is passed over."""
    assert case.engine.read_signal({}) is None
    assert case.engine.read_signal({"event": ["x"], "at": "y"}) is None


def test_resuming_names_the_conversation(case: Case) -> None:
    """An engine that resumes names the conversation in what it starts; one that doesn't starts again."""
    job = case.job()
    resumed, started = ((launch.argv, launch.files) for launch in (case.engine.resume(job), case.engine.start(job)))

    assert (job.session_id in repr(resumed)) == case.engine.resumes
    assert (resumed == started) != case.engine.resumes
