"""`hc say` beside a running company: into the window of an agent at work, else with the conversation that goes on."""

from __future__ import annotations

import json

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Run, Say, hand_in
from tests.support.e2e_work import GATE

pytestmark = pytest.mark.timeout(300)

WORDS = '- 标题太长；`shorten` it, please: "≤ 10" $chars;\n  and 🚀 stays.'


def test_an_agent_at_work_is_told_in_its_window(founded: Founded, real_engine: str) -> None:
    """The words reach the model in the same attempt; they are kept with it and told as an event."""
    script = [Run(GATE), *hand_in()]
    with founded({"ann": real_engine}, script=script) as (house, model):
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the agent at work")

        answer = house.hc("say", "PAGE", "--json", "--", WORDS)
        house.open_gate("PAGE")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        said = answer.json
        assert (said["how"], said["attempt"], said["from"], said["to"]) == ("typed", 1, None, None)
        assert said["receipts"]["delivered"]
        asked = json.dumps(model.turns[-1].body, ensure_ascii=False)
        assert json.dumps(WORDS, ensure_ascii=False)[1:-1] in asked
        assert (house.layout.run("PAGE", 1) / "told-1.md").read_text() == WORDS
        (told,) = house.wait(lambda: house.seen("ticket.told", "PAGE"), "the event")
        assert (told["agent"], told["attempt"], told["data"]["how"]) == ("ann", 1, "typed")
        assert told["data"]["words"] == WORDS
        assert len({turn.conversation for turn in model.turns}) == 1


def test_after_the_end_the_conversation_goes_on_with_the_words(founded: Founded, real_engine: str) -> None:
    """Handed in already: the ticket goes from review to doing, and the same conversation is resumed with the words."""
    script = [*hand_in(then="First."), *hand_in(then="Second.")]
    with founded({"ann": real_engine}, script=script) as (house, model):
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        answer = house.hc("say", "PAGE", "--", WORDS)
        house.event("ticket.moved", "PAGE", to="review", attempt=2)

        assert "PAGE goes from review to doing with your words." in answer.out
        assert "goes on in the same conversation" in answer.out
        assert WORDS in model.turns[-1].prompts[-1]
        assert model.turns[-1].answers == ("First.",)
        assert len({turn.conversation for turn in model.turns}) == 1
        house.event("ticket.told", "PAGE", how="resumed")


def test_who_has_handed_in_is_not_typed_to(founded: Founded, real_engine: str) -> None:
    """Between DONE and its end an attempt is not spoken to: said so, to be tried again, and nothing reaches the model."""
    done = Run('echo ok > "$HC_OUTBOX/summary.md"; echo "$HC_RUN_TOKEN" > "$HC_OUTBOX/DONE"; ' + GATE)
    settings = {"done_grace_seconds": 600}
    with founded({"ann": real_engine}, script=[done, Say("Handed in.")], settings=settings) as (house, model):
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the agent at work")

        answer = house.hc("say", "PAGE", "hello there", status=75)
        house.open_gate("PAGE")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        assert "attempt-ending" in answer.err
        assert not any("hello there" in json.dumps(turn.body) for turn in model.turns)
        assert house.seen("ticket.told", "PAGE") == []


def test_words_for_a_shell_agent_wait_for_its_end(founded: Founded) -> None:
    """An engine whose window nobody can read is not typed to; after its end the words go with the next attempt."""
    with founded({"ann": "shell"}) as (house, _):
        house.run()
        house.drop("PAGE", f'# Page\n\n```sh\n{GATE}\necho "$HC_FEEDBACK" > "$HC_OUTBOX/words.txt"\n```\n')
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the block at its gate")
        assert "window-unknown" in house.hc("say", "PAGE", "hello", status=2).err
        house.open_gate("PAGE")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)

        answer = house.hc("say", "PAGE", "hello")
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the block at its gate again")
        house.open_gate("PAGE")
        house.event("ticket.moved", "PAGE", to="review", attempt=2)

        assert "It begins anew" in answer.out
        assert (house.layout.outbox("ann", "PAGE") / "words.txt").read_text() == "hello\n"
