"""The company's rules around attempts: refusals are told once, and what was changed all the same is put back and told once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from tests.fakes.crashing import FULL_DISK, Crash, Plan
from tests.support.kernel_rig import Rig

RULES = "Be kind.\n"


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """A company with one agent and one rule."""
    return make_rig(tmp_path)


def make_rig(folder: Path) -> Rig:
    """The same, anywhere."""
    rig = Rig(folder)
    rig.layout.company.mkdir()
    (rig.layout.company / "RULES.md").write_text(RULES)
    return rig


def told(rig: Rig, kind: str) -> list[dict[str, Any]]:
    """What the events of that kind say."""
    return [dict(event.data) for event in EventLog(rig.layout.events_file, rig.clock).after(0) if event.kind == kind]


def refuse(rig: Rig, call: str) -> None:
    """Its guard refuses a call of T-1."""
    rig.workers.report("T-1", "guard_refused", rule="delete-outside", call=call)


def change(rig: Rig, text: str = "Be mine.\n") -> None:
    """A command of T-1's agent changes the rules."""
    rig.workers.report("T-1", "PreToolUse", tool="Bash", at=time.time() - 1)
    (rig.layout.company / "RULES.md").write_text(text)
    rig.workers.report("T-1", "PostToolUse", at=time.time() + 60)


def test_each_refusal_is_told(rig: Rig) -> None:
    """A refusal becomes an event with the rule and the call, at the next look, and only once."""
    rig.drop("T-1")
    rig.tick()
    refuse(rig, "rm -rf /a")
    rig.tick(3, seconds=2)
    refuse(rig, "rm -rf /b")
    refuse(rig, "rm -rf /b")
    rig.tick(3, seconds=2)

    assert told(rig, "guard.refused") == [{"rule": "delete-outside", "call": f"rm -rf /{place}"} for place in "abb"]


def test_a_refusal_in_the_last_moment_is_told(rig: Rig) -> None:
    """What the guard refuses after the last look at the attempt is told before its end is."""
    rig.drop("T-1")
    rig.tick()
    rig.workers.slow_end = 2
    rig.finish("T-1")
    rig.tick()
    refuse(rig, "rm -rf /a")
    rig.tick(2)

    assert rig.kinds()[-3:] == ["guard.refused", "ticket.moved", "attempt.closed"]


def test_refusals_are_not_told_again_by_the_next_loop(rig: Rig) -> None:
    """A loop that takes an attempt up tells only what the one before has not told."""
    rig.drop("T-1")
    rig.tick()
    refuse(rig, "rm -rf /a")
    rig.tick(1, seconds=2)
    refuse(rig, "rm -rf /b")
    rig.restart()
    rig.tick(1, seconds=2)
    rig.restart()
    refuse(rig, "rm -rf /c")
    rig.finish("T-1")
    rig.tick(3, seconds=2)
    rig.restart()

    assert [data["call"] for data in told(rig, "guard.refused")] == ["rm -rf /a", "rm -rf /b", "rm -rf /c"]


def test_what_was_changed_is_put_back(rig: Rig) -> None:
    """When the ticket comes into review the rules are as before; the change is an event and a flag on the attempt."""
    rig.drop("T-1")
    rig.tick()
    change(rig)
    rig.finish("T-1")
    rig.tick(2)

    assert rig.where("T-1") is State.REVIEW
    assert (rig.layout.company / "RULES.md").read_text() == RULES
    kept = {"path": "company/RULES.md", "put_back": True, "kept": "changed/company/RULES.md"}
    assert told(rig, "guard.changed") == [kept]
    assert rig.kinds()[-3:] == ["guard.changed", "ticket.moved", "attempt.closed"]
    assert [flag.in_lang("en") for flag in rig.history("T-1")[0].flags] == [
        "company/RULES.md was changed by a command of the agent; it is as before again."
    ]
    assert (rig.layout.run("T-1", 1) / "changed" / "company" / "RULES.md").read_text() == "Be mine.\n"


def test_many_changes_make_few_flags(rig: Rig) -> None:
    """Each changed file is told, the reviewer sees the first ones and how many more there are."""
    rig.drop("T-1")
    rig.tick()
    change(rig)
    for number in range(9):
        (rig.layout.company / f"NEW-{number}.md").write_text("x")
    rig.finish("T-1")
    rig.tick(2)

    flags = rig.history("T-1")[0].flags
    assert len(told(rig, "guard.changed")) == 10
    assert len(flags) == 6
    assert flags[-1].in_lang("en") == "5 more of the company's files: `hc events --ticket T-1`."


def test_an_attempt_that_died_is_looked_at_too(rig: Rig) -> None:
    """Whatever way it ends, what it changed is put back before the next attempt starts."""
    rig.drop("T-1")
    rig.tick()
    change(rig)
    rig.workers.exit("T-1", 1)
    rig.tick(3, seconds=60)

    assert len(rig.history("T-1")) == 2
    assert len(told(rig, "guard.changed")) == 1
    assert (rig.layout.company / "RULES.md").read_text() == RULES


def test_the_engine_is_told_the_rules(rig: Rig) -> None:
    """A launch goes by the policy as it is written at that moment, and knows the company's tmux server."""
    rig.layout.policy_file.write_text("strict: true\n")
    rig.drop("T-1")
    rig.tick()

    assert rig.engine.jobs[0].policy.strict
    assert rig.engine.jobs[0].tmux_socket == "hermes-rig"


def test_nothing_starts_while_the_policy_cannot_be_read(rig: Rig) -> None:
    """Tickets wait where they are until the file is corrected, then they start."""
    rig.layout.policy_file.write_text("stric: true\n")
    rig.drop("T-1")
    rig.tick(3, seconds=70)
    assert rig.where("T-1") is State.TODO
    rig.layout.policy_file.write_text("strict: true\n")
    rig.tick(3, seconds=70)

    assert rig.where("T-1") is State.DOING


@pytest.mark.parametrize("fault", [{}, {"after": True}, {"error": FULL_DISK}], ids=["before", "after", "full disk"])
def test_killed_at_every_call(tmp_path: Path, fault: dict[str, Any]) -> None:
    """Killed at any call, or with a full disk: every refusal and every change is told once, and the rules are as before."""
    whole = make_rig(tmp_path / "whole")
    whole.plan = Plan()
    whole.restart()
    _breaks_rules(whole)
    for at in range(whole.plan.calls):
        rig = make_rig(tmp_path / str(at))
        rig.plan = Plan(at=at, **fault)
        try:
            rig.restart()
            _breaks_rules(rig)
        except (Crash, OSError, StopIteration, AssertionError):
            pass
        struck, rig.plan = rig.plan.struck, None
        if not list(rig.layout.tasks.rglob("T-1.md")):
            rig.drop("T-1")
        rig.restart()
        rig.tick(2, seconds=40)
        if any(process.alive for process in rig.workers.processes.values()):
            if not told(rig, "guard.refused"):
                refuse(rig, "rm -rf /a")
            if (rig.layout.company / "RULES.md").read_text() == RULES:
                change(rig)
            rig.finish("T-1")
        rig.tick(4, seconds=40)

        where = f"call {at}: {struck}"
        assert rig.where("T-1") is State.REVIEW, where
        assert (rig.layout.company / "RULES.md").read_text() == RULES, where
        assert len(told(rig, "guard.refused")) == 1, where
        assert len(told(rig, "guard.changed")) == 1, where
        assert len(rig.history("T-1")[-1].flags) == 1, where


def _breaks_rules(rig: Rig) -> None:
    rig.drop("T-1")
    rig.tick()
    refuse(rig, "rm -rf /a")
    change(rig)
    rig.tick(1, seconds=2)
    rig.finish("T-1")
    rig.tick(2)
