"""`hc doctor --engine X --live`: a real turn of the real engines, and every way in which it shows that something is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hermes_company.bootstrap import Company
from hermes_company.cli.proving import Patience, prove
from tests.e2e.conftest import Founded
from tests.e2e.test_dialogs import TRUST, in_the_place_of_claude
from tests.fakes.tui import happened
from tests.scripted_model import Fail, Hang, Plan, Say
from tests.support.e2e import House

pytestmark = pytest.mark.timeout(300)


def findings(house: House, engine: str, *, status: int) -> list[dict[str, Any]]:
    """What the command finds; it leaves nothing behind."""
    answer = house.hc("doctor", "--engine", engine, "--live", "--json", status=status)
    assert "is asked for one turn now" in answer.err
    left = [*Path(house.environ["TMPDIR"]).glob("hc-doctor-*"), *house.layout.outbox_root.rglob(".hc-doctor-*")]
    assert left == []
    found: list[dict[str, Any]] = answer.json["findings"]
    return found


def codes(house: House, engine: str, **patience: float) -> list[str]:
    """What an examiner with that patience finds."""
    return [finding.code for finding in prove(Company(house.layout, house.environ), engine, Patience(**patience))]


def test_a_working_engine_is_proved(founded: Founded, real_engine: str) -> None:
    """One turn: hooks, prompt and conversation are as they must be; the company's own server is not needed."""
    with founded({"ann": real_engine}, script=[Say("OK")]) as (house, model):
        (proof,) = findings(house, real_engine, status=0)

        assert (proof["code"], proof["severity"]) == ("live", "ok")
        assert "its hooks report, its prompt arrives, its conversation is pinned" in proof["seen"]
        (turn,) = model.turns
        assert turn.prompts == (
            "This is a check of the installation. Answer with the single word OK; use no tools and change nothing.",
        )
        assert "no server" in house.tmux("list-sessions") or "No such file" in house.tmux("list-sessions")


def test_hooks_that_are_switched_off_are_found(founded: Founded, real_engine: str) -> None:
    """An engine that works and reports nothing is found by that, and what its window shows is told."""
    with founded({"ann": real_engine}, script=[Say("OK")]) as (house, _):
        # What a person's own settings say is overruled; what an agent's profile says is not.
        args = ["-c", "features.hooks=false"] if real_engine == "codex" else ["--settings", '{"disableAllHooks": true}']
        profile = house.layout.profile_json("ann")
        profile.write_text(json.dumps({**json.loads(profile.read_text()), "args": args}))

        assert codes(house, real_engine, report=15.0) == ["live-hooks-silent"]


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (
            [Fail(429, "Number of requests has exceeded your rate limit", headers={"x-should-retry": "false"})],
            "live-turn-failed",
        ),
        ([Hang()], "live-no-end"),
    ],
)
def test_a_turn_that_fails_is_told_as_that(founded: Founded, script: Plan, code: str) -> None:
    """A limit and a model that does not answer are told apart from hooks that do not fire."""
    with founded({"ann": "claude-code"}, script=script) as (house, _):
        assert codes(house, "claude-code", report=60.0, turn=10.0 if code == "live-no-end" else 60.0) == [code]


def test_a_dialog_is_found_and_not_answered(founded: Founded) -> None:
    """An engine that asks something is found by that; nothing is pressed, and it is ended."""
    with founded({"ann": "claude-code"}) as (house, _):
        log = in_the_place_of_claude(house, dialogs=[(*TRUST, 0)], hands_in=True)

        (finding,) = findings(house, "claude-code", status=1)

        assert finding["code"] == "live-asks"
        assert "whether the folder is trusted" in finding["seen"]
        assert happened(log) == []


def test_what_keeps_it_from_starting_is_told_before(founded: Founded) -> None:
    """A question that nobody has answered is told by name; no engine is started, no turn is used."""
    with founded({"ann": "claude-code"}, script=[Say("OK")]) as (house, model):
        (Path(house.environ["CLAUDE_CONFIG_DIR"]) / ".claude.json").unlink()

        (finding,) = findings(house, "claude-code", status=1)

        assert finding["code"] == "claude-not-onboarded"
        assert model.turns == ()


def test_wrong_usage(founded: Founded) -> None:
    """Neither word alone, not with --fix, and only for engines that have conversations."""
    with founded({"ann": "shell"}) as (house, _):
        for argv in (("--live",), ("--engine", "codex"), ("--engine", "codex", "--live", "--fix")):
            assert "bad-usage" in house.hc("doctor", *argv, status=2).err
        assert "engine-not-provable" in house.hc("doctor", "--engine", "shell", "--live", status=2).err
        assert "engine-unknown" in house.hc("doctor", "--engine", "codexx", "--live", status=2).err
