"""The hook command itself, called as the engines call it."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.engines import hooks

SECRET = "sk-ant-secret"


class Hook:
    """A run folder with the hook in it."""

    def __init__(self, folder: Path) -> None:
        self.run_dir, self.outbox, self.doorbell = folder / "run", folder / "outbox", folder / "doorbell"
        self.run_dir.mkdir()
        self.outbox.mkdir()
        os.mkfifo(self.doorbell)
        for name, text in hooks.files().items():
            (self.run_dir / name).write_text(text)
        self.env = {
            **hooks.env(),
            "PATH": os.environ["PATH"],
            "HC_RUN_DIR": str(self.run_dir),
            "HC_OUTBOX": str(self.outbox),
            "HC_RUN_TOKEN": "hc-token",
            "HC_DOORBELL": str(self.doorbell),
        }

    def call(self, event: str, report: Mapping[str, Any] | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        """Call it as an engine does: through a shell, the report on standard input."""
        return subprocess.run(
            ["sh", "-c", hooks.command(event)],
            input=json.dumps(report or {}),
            env={**self.env, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    def lines(self) -> list[dict[str, Any]]:
        """What was kept."""
        file = self.run_dir / "signals.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def hand_in(self) -> None:
        """Leave what the ticket asks for."""
        (self.outbox / "summary.md").write_text("done")
        (self.outbox / "DONE").write_text("hc-token")


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    """A hook in a fresh run folder."""
    return Hook(tmp_path)


def test_keeps_where_the_conversation_is(hook: Hook) -> None:
    """SessionStart keeps the session's id and transcript."""
    report = {"session_id": "s-1", "transcript_path": "/t.jsonl", "source": "startup", "cwd": "/x", "model": "m"}
    hook.call("SessionStart", report)

    line = hook.lines()[0]
    assert line.pop("at") > 1_700_000_000
    assert line == {"event": "SessionStart", "session_id": "s-1", "transcript_path": "/t.jsonl", "source": "startup"}


def test_keeps_the_prompts_hash_only(hook: Hook) -> None:
    """Of a prompt its sha256 and length are kept, never its text."""
    prompt = f"汉字 🚀 {SECRET}"
    hook.call("UserPromptSubmit", {"prompt": prompt})

    line = hook.lines()[0]
    assert line["prompt_sha256"] == hashlib.sha256(prompt.encode()).hexdigest()
    assert line["prompt_bytes"] == len(prompt.encode())
    assert SECRET not in (hook.run_dir / "signals.jsonl").read_text()


@pytest.mark.parametrize("event", sorted(hooks.KINDS))
def test_keeps_no_secret(hook: Hook, event: str) -> None:
    """Nothing that a tool was given or gave back, and nothing that was said, is kept of any event."""
    report = {
        "session_id": "s",
        "tool_input": {"command": SECRET},
        "tool_response": {"stdout": SECRET},
        "last_assistant_message": SECRET,
        "message": SECRET,
        "error_details": SECRET,
        "background_tasks": [{"command": SECRET}],
        "prompt": SECRET,
    }
    hook.call(event, report)

    assert len(hook.lines()) == 1
    assert SECRET not in (hook.run_dir / "signals.jsonl").read_text()


def test_keeps_the_class_of_a_failure(hook: Hook) -> None:
    """StopFailure keeps the error's class, which read_signal hands on."""
    hook.call("StopFailure", {"error": "rate_limit"})

    signal = hooks.read_signal(hook.lines()[0])
    assert signal is not None
    assert (signal.kind, signal.error) == (SignalKind.TURN_FAILED, "rate_limit")


def test_keeps_the_engines_sentence_on_a_failure(hook: Hook) -> None:
    """Of a turn that failed the sentence shown in the model's place is kept, shortened; no details, no other event's."""
    said = "You've hit your limit · resets 3:51pm (UTC)"
    hook.call("StopFailure", {"error": "rate_limit", "last_assistant_message": said, "error_details": SECRET})
    hook.call("StopFailure", {"error": "rate_limit", "last_assistant_message": "x" * 9_000})
    hook.call("Stop", {"error": "?", "last_assistant_message": SECRET, "background_tasks": [1]})

    assert [len(line["said"]) for line in hook.lines()[:2]] == [len(said), 500]
    assert hook.lines()[0]["said"] == said
    assert SECRET not in (hook.run_dir / "signals.jsonl").read_text()


@pytest.mark.parametrize("event", ["SessionStart", "PostToolUse"])
def test_only_its_owner_reads_the_signals(hook: Hook, event: str) -> None:
    """The file of signals is private whichever hook makes it first."""
    hook.call(event)

    assert (hook.run_dir / "signals.jsonl").stat().st_mode & 0o077 == 0


def test_heartbeat_starts_no_python(hook: Hook) -> None:
    """A tool call's report costs a shell line: it works without any Python, and its input may stay unread."""
    done = hook.call("PostToolUse", {"tool_response": "x" * 300_000}, HC_PYTHON="/nonexistent")

    assert done.returncode == 0
    assert [line["event"] for line in hook.lines()] == ["PostToolUse"]


def test_does_nothing_outside_of_a_run(hook: Hook) -> None:
    """Where HC_RUN_DIR is not set (a nested engine, a person's own session) the script ends at once."""
    done = subprocess.run(
        ["sh", str(hook.run_dir / "hook.sh"), "Stop"], input="{}", env={}, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert hook.lines() == []


@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
def test_rings_when_somebody_listens(hook: Hook, event: str) -> None:
    """Once the ticket is handed in, each report wakes the orchestrator through its doorbell."""
    hook.hand_in()
    listener = os.open(hook.doorbell, os.O_RDONLY | os.O_NONBLOCK)
    try:
        hook.call(event)

        assert os.read(listener, 10) == b"."
    finally:
        os.close(listener)


@pytest.mark.parametrize("event", ["Stop", "PostToolUse"])
def test_does_not_wait_for_a_listener(hook: Hook, event: str) -> None:
    """With nobody at the doorbell, or no doorbell at all, a hook ends all the same."""
    hook.hand_in()

    assert hook.call(event).returncode == 0
    hook.doorbell.unlink()
    assert hook.call(event).returncode == 0
    assert not hook.doorbell.exists()


def test_nudge_says_what_is_missing(hook: Hook) -> None:
    """A turn that ends with a summary but no DONE is sent on: exit status 2, the missing file, where, and its content."""
    (hook.outbox / "summary.md").write_text("x")
    done = hook.call("Stop", {"stop_hook_active": False})

    assert done.returncode == 2
    assert f"Missing in {hook.outbox}: DONE." in done.stderr
    assert "hc-token" in done.stderr


def test_nudge_in_chinese(hook: Hook) -> None:
    """In a Chinese company the engine is spoken to in Chinese, whatever the locale."""
    done = hook.call("Stop", HC_LANG="zh", LC_ALL="C")

    assert "缺少：summary.md, DONE" in done.stderr


def test_nudges_twice_an_attempt(hook: Hook) -> None:
    """The third turn that ends too early may end."""
    statuses = [hook.call("Stop", {"stop_hook_active": number > 0}).returncode for number in range(4)]

    assert statuses == [2, 2, 0, 0]
    assert [line.get("nudged", False) for line in hook.lines()] == [True, True, False, False]


def test_no_nudge_when_blocked(hook: Hook) -> None:
    """BLOCKED hands the ticket back: no nudge."""
    (hook.outbox / "BLOCKED").write_text("no access")

    assert hook.call("Stop").returncode == 0


def test_no_nudge_while_background_work_runs(hook: Hook) -> None:
    """An engine that waits for its own background work is left alone, and the signal says so."""
    done = hook.call("Stop", {"background_tasks": [{"id": "b1"}]})

    signal = hooks.read_signal(hook.lines()[0])
    assert done.returncode == 0
    assert signal is not None
    assert signal.detail == hooks.BACKGROUND


def test_no_nudge_on_top_of_another_hook(hook: Hook) -> None:
    """Where somebody else's Stop hook already sent the engine on, ours doesn't join in."""
    assert hook.call("Stop", {"stop_hook_active": True}).returncode == 0


def test_cost_stays_small(hook: Hook) -> None:
    """A rare report costs at most 60 ms of CPU, a heartbeat at most 10."""
    hook.hand_in()

    assert cpu_ms(hook, "Stop", 5) < 60
    assert cpu_ms(hook, "PostToolUse", 20) < 10


def cpu_ms(hook: Hook, event: str, calls: int) -> float:
    """CPU of all processes of one call, in milliseconds, on average."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(calls):
        hook.call(event)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / calls * 1_000


def test_reads_a_line() -> None:
    """A kept line becomes a signal in our vocabulary, its time aware and in UTC."""
    line = {"event": "SessionStart", "at": 1_800_000_000, "session_id": "s", "transcript_path": "/t", "source": "resume"}

    assert hooks.read_signal(line) == Signal(
        kind=SignalKind.SESSION_STARTED,
        at=datetime(2027, 1, 15, 8, 0, tzinfo=UTC),
        session_id="s",
        transcript="/t",
        detail="resume",
    )


@pytest.mark.parametrize("line", [{}, {"event": "Else", "at": 1}, {"event": "Stop"}, {"event": "Stop", "at": "soon"}])
def test_reads_nothing_into_strange_lines(line: dict[str, object]) -> None:
    """Unknown events and lines without a time are no signals."""
    assert hooks.read_signal(line) is None
