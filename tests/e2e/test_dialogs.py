"""A dialog that opens all the same: named to the person, answered by nobody else, and the work goes on after the answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Founded
from tests.fakes.tui import happened
from tests.support.e2e import House
from tests.support.fake_tui import PROGRAM

pytestmark = pytest.mark.timeout(300)

TRUST = (["Accessing workspace:", "Is this a project you trust?"], ["Yes, I trust this folder", "No, exit"])


def in_the_place_of_claude(house: House, **told: object) -> Path:
    """Let the fake window be what is started as Claude Code; returns its log."""
    told_file = house.place / "told.json"
    told_file.write_text(json.dumps(told), encoding="utf-8")
    program = house.place / "fake-claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{PROGRAM}" "{told_file}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    with house.layout.settings_file.open("a", encoding="utf-8") as file:
        file.write(f"engines:\n  claude-code:\n    command: {program}\n")
    return Path(f"{told_file}.log")


@pytest.mark.parametrize("default", [0, 1])
def test_a_dialog_is_named_left_and_answered_by_the_person(founded: Founded, default: int) -> None:
    """Event, `hc why` and `hc status` say what it asks and where; nobody but the person answers, and then the work goes on."""
    with founded({"ann": "claude-code"}) as (house, _):
        log = in_the_place_of_claude(house, dialogs=[(*TRUST, default)], exits=["No, exit"], hands_in=True)
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        event = house.event("attempt.asks", "PAGE", dialog="trust")

        asks = "It asks whether the folder is trusted, and only you can answer: `hc attach ann`."
        house.wait(lambda: asks in house.hc("why", "PAGE").out, "hc why")
        assert asks in house.hc("status").out
        assert asks in house.hc("why", "PAGE", "--json").json["flags"]
        assert event["attempt"] == 1
        assert "window-asks" in house.hc("say", "PAGE", "hello", status=2).err
        assert happened(log) == []

        if default == 1:
            house.tmux("send-keys", "-t", "=hermes:=agent_ann", "Up")
        house.tmux("send-keys", "-t", "=hermes:=agent_ann", "Enter")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        assert happened(log)[0] == {"answered": "Yes, I trust this folder"}
        assert len(house.seen("attempt.asks", "PAGE")) == 1
