"""What a running company counts, and custom agents at work in it."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Run, hand_in
from tests.support.e2e import House

pytestmark = pytest.mark.timeout(300)


def hire_script(house: House, name: str, script: str, **custom: object) -> None:
    """An agent whose program is a script of the company, hired by a profile written by hand."""
    tool = house.root / "bin" / name
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(f"#!/bin/sh\nset -eu\n{script}\n")
    tool.chmod(0o755)
    house.layout.agent(name).mkdir()
    profile = {"name": name, "engine": "custom", "custom": {"command": [f"bin/{name}", "{prompt_file}", "{outbox}"], **custom}}
    house.layout.profile_json(name).write_text(json.dumps(profile))


def test_attempts_are_counted_as_they_close(founded: Founded) -> None:
    """Both engines' tokens are in `hc cost` when their tickets wait for review, to the token, and each in its line."""
    script = {"TASK-C": [Run("true"), *hand_in()], "TASK-X": hand_in()}
    with founded({"ann": "claude-code", "bob": "codex"}, script=script) as (house, model):
        house.run()
        house.drop("TASK-C", "---\nowner: ann\n---\n# One\n")
        house.drop("TASK-X", "---\nowner: bob\n---\n# Two\n")
        for ticket in script:
            house.event("ticket.moved", ticket, to="review")
            house.wait((house.layout.run(ticket, 1) / "usage.json").exists, f"usage of {ticket}")
        bill = json.loads(house.hc("cost", "--json").out)

        answers = {name: len(model.turns_with(ticket)) for name, ticket in (("ann", "TASK-C"), ("bob", "TASK-X"))}
        assert bill["total"]["tokens"]["total"] == model.used.total
        assert {line["name"]: line["tokens"]["output"] for line in bill["lines"]} == {
            name: count * 20 for name, count in answers.items()
        }
        assert bill["findings"] == [
            {"code": "price-missing", "says": "No price for scripted in company.yaml: its tokens are not in the money."}
        ]


def test_script_is_an_agent(founded: Founded) -> None:
    """A program that knows nothing of tickets does one by ending well; with 75 it waits, else it is tried again."""
    with founded({}) as (house, _):
        hire_script(house, "good", 'grep -c "Do it" "$1" > "$2/summary.md"', done="exit")
        hire_script(house, "later", "exit 75", done="exit")
        hire_script(house, "bad", "exit 4", done="exit")
        house.run()
        for name in ("good", "later", "bad"):
            house.drop(name.upper(), f"---\nowner: {name}\n---\n# Do it\n")
        house.event("ticket.moved", "GOOD", to="review")
        house.event("attempt.closed", "LATER", outcome="paused")
        house.event("ticket.moved", "BAD", to="blocked")

        assert house.where("LATER") == "doing"
        house.wait(lambda: len(house.seen("attempt.closed", "BAD", outcome="died")) == 2 or None, "two tries of BAD")
        assert "status 4" in house.text("BAD")
        assert [signal["event"] for signal in _signals(house, "GOOD")] == ["SessionStart", "UserPromptSubmit", "SessionEnd"]


def _signals(house: House, ticket: str) -> list[dict[str, object]]:
    lines = (house.layout.run(ticket, 1) / "signals.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_program_that_cannot_go_on_begins_anew(founded: Founded) -> None:
    """Sent back, a ticket of a custom agent without a resume form is started with a whole prompt that has the feedback."""
    with founded({}) as (house, _):
        hire_script(house, "good", 'cp "$1" "$2/summary.md"', done="exit")
        house.run()
        house.drop("GOOD", "---\nowner: good\n---\nMake the page.\n")
        house.event("ticket.moved", "GOOD", to="review")
        house.event("attempt.closed", "GOOD", outcome="finished")
        house.hc("review", "reject", "GOOD", "-m", "标题太长")
        house.wait(lambda: len(house.seen("attempt.closed", "GOOD")) == 2 or None, "the second attempt")

        assert house.where("GOOD") == "review"
        prompt = (house.layout.run("GOOD", 2) / "prompt.md").read_text()
        assert "标题太长" in prompt
        assert "Make the page." in prompt
