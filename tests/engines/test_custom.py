"""The custom engine: how a profile's words become a process, and what is made of how it ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.custom import CustomCommand, DoneRule
from hermes_company.domain.signals import SignalKind
from hermes_company.engines.custom import Custom
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Job
from tests.support.engine_rig import EngineRig, make_job
from tests.support.tmux import tmux_company, until

# Writes its words and its environment down.
ECHO = "import json, os, sys; json.dump([sys.argv[1:], dict(os.environ)], open(os.environ['HC_OUTBOX'] + '/seen', 'w'))"
HARD = "a b\n$HOME $(touch pwned) `id` ; & | > x * ' \" \\ {prompt} {{prompt}} 中文 🚀"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[EngineRig]:
    """The engine in a real window."""
    with tmux_company(tmp_path / "company") as company:
        yield EngineRig(company, Custom(), {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})


def python(code: str, *words: str) -> tuple[str, ...]:
    """A command that runs that code."""
    return (sys.executable, "-c", code, *words)


def sh(script: str, **fields: Any) -> dict[str, Any]:
    """An agent whose program is a shell script."""
    return {"custom": CustomCommand(command=("sh", "-c", script, "sh", "{prompt_file}"), **fields)}


def seen(job: Job) -> tuple[list[str], Mapping[str, str]]:
    """What `ECHO` was given."""
    words, environ = json.loads((job.outbox / "seen").read_text())
    return words, environ


def test_words_stay_words(rig: EngineRig) -> None:
    """Every placeholder is replaced once, inside of words too, and no shell sees any of it."""
    words = (
        "--prompt={prompt}",
        "{prompt_file}",
        "{session_id}",
        "{outbox}/x",
        "{workdir}",
        "{model}",
        "{{model}}",
        '{"a": {}}',
    )
    command = CustomCommand(command=python(ECHO, *words))
    job = rig.job(prompt=HARD, agent={"custom": command, "model": "m-1"})
    rig.begin(job)
    rig.ended(job)

    assert seen(job)[0] == [
        f"--prompt={HARD}",
        str(job.prompt_file),
        job.session_id,
        f"{job.outbox}/x",
        str(job.workdir),
        "m-1",
        "{model}",
        '{"a": {}}',
    ]
    assert not list(rig.company.root.rglob("pwned"))


def test_resume_has_words_of_its_own(rig: EngineRig) -> None:
    """Going on uses the resume form with the same conversation's id and the new prompt."""
    resume = python(ECHO, "--resume", "{session_id}", "{prompt}")
    job = rig.job(prompt="shorter", agent={"custom": CustomCommand(command=("true", "{prompt}"), resume=resume)})
    rig.begin(job, resume=True)
    rig.ended(job)

    assert seen(job)[0] == ["--resume", job.session_id, "shorter"]


def test_without_a_resume_form_it_is_refused(rig: EngineRig) -> None:
    """A program that can't go on in a conversation is never told half of what it has to know."""
    job = rig.job(agent=sh("true"))
    with pytest.raises(Refusal) as raised:
        Custom().resume(job)

    assert raised.value.code == "custom-no-resume"
    assert job.agent.begins_anew


def test_environment_is_what_the_profile_says(rig: EngineRig) -> None:
    """Values that the profile sets are set; what it does not name of the person's environment stays out."""
    command = CustomCommand(command=python(ECHO, "{prompt}"), env={"AIDER_YES": "1", "MODE": "a b"})
    environ = {**rig.environ, "OPENAI_API_KEY": "k", "OTHER_SECRET": "s"}
    job = rig.job(environ=environ, agent={"custom": command, "env": ("OPENAI_API_KEY",)})
    rig.begin(job)
    rig.ended(job)

    environ = dict(seen(job)[1])
    assert (environ["AIDER_YES"], environ["MODE"], environ["OPENAI_API_KEY"]) == ("1", "a b", "k")
    assert "OTHER_SECRET" not in environ
    assert environ["HC_RUN_TOKEN"] == job.token


def test_prompt_too_long_for_a_word_is_named(rig: EngineRig) -> None:
    """Above 100 KB the program is told which file to read."""
    job = rig.job(prompt="长" * 40_000, agent={"custom": CustomCommand(command=python(ECHO, "{prompt}"))})
    rig.begin(job)
    rig.ended(job)

    assert seen(job)[0] == [f"Read the whole file {job.prompt_file} now and carry out what it says."]


def test_reports_for_the_program(rig: EngineRig) -> None:
    """That it started, that it has the prompt, and that it ended are reported without any hook of its own."""
    job = rig.job(agent=sh("true"))
    rig.begin(job)
    rig.ended(job)

    kinds = [report.kind for report in rig.signals(job)]
    assert kinds == [SignalKind.SESSION_STARTED, SignalKind.PROMPT_SUBMITTED, SignalKind.SESSION_ENDED]
    assert rig.signals(job)[1].prompt_sha256


@pytest.mark.parametrize(
    ("script", "done", "status"),
    [
        ("echo done > $HC_OUTBOX/summary.md", True, 0),
        ("printf ' \\n\\n' > $HC_OUTBOX/summary.md", False, 0),
        ("true", False, 0),
        ("mkdir $HC_OUTBOX/summary.md", False, 0),
        ("echo done > $HC_OUTBOX/summary.md; exit 3", False, 3),
        ("echo done > $HC_OUTBOX/summary.md; exit 75", False, 75),
        ("echo done > $HC_OUTBOX/summary.md; kill -9 $$", False, 137),
        ("echo done > $HC_OUTBOX/summary.md; echo why > $HC_OUTBOX/BLOCKED", False, 0),
    ],
)
def test_exit_rule(rig: EngineRig, script: str, done: bool, status: int) -> None:
    """With `done: exit`, status 0 and a summary with content are handed in; nothing else is, and the status is passed on."""
    job = rig.job(agent=sh(script, done=DoneRule.EXIT))
    rig.begin(job)

    assert rig.ended(job).exit_code == status
    assert (job.outbox / "DONE").exists() is done
    assert not done or (job.outbox / "DONE").read_text().strip() == job.token


def test_without_the_exit_rule_nothing_is_handed_in(rig: EngineRig) -> None:
    """A program that is to write DONE itself is not helped."""
    job = rig.job(agent=sh("echo done > $HC_OUTBOX/summary.md"))
    rig.begin(job)
    rig.ended(job)

    assert not (job.outbox / "DONE").exists()


def test_exit_without_a_summary_is_said(rig: EngineRig) -> None:
    """Whoever looks at the window reads why nothing was handed in."""
    rig.lang = "zh"
    job = rig.job(agent=sh("true", done=DoneRule.EXIT))
    rig.begin(job)
    rig.ended(job)

    assert "没有交付" in until(lambda: rig.screen(job), what="text in the window")


def test_ctrl_c_is_for_the_program(rig: EngineRig) -> None:
    """A program that survives Ctrl-C in its window is waited for all the same."""
    waits = "trap 'caught=1' INT; : > $HC_OUTBOX/ready; while [ -z \"$caught\" ]; do sleep 0.05; done"
    job = rig.job(agent=sh(f"{waits}; echo done > $HC_OUTBOX/summary.md", done=DoneRule.EXIT))
    rig.begin(job)
    until((job.outbox / "ready").exists, what="the program")
    rig.company.tmux("send-keys", "-t", "=hermes:agent_ann_0", "C-c")

    assert rig.done(job) == job.token


def test_program_of_the_company(tmp_path: Path) -> None:
    """A relative path is meant from the company's root, wherever the agent works."""
    job = make_job(tmp_path, "custom", agent={"custom": CustomCommand(command=("bin/my-tool", "{prompt}"))}, environ={})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "my-tool").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "my-tool").chmod(0o755)

    order = json.loads(Custom().start(job).files["command.json"])
    assert order["argv"] == [str(tmp_path / "bin" / "my-tool"), job.prompt]


def test_missing_program_is_refused(tmp_path: Path) -> None:
    """A program that is not there is named before anything starts, with the profile to be corrected."""
    agent = {"custom": CustomCommand(command=("no-such-tool", "{prompt}"))}
    job = make_job(tmp_path, "custom", agent=agent, environ={"PATH": os.environ["PATH"]})
    refusal = Custom().prepare(job)

    assert refusal
    assert refusal.code == "custom-program-missing"
    assert "agents/ann/profile.json" in refusal.in_lang("en")


def test_agent_without_a_command_is_refused(tmp_path: Path) -> None:
    """An agent that names the engine and no program never starts."""
    refusal = Custom().preflight(make_job(tmp_path, "custom"))

    assert refusal
    assert refusal.code == "custom-no-command"


def test_what_is_no_program_is_said(rig: EngineRig) -> None:
    """A file that the system can't execute ends the attempt with a sentence, not a traceback."""
    tool = rig.company.root / "tool"
    tool.write_bytes(b"\x7fELF nonsense")
    tool.chmod(0o755)
    job = rig.job(agent={"custom": CustomCommand(command=("./tool", "{prompt}"))})
    rig.begin(job)

    assert rig.ended(job).exit_code == 126
    assert f"hc: {tool}: Exec format error" in until(lambda: rig.screen(job), what="text in the window")


def test_worker_brings_little() -> None:
    """The program's parent is small: it imports nothing that is not needed to wait."""
    code = "import sys, runpy; runpy.run_path(sys.argv[1], run_name='x'); print(*sys.modules)"
    worker = Path(__file__).parents[2] / "hermes_company/engines/custom_worker.py"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(worker)], capture_output=True, text=True, check=True)

    assert not {"typing_extensions", "asyncio", "hashlib", "hermes_company"} & set(done.stdout.split())
