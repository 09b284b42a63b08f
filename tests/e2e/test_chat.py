"""`hc chat`: the same conversation in the person's own terminal, and the ticket kept from everybody meanwhile."""

from __future__ import annotations

import shlex

import pytest

from hermes_company.engines.screens import SCREENS
from hermes_company.ports.screens import Shown
from tests.e2e.conftest import Founded
from tests.scripted_model import Run, Say, hand_in
from tests.support.e2e import HC, House
from tests.support.e2e_work import GATE

pytestmark = pytest.mark.timeout(300)


class Terminal:
    """The person's terminal: a window beside the agents', with the person's own environment."""

    def __init__(self, house: House, engine: str) -> None:
        self._house = house
        self._look = SCREENS[engine].look
        self._script = house.place / "chat.sh"

    def run(self, *argv: str) -> None:
        """Run one `hc` command there."""
        variables = [f"export {name}={shlex.quote(value)}" for name, value in self._house.environ.items() if name != "TERM"]
        command = f"{shlex.quote(str(HC))} {shlex.join(argv)}; echo status $?; exec sleep 600"
        self._script.write_text("\n".join([*variables, command]), encoding="utf-8")
        folder = str(self._house.root)
        self._house.tmux("new-window", "-d", "-t", "=hermes:", "-n", "person", "-c", folder, f"sh {self._script}")

    def shows(self, text: str) -> None:
        """Wait for something in it."""
        self._house.wait(lambda: text in self._house.shown("person"), f"{text} in the person's terminal")

    def ready(self) -> None:
        """Wait for the engine's composer."""
        picture = lambda: self._house.tmux("capture-pane", "-e", "-p", "-t", "=hermes:=person")  # noqa: E731
        self._house.wait(lambda: self._look(picture()).shown is Shown.READY, "the composer")

    def enter(self, words: str) -> None:
        """Paste words, wait until they show, and press Enter."""
        self._house.tmux("set-buffer", "-b", "person", words)
        self._house.tmux("paste-buffer", "-p", "-d", "-b", "person", "-t", "=hermes:=person")
        self.shows(words)
        self.press("Enter")

    def press(self, key: str) -> None:
        """Press a key."""
        self._house.tmux("send-keys", "-t", "=hermes:=person", key)

    def leave(self) -> None:
        """Leave the engine."""
        self.ready()
        self.press("C-d")
        self._house.wait(lambda: "handed back" in self._house.shown("person") or self._once_more(), "its end")

    def _once_more(self) -> None:
        # Claude Code asks for it twice, within a moment.
        if "again to exit" in self._house.shown("person"):
            self.press("C-d")


def test_the_person_talks_and_hands_back(founded: Founded, real_engine: str) -> None:
    """The chat is in the agent's conversation; a rejection meanwhile waits until it is left, and then goes on after it."""
    script = [*hand_in(then="First."), Say("Chatted."), *hand_in(then="Second.")]
    with founded({"ann": real_engine}, script=script) as (house, model):
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        house.event("ticket.moved", "PAGE", to="review", attempt=1)
        person, asked = Terminal(house, real_engine), "What about tables?"

        person.run("chat", "PAGE")
        person.ready()
        person.enter(asked)
        chatted = house.wait(lambda: model.turns[-1] if asked in model.turns[-1].prompts else None, "the person's question")
        person.shows("Chatted.")
        assert "chat-open" in house.hc("chat", "PAGE", status=75).err
        house.hc("review", "reject", "PAGE", "-m", "Shorter, please.")
        house.event("ticket.rejected", "PAGE")
        assert house.hc("why", "PAGE", "--json").json["code"] == "in-conversation"
        assert not house.layout.run("PAGE", 2).exists()
        person.leave()

        person.shows("PAGE is handed back.")
        person.shows("status 0")
        house.event("ticket.chat", "PAGE", agent="ann", attempt=1)
        house.event("ticket.moved", "PAGE", to="review", attempt=2)
        last = model.turns[-1]
        assert chatted.conversation == last.conversation
        assert chatted.answers == ("First.",)
        assert last.answers == ("First.", "Chatted.")
        assert asked in last.prompts
        assert "Shorter, please." in last.prompts[-1]
        assert len(chatted.prompts) == 2


def test_an_attempt_at_work_is_talked_to_in_its_window(founded: Founded) -> None:
    """While it runs, the conversation is open in its window: refused, with the way there."""
    with founded({"ann": "claude-code"}, script=[Run(GATE), *hand_in()]) as (house, _):
        house.run()
        house.drop("PAGE", "# Page\n\nWrite it.")
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the agent at work")

        refused = house.hc("chat", "PAGE", status=2).err
        house.open_gate("PAGE")

        assert "ticket-runs" in refused
        assert "hc attach ann" in refused
        house.event("ticket.moved", "PAGE", to="review", attempt=1)
