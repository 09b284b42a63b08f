"""Sent back by a reviewer, the same conversation goes on."""

from __future__ import annotations

import pytest

from hermes_company.domain.ticket import State
from tests.e2e.conftest import Founded
from tests.scripted_model import ScriptedModel
from tests.support.e2e import House
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

FIRST = Chore("PAGE", ("echo long > title.txt",), "## 步骤\n\n1. 第一版\n", then="First version.")
SECOND = Chore("PAGE", ("echo short > title.txt",), "## 步骤\n\n1. 第二版\n", then="Second version.")
WORDS = '标题太长；`shorten` it, please: "≤ 10" $chars;'


def test_feedback_goes_on_in_the_same_conversation(founded: Founded, real_engine: str) -> None:
    """The second request holds the first turn and the reviewer's words, in the same session; then it is accepted."""
    with founded({"ann": real_engine}, [FIRST, SECOND]) as (house, model):
        house.run()
        house.drop("PAGE", "# 商品页\n\n写标题。")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        house.hc("review", "reject", "PAGE", "-m", WORDS)
        house.event("ticket.rejected", "PAGE", feedback=WORDS)
        house.event("attempt.started", "PAGE", attempt=2, resumes="1")
        house.event("ticket.moved", "PAGE", to="review", attempt=2)

        same_conversation(house, model)
        outbox = house.layout.outbox("ann", "PAGE")
        assert (outbox / "title.txt").read_text() == "short\n"
        assert (outbox / "summary.md").read_text() == SECOND.summary
        assert (outbox / ".attempts" / "1" / "summary.md").read_text() == FIRST.summary
        house.hc("review", "approve", "PAGE")
        house.event("ticket.approved", "PAGE")
        assert house.where("PAGE") == "done"


def same_conversation(house: House, model: ScriptedModel) -> None:
    last = model.turns[-1]
    assert last.prompts == tuple((house.layout.run("PAGE", attempt) / "prompt.md").read_text() for attempt in (1, 2))
    assert WORDS in last.prompts[1]
    assert last.answers == (FIRST.then,)
    assert len({turn.conversation for turn in model.turns}) == 1
    assert house.record("PAGE", 1)["session_id"] == house.record("PAGE", 2)["session_id"]


def test_shell_runs_again_with_the_feedback(founded: Founded) -> None:
    """An engine without conversations starts anew and is given the reviewer's words."""
    with founded({"ann": "shell"}, [Chore("PAGE", ('printf %s "$HC_FEEDBACK" > words.txt',))]) as (house, _):
        house.run()
        house.drop("PAGE", "# 商品页\n\n```sh\nPAGE\n```\n")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)
        outbox = house.layout.outbox("ann", "PAGE")
        assert (outbox / "words.txt").read_text() == ""

        house.hc("review", "reject", "PAGE", "-m", WORDS)
        house.event("ticket.moved", "PAGE", to="review", attempt=2)

        assert (outbox / "words.txt").read_text() == WORDS
        assert WORDS in (house.layout.run("PAGE", 2) / "prompt.md").read_text()
        house.hc("review", "approve", "PAGE")
        house.event("ticket.approved", "PAGE")


def test_moving_the_file_by_hand_is_the_same(founded: Founded) -> None:
    """`mv` from review to doing goes on in the same conversation; from review to done accepts."""
    with founded({"ann": "claude-code"}, [FIRST, SECOND]) as (house, model):
        house.run()
        house.drop("PAGE", "# 商品页\n\n写标题。")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        house.layout.ticket("PAGE", State.REVIEW).rename(house.layout.ticket("PAGE", State.DOING))
        house.event("ticket.moved", "PAGE", to="review", attempt=2)

        assert model.turns[-1].answers == (FIRST.then,)
        assert "it was sent back to you" in model.turns[-1].prompts[1]
        house.layout.ticket("PAGE", State.REVIEW).rename(house.layout.ticket("PAGE", State.DONE))
        house.event("ticket.approved", "PAGE")
        note = house.layout.memory / "ann" / "experiences" / "PAGE.md"
        house.wait(lambda: "status: approved" in note.read_text(), "approval in the note")
