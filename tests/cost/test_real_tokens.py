"""The real Claude Code and Codex: what their transcripts say is what the model server reported, to the token."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes_company.domain.signals import SignalKind
from hermes_company.domain.usage import AttemptUsage, Tokens
from hermes_company.engines.registry import get_engine
from hermes_company.folders.atomic import write_atomic
from hermes_company.ports.engine import Job
from hermes_company.userspace.cost.book import UsageBook
from hermes_company.userspace.cost.counting import Counter
from tests.scripted_model import Fail, Hang, Plan, Run, Say, ScriptedModel, Use, hand_in
from tests.support.engine_binaries import installed
from tests.support.engine_rig import EngineRig, search_path
from tests.support.tmux import tmux_company

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["claude-code", "codex"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine with transcripts."""
    name: str = request.param
    return name


@contextmanager
def at_work(engine: str, plan: Plan, folder: Path) -> Iterator[tuple[EngineRig, ScriptedModel]]:
    """A rig for the engine, talking to a model that plays the plan."""
    with ScriptedModel(plan) as model, tmux_company(folder / "公司 one") as company:
        claude = engine == "claude-code"
        env = model.claude_env(folder / "home", [company.root]) if claude else model.codex_env(folder / "home")
        yield EngineRig(company, get_engine(engine), {"PATH": search_path(installed()), **env}), model


def counted(rig: EngineRig, job: Job) -> AttemptUsage:
    """What is counted of an attempt, and written."""
    book = UsageBook(job.run_dir.parents[1], write=write_atomic)
    entry = Counter(book, lambda *_: rig.signals(job)).count(job.ticket, job.attempt, "ann", rig.engine.name)
    assert entry
    book.save(entry)
    return entry.usage


def total(usage: AttemptUsage) -> Tokens:
    """All of it."""
    return sum((row.tokens for row in usage.rows), Tokens())


def test_tokens_are_those_that_the_model_reported(engine: str, tmp_path: Path) -> None:
    """Every kind of token, in a first attempt and in one that goes on in its conversation, is the server's own figure."""
    plan = [Run("true"), Run("echo hi"), *hand_in(then="First."), Run("echo more"), Say("Second.")]
    with at_work(engine, plan, tmp_path) as (rig, model):
        first = rig.job()
        rig.begin(first)
        session = rig.signal(first, SignalKind.SESSION_STARTED).session_id
        rig.signal(first, SignalKind.TURN_ENDED)
        rig.end(first)
        reported = model.used
        usage = counted(rig, first)

        assert total(usage) == reported
        assert [row.model for row in usage.rows] == ["scripted"]
        assert usage.problems == ()

        (first.outbox / "DONE").rename(first.outbox / "DONE.1")
        (first.outbox / "BLOCKED").touch()
        second = rig.job(attempt=2, session_id=session, prompt="Go on.")
        rig.begin(second, resume=True)
        rig.signal(second, SignalKind.TURN_ENDED)
        rig.end(second)

        assert total(counted(rig, second)) == model.used - reported
        assert dataclasses.astuple(model.used - reported) != dataclasses.astuple(Tokens())


def test_attempt_that_is_ended_in_a_tool_call(engine: str, tmp_path: Path) -> None:
    """An attempt that a person ends while a tool runs has paid for every answer that had come."""
    # The tool may die before the engine does, which then asks once more.
    plan = [Run("true"), Run(': > "$HC_OUTBOX/in-tool"; sleep 600'), Hang()]
    with at_work(engine, plan, tmp_path) as (rig, model):
        job = rig.job()
        rig.begin(job)
        rig.wait_for(job, lambda: (job.outbox / "in-tool").exists(), "the second tool")
        rig.end(job)

        assert total(counted(rig, job)) == model.used


def test_failed_requests_cost_nothing(engine: str, tmp_path: Path) -> None:
    """Requests that the server refused are in the transcript, and not in the tokens."""
    plan = [Fail(529 if engine == "claude-code" else 503, times=1), *hand_in()]
    with at_work(engine, plan, tmp_path) as (rig, model):
        job = rig.job()
        rig.begin(job)
        rig.signal(job, SignalKind.TURN_ENDED)
        rig.end(job)
        usage = counted(rig, job)

        assert (total(usage), usage.problems) == (model.used, ())


def test_sub_agents_of_claude(tmp_path: Path) -> None:
    """What a sub-agent used is in the attempt's sum."""
    helper = Use("Agent", {"description": "x", "prompt": "SUBTASK: look", "subagent_type": "general-purpose"})
    plan = {"SUBTASK": [Run("echo sub"), Say("seen")], "TASK-1": [helper, *hand_in()]}
    with at_work("claude-code", plan, tmp_path) as (rig, model):
        job = rig.job()
        rig.begin(job)
        rig.done(job)
        rig.signal(job, SignalKind.TURN_ENDED)
        rig.end(job)

        assert len(model.turns_with("SUBTASK")) == 2
        assert total(counted(rig, job)) == model.used
