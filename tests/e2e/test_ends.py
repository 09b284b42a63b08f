"""Every way an attempt ends without being handed in."""

from __future__ import annotations

import os
import signal

import pytest

from hermes_company.terminal import processes
from tests.e2e.conftest import Founded
from tests.scripted_model import Hang, Run, Say, ScriptedModel
from tests.support.e2e import House

pytestmark = pytest.mark.timeout(300)

FOR_EVER = '# Never ends\n\n```sh\necho begun; : > "$HC_OUTBOX/begun"; exec sleep 600\n```\n'


def begun(house: House, model: ScriptedModel, engine: str, attempt: int) -> int:
    """Wait until the engine is at work on STUCK and return its process."""
    pid = house.pid("STUCK", attempt)
    if engine == "shell":
        house.wait((house.layout.outbox("ann", "STUCK") / "begun").exists, "the block to run")
        house.wait(lambda: "begun" in house.shown("agent_ann"), "its output")
    else:
        house.wait(lambda: len({turn.conversation for turn in model.turns}) == attempt, "the model to be asked")
    return pid


def test_blocked_with_a_reason(founded: Founded, engine: str) -> None:
    """BLOCKED with a reason takes the ticket to blocked; the reason stands in the ticket, and `hc why` says it."""
    command = "echo '缺少 Vercel 的访问权限' > \"$HC_OUTBOX/BLOCKED\""
    with founded({"ann": engine}, script=[Run(command), Say("I can't go on.")]) as (house, _):
        house.run()
        house.drop("DEPLOY", f"# 部署\n\n```sh\n{command}\n```\n")
        house.event("attempt.closed", "DEPLOY", outcome="blocked", moved_to="blocked")

        assert house.where("DEPLOY") == "blocked"
        assert "缺少 Vercel 的访问权限" in house.text("DEPLOY")
        assert "缺少 Vercel 的访问权限" in house.hc("why", "DEPLOY").out
        assert house.living("DEPLOY") == ()


def test_failing_block_is_blocked_with_its_last_lines(founded: Founded) -> None:
    """A shell ticket whose block fails is blocked; nothing of it is tried again."""
    with founded({"ann": "shell"}) as (house, _):
        house.run()
        house.drop("BROKEN", "# Broken\n\n```sh\necho about to fail; exit 3\n```\n")
        house.event("attempt.closed", "BROKEN", outcome="blocked", moved_to="blocked")

        assert "status 3" in house.text("BROKEN")
        assert "about to fail" in house.text("BROKEN")
        assert house.layout.run("BROKEN", 2).exists() is False


def test_killed_engine_is_tried_again_and_then_blocked(founded: Founded, engine: str) -> None:
    """`kill -9` of the engine: started anew as often as `retries` says; then blocked with the window's last lines."""
    with founded({"ann": engine}, script=[Hang()]) as (house, model):
        house.run()
        house.drop("STUCK", FOR_EVER)
        for attempt, target in ((1, "todo"), (2, "blocked")):
            os.kill(begun(house, model, engine, attempt), signal.SIGKILL)
            house.event("attempt.closed", "STUCK", attempt=attempt, outcome="died", moved_to=target)
            assert house.living("STUCK", attempt) == ()

        assert house.record("STUCK", 1)["token"] != house.record("STUCK", 2)["token"]
        text = house.text("STUCK")
        assert "signal 9" in text
        assert "tried 2 times" in text
        # What each of them shows last: the block's output, the ticket's own text, the status line.
        last = text.partition("last_output:")[2].partition("---\n# Never ends")[0]
        assert {"shell": "begun", "codex": "STUCK", "claude-code": "STUCK"}[engine] in last
        assert house.hc("why", "STUCK", "--json").json["code"] == "died"


def test_attempts_over_their_time_are_ended(founded: Founded) -> None:
    """A model that never answers: ended when the time is over, blocked, no process left, no retry; whatever the engine."""
    staff = {"ann": "claude-code", "bob": "codex", "cat": "shell"}
    with founded(staff, script=[Hang()]) as (house, _):
        house.run()
        for agent in staff:
            house.drop(f"STUCK-{agent}", f"---\nowner: {agent}\ntimeout_minutes: 0.1\n---\n{FOR_EVER}")
        pids = [house.pid(f"STUCK-{agent}") for agent in staff]
        for agent in staff:
            house.event("attempt.closed", f"STUCK-{agent}", outcome="timed_out", moved_to="blocked")

        assert [house.living(f"STUCK-{agent}") for agent in staff] == [(), (), ()]
        assert [processes.look_up(pid) for pid in pids] == [None, None, None]
        assert "0.1 minutes" in house.hc("why", "STUCK-ann").out
        assert [house.layout.run(f"STUCK-{agent}", 2).exists() for agent in staff] == [False, False, False]
