"""The real Claude Code and Codex, in tmux, against the scripted model."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hermes_company.domain.signals import SignalKind
from hermes_company.engines.registry import get_engine
from tests.engines.conftest import Rigged
from tests.scripted_model import Fail, Run, Say, ScriptedModel, Write, hand_in
from tests.support.engine_rig import EngineRig, search_path
from tests.support.tmux import tmux_company

pytestmark = pytest.mark.timeout(300)

LONG_PROMPT = "一二三四五 emoji 🚀👩‍💻 quotes ' \" ` $HOME $(id) ; \\ tab\tend\n" * 360 + "-- last line; no newline"


def test_hands_in(rigged: Rigged) -> None:
    """Started unattended, the engine runs the model's tools and hands in summary and DONE with the attempt's token."""
    with rigged(hand_in("# Steps\n\n1. 完成")) as (rig, _):
        job = rig.job()
        rig.begin(job)

        assert rig.done(job) == job.token
        assert (job.outbox / "summary.md").read_text() == "# Steps\n\n1. 完成\n"


def test_reports(rigged: Rigged, tmp_path: Path) -> None:
    """Hooks report the session, the prompt that arrived, each tool call and the end of the turn."""
    # Its report does not fit into a pipe: that the heartbeat leaves it unread must not disturb the engine.
    large = Write(str(tmp_path / "large.txt"), "x" * 70_000)
    with rigged([Run("true"), large, *hand_in()]) as (rig, _):
        job = rig.job()
        rig.begin(job)
        ended = rig.signal(job, SignalKind.TURN_ENDED)

        submitted = rig.signal(job, SignalKind.PROMPT_SUBMITTED)
        assert [signal.kind for signal in rig.signals(job)] == [
            SignalKind.SESSION_STARTED,
            SignalKind.PROMPT_SUBMITTED,
            SignalKind.TOOL_USED,
            SignalKind.TOOL_USED,
            SignalKind.TOOL_USED,
            SignalKind.TURN_ENDED,
        ]
        assert submitted.prompt_sha256 == hashlib.sha256(job.prompt.encode()).hexdigest()
        assert ended.detail is None
        assert (tmp_path / "large.txt").stat().st_size == 70_000


def test_profile_chooses_the_model(rigged: Rigged) -> None:
    """The agent's model is the one that is asked."""
    with rigged(hand_in()) as (rig, model):
        job = rig.job(agent={"model": "scripted-2"})
        rig.begin(job)
        rig.done(job)

        assert {turn.model for turn in model.turns} == {"scripted-2"}


def test_prompt_is_exact(rigged: Rigged) -> None:
    """26 KB of Chinese, emoji, quotes and shell characters arrive in the model's request byte for byte."""
    with rigged([Say("read")]) as (rig, model):
        job = rig.job(prompt=LONG_PROMPT)
        (job.outbox / "BLOCKED").touch()
        rig.begin(job)
        turns = model.wait_for(lambda turns: len(turns) == 1)

        assert len(LONG_PROMPT.encode()) > 26_000
        assert turns[0].prompt == LONG_PROMPT


def test_resumes(rigged: Rigged) -> None:
    """Feedback goes on in the same conversation: its request carries what was said before."""
    with rigged([*hand_in(then="First version."), Say("Second version.")]) as (rig, model):
        first = rig.job(prompt="Make the page.")
        rig.begin(first)
        session = rig.signal(first, SignalKind.SESSION_STARTED).session_id
        rig.signal(first, SignalKind.TURN_ENDED)
        rig.end(first)
        (first.outbox / "DONE").rename(first.outbox / "DONE.1")
        (first.outbox / "BLOCKED").touch()

        second = rig.job(attempt=2, session_id=session, prompt="-- 标题太长; shorten it", feedback="标题太长")
        rig.begin(second, resume=True)
        rig.signal(second, SignalKind.TURN_ENDED)

        last = model.turns[-1]
        assert last.prompts == ("Make the page.", "-- 标题太长; shorten it")
        assert last.answers == ("First version.",)
        assert rig.signal(second, SignalKind.SESSION_STARTED).session_id == session


def test_nudge_brings_the_missing_files(rigged: Rigged) -> None:
    """A turn that ends without DONE is sent on inside the engine with what is missing, and then hands in."""
    with rigged([Say("I am done, I think."), *hand_in()]) as (rig, model):
        job = rig.job()
        rig.begin(job)

        assert rig.done(job) == job.token
        assert rig.signal(job, SignalKind.TURN_ENDED).detail == "nudged"
        assert rig.signal(job, SignalKind.TURN_ENDED, 2).detail is None
        nudge = model.turns[1].prompts[-1]
        assert f"{job.outbox}/DONE" in nudge
        assert job.token in nudge
        assert "summary.md, DONE" in nudge


def test_nudges_twice_at_most(rigged: Rigged) -> None:
    """An engine that never hands in is sent on twice and then left to stop."""
    with rigged([Say("No."), Say("Still no."), Say("Never.")]) as (rig, model):
        job = rig.job()
        rig.begin(job)
        rig.signal(job, SignalKind.TURN_ENDED, 3)

        ends = [signal.detail for signal in rig.signals(job) if signal.kind is SignalKind.TURN_ENDED]
        assert ends == ["nudged", "nudged", None]
        assert len(model.turns) == 3


def test_two_at_once(binaries: Path, tmp_path: Path) -> None:
    """Claude Code and Codex work side by side against one model, each on its own ticket."""
    plan = {"TASK-1": hand_in("by claude"), "TASK-2": hand_in("by codex")}
    with ScriptedModel(plan) as model, tmux_company(tmp_path / "company") as company:
        path = {"PATH": search_path(binaries)}
        claude = EngineRig(company, get_engine("claude-code"), {**path, **model.claude_env(tmp_path / "a", [company.root])})
        codex = EngineRig(company, get_engine("codex"), {**path, **model.codex_env(tmp_path / "b")})
        jobs = [(claude, claude.job(ticket="TASK-1")), (codex, codex.job(ticket="TASK-2"))]
        for rig, job in jobs:
            rig.begin(job)
        for rig, job in jobs:
            assert rig.done(job) == job.token

        summaries = [(job.outbox / "summary.md").read_text() for _, job in jobs]
        assert summaries == ["by claude\n", "by codex\n"]


def test_claude_tells_a_rate_limit(binaries: Path, tmp_path: Path) -> None:
    """A limit that Claude Code does not wait out is reported by its class."""
    plan = [Fail(429, "Number of requests has exceeded your rate limit", headers={"x-should-retry": "false"})]
    with ScriptedModel(plan) as model, tmux_company(tmp_path / "company") as company:
        environ = {"PATH": search_path(binaries), **model.claude_env(tmp_path / "home", [company.root])}
        rig = EngineRig(company, get_engine("claude-code"), environ)
        job = rig.job()
        rig.begin(job)

        assert rig.signal(job, SignalKind.TURN_FAILED).error == "rate_limit"
