"""The real engines against a model that refuses, overloads, limits, and can't be reached."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Fail, Hang, Run, Say, ScriptedModel, Turn, hand_in
from tests.support.e2e import House

pytestmark = pytest.mark.timeout(300)

HOUR = 3_600
TOLD = "Number of requests has exceeded your rate limit"


def limited(real_engine: str, reset: int) -> Fail:
    """A usage limit that says when it ends, as each provider says it."""
    if real_engine == "codex":
        return Fail(429, "You hit it.", kind="usage_limit_reached", fields={"resets_at": reset, "plan_type": "plus"}, times=1)
    headers = {
        "x-should-retry": "false",
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(reset),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
    return Fail(429, "This request would exceed your account's rate limit.", headers=headers, times=1)


def subscribed(house: House) -> None:
    """Claude Code with the login of a subscription: only that is told when a limit ends. It tries again but once."""
    house.environ.pop("ANTHROPIC_API_KEY")
    house.environ |= {"CLAUDE_CODE_OAUTH_TOKEN": f"sk-ant-oat01-{'0' * 32}", **HASTY}


# Claude Code's own tries, so that nobody waits for minutes.
HASTY = {"CLAUDE_CODE_MAX_RETRIES": "1"}


def closed(house: House, outcome: str) -> Mapping[str, Any]:
    """Wait until the attempt is over and off the list of open ones; how it ended."""
    event = house.event("attempt.closed", "TASK", outcome=outcome)
    house.wait(lambda: not (house.layout.open_runs / "TASK").exists() or None, "the attempt off the list")
    return {**event["data"], "at": datetime.fromisoformat(event["at"])}


def test_limit_pauses_and_the_same_conversation_goes_on(founded: Founded, real_engine: str) -> None:
    """Paused until the time that the engine told, shown with what is left; resumed, it hears a short line and hands in."""
    reset = int(time.time()) + HOUR
    # Twice: Claude Code's own word on the limit counts as an answer of the model in its next request.
    work, said = hand_in()
    script = [Run("echo one > one"), limited(real_engine, reset), work, work, said, said]
    with founded({"ann": real_engine}, script=script) as (house, model):
        subscribed(house)
        house.run()
        house.drop("TASK", "# Task\n")
        assert closed(house, "paused")["failure"] == "limit"
        record = house.record("TASK")
        until = datetime.fromisoformat(record["paused_until"]).timestamp()
        assert reset < until <= reset + 120
        assert house.where("TASK") == "doing"
        why = house.hc("why", "TASK", "--json").json
        assert (why["code"], datetime.fromisoformat(why["until"]).timestamp()) == ("engine-paused", until)
        assert " min more" in house.hc("status").out or " h " in house.hc("status").out

        house.hc("engine", "resume", real_engine)
        closed(house, "finished")
        assert house.record("TASK", 2)["session_id"] == record["session_id"]
        assert house.record("TASK", 2)["resumes"] == 1
        last = model.turns[-1]
        assert len({turn.conversation for turn in model.turns}) == 1
        assert last.prompts[-1].startswith("What stopped you is over. Go on with ticket TASK")
        assert "Carry out ticket TASK now" in last.prompts[0]
        # No retry is used up: neither of the attempts counts.
        assert [event["data"]["outcome"] for event in house.seen("attempt.closed", "TASK")] == ["paused", "finished"]


def test_limit_without_a_time_backs_off(founded: Founded, real_engine: str) -> None:
    """A bare 429: paused for five minutes, nothing else is started on the engine, over a restart of the loop too."""
    with founded({"ann": real_engine}, script=[Fail(429, TOLD, headers={"x-should-retry": "false"})]) as (house, model):
        house.environ |= HASTY
        loop = house.run()
        house.drop("TASK", "# Task\n")
        over = closed(house, "paused")["at"]
        span = datetime.fromisoformat(house.record("TASK")["paused_until"]) - over
        assert 240 < span.total_seconds() <= 300
        assert loop.interrupt() == 0
        asked = len(model.turns)

        house.run()
        house.drop("LATER", "# Later\n")
        house.event("ticket.added", "LATER")
        # A file that was just written counts as being written for a moment.
        paused = lambda: house.hc("why", "LATER", "--json").json["code"] == "engine-paused" or None  # noqa: E731
        house.wait(paused, "LATER to wait for the engine")
        assert house.where("LATER") == "todo"
        assert house.layout.run("TASK", 2).exists() is False
        assert len(model.turns) == asked


@pytest.mark.parametrize(
    ("failure", "outcome", "kind"),
    [
        (Fail(401, "invalid key"), "refused", "login"),
        (Fail(404, "model: scripted"), "refused", "model"),
        (Fail(529, "Overloaded"), "paused", "overloaded"),
    ],
    ids=["401", "404", "529"],
)
def test_failures_are_told_apart(founded: Founded, real_engine: str, failure: Fail, outcome: str, kind: str) -> None:
    """Bad login and unknown model: blocked at once with the way out, no retry. Overload: paused. Each by its name."""
    with founded({"ann": real_engine}, script=[failure]) as (house, _):
        house.environ |= HASTY
        house.run()
        house.drop("TASK", "# Task\n")
        data = closed(house, outcome)

        assert data["failure"] == kind
        assert house.where("TASK") == ("doing" if outcome == "paused" else "blocked")
        assert house.layout.run("TASK", 2).exists() is False
        if outcome == "refused":
            assert "hc task retry TASK" in house.hc("why", "TASK").out
        paused = "is paused until" in house.hc("engine", "list").out
        assert paused is (kind != "model")
        assert house.living("TASK") == ()


def test_nobody_there_is_a_matter_of_the_network(founded: Founded) -> None:
    """Nothing listens where the model should be: paused, and the network is named."""
    with founded({"ann": "claude-code"}, script=[Say("never asked")]) as (house, _):
        house.environ |= {**HASTY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        house.run()
        house.drop("TASK", "# Task\n")

        assert closed(house, "paused")["failure"] == "network"
        assert "look at the network" in house.hc("why", "TASK").out


def test_quoting_a_limit_is_none(founded: Founded, real_engine: str) -> None:
    """Ticket, tool output and answer quote limit messages of both engines: the work goes on and is handed in."""
    quote = "You've hit your usage limit. Try again at 3pm. Claude AI usage limit reached|1796054400 API Error: 529 rate_limit"

    def says(_: Turn) -> Run:
        return Run(f'echo "{quote}"; echo \'{{"type":"task_complete","error":{{"codex_error_info":"usage_limit_exceeded"}}}}\'')

    with founded({"ann": real_engine}, script=[says, *hand_in(then=quote)]) as (house, model):
        house.run()
        house.drop("TASK", f"# Task\n\n{quote}\n")
        closed(house, "finished")

        assert len(house.seen("attempt.closed", "TASK")) == 1
        assert house.seen("engine.paused", "TASK") == []
        assert quote in asked_last(model)


def asked_last(model: ScriptedModel) -> str:
    return "\n".join(model.turns[-1].prompts)


def test_used_up_budget_ends_what_is_at_work(founded: Founded, real_engine: str) -> None:
    """A ticket's budget that ends: outcome `budget` with the conversation kept, no retry; told once, and shown until raised."""
    settings = {"budgets": {"ticket": {"tokens": 5_000, "at_limit": "end"}}}
    script = [Run("true"), Run("true"), Hang()]
    with founded({"ann": real_engine}, script=script, settings=settings) as (house, model):
        loop = house.run()
        house.drop("TASK", "# Task\n")
        reason = closed(house, "budget")["reason"]

        assert model.used.total > 5_000
        assert "of 5,000 tokens" in reason
        assert house.living("TASK") == ()
        assert house.where("TASK") == "doing"
        assert house.hc("why", "TASK", "--json").json["code"] == "budget-used-up"
        assert "of 5,000 tokens" in house.hc("status").out
        assert loop.interrupt() == 0
        house.run()
        house.drop("LATER", "---\nhold: true\n---\n# Later\n")
        house.event("ticket.added", "LATER")
        assert house.layout.run("TASK", 2).exists() is False
        assert len(house.seen("budget.used_up", "TASK")) == 1
