"""Words into the windows of the real Claude Code and Codex, seen in what they then ask their model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes_company.domain.signals import SignalKind
from hermes_company.domain.words import takes_enter, typable
from hermes_company.engines.screens import SCREENS
from hermes_company.errors import Refusal
from hermes_company.folders.heard import Ear
from hermes_company.ports.engine import Job
from hermes_company.ports.follow_up import Receipts, Talk
from hermes_company.ports.screens import Heard, Shown
from hermes_company.terminal.follow_up import Patience, TmuxFollowUp
from tests.engines.conftest import Rigged
from tests.scripted_model import Plan, Run, Say, ScriptedModel
from tests.support.engine_rig import EngineRig
from tests.support.tmux import until

pytestmark = pytest.mark.timeout(300)

PATIENCE = Patience(ready=40.0, shown=40.0, enter=20.0, reported=40.0)
LINE = "'q' \"d\" `b` $HOME $(id) \\ 中文，标点。🚀👩‍💻 [200~ [201~ ;"


@dataclass
class Working:
    """An engine at work, and somebody who talks to it."""

    rig: EngineRig
    model: ScriptedModel
    job: Job
    pane: str

    def ear(self, words: str) -> Ear:
        return Ear(self.job.run_dir, self.rig.engine, SCREENS[self.rig.engine.name], words)

    def tell(self, words: str, ear: Ear | None = None, patience: Patience = PATIENCE) -> Receipts:
        """What `hc say` does, without a company around it."""
        heard = (ear or self.ear(words)).heard
        talk = Talk(
            run_dir=self.job.run_dir,
            screen=SCREENS[self.rig.engine.name],
            still_open=lambda: None,
            heard=heard,
        )
        return TmuxFollowUp(self.rig.company.workers.tmux, self.rig.company.clock, patience).tell(talk, words)

    def picture(self) -> str:
        return self.rig.picture(self.job)

    def shows(self, shown: Shown) -> None:
        look = SCREENS[self.rig.engine.name].look
        until(lambda: look(self.picture()).shown is shown, seconds=90, what=f"{shown} in\n{self.picture()}")

    @property
    def claude(self) -> bool:
        return self.rig.engine.name == "claude-code"


@contextmanager
def at_work(rigged: Rigged, plan: Plan) -> Iterator[Working]:
    """An engine that was started and is not nudged."""
    with rigged(plan) as (rig, model):
        job = rig.job()
        (job.outbox / "BLOCKED").touch()
        rig.begin(job)
        pane = json.loads(until(lambda: _read(job.run_dir / "started.json"), seconds=90, what="its start"))["pane"]
        yield Working(rig, model, job, pane)


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def test_sixty_lines_arrive_byte_for_byte(rigged: Rigged) -> None:
    """Sixty lines with a leading `-`, `;`, quotes, Chinese, emoji and disarmed paste marks arrive as they are.

    Only a TAB is four spaces in Claude Code.
    """
    words = typable("- first\r\n" + "\n".join(f"{n}: {LINE}" for n in range(58)).replace("[20", "\x1b[20") + "\n\tlast;\n")
    with at_work(rigged, [Say("first"), Say("second")]) as working:
        working.rig.signal(working.job, SignalKind.TURN_ENDED)

        receipts = working.tell(words)

        turns = working.model.wait_for(lambda turns: len(turns) == 2)
        arrived = words.replace("\t", "    ") if working.claude else words
        assert turns[1].prompts[-1] == arrived
        assert turns[1].answers == ("first",)
        assert receipts.submitted is not None
        assert words.count("\n") == 59
        assert "\x1b" not in words
        assert "[200~ [201~" in words


def test_the_longest_words_arrive(rigged: Rigged) -> None:
    """20,000 bytes, more than one tmux command or one terminal line takes, arrive whole."""
    words = "".join(f"{n}: {LINE} " for n in range(1_000)).encode()[:19_990].decode("utf-8", "ignore") + "last"
    with at_work(rigged, [Say("first"), Say("second")]) as working:
        working.rig.signal(working.job, SignalKind.TURN_ENDED)

        receipts = working.tell(words)

        turns = working.model.wait_for(lambda turns: len(turns) == 2)
        assert turns[1].prompts[-1] == words
        assert receipts.submitted is not None


def test_ends_that_would_take_enter(rigged: Rigged) -> None:
    """With a space behind it, neither a backslash nor a half name after `@` keeps Enter from sending the words."""
    with at_work(rigged, [Say("first"), Say("second"), Say("third")]) as working:
        (working.job.workdir / "world.txt").touch()
        working.rig.signal(working.job, SignalKind.TURN_ENDED)
        for words in ("ends with \\", "see @wor"):
            assert takes_enter(words)
            assert working.tell(f"{words} ").submitted is not None

        turns = working.model.wait_for(lambda turns: len(turns) == 3)
        assert turns[2].prompts[-2:] == ("ends with \\", "see @wor")


def test_words_during_a_turn_are_heard_after_it(rigged: Rigged, tmp_path: Path) -> None:
    """What is said while a tool runs is queued, said to be so, and in the next request; then the engine's records say so."""
    gate = tmp_path / "gate"
    wait = Run(f"until [ -e '{gate}' ]; do sleep 0.1; done")
    words = "Make it short;\n- 中文 too"
    with at_work(rigged, [wait, Say("done"), Say("done"), Say("done")]) as working:
        working.model.wait_for(lambda turns: len(turns) == 1)
        ear = working.ear(words)

        receipts = working.tell(words, ear, Patience(ready=40.0, shown=40.0, enter=20.0, reported=0.5))
        if working.claude:
            working.rig.wait_for(working.job, lambda: ear.heard() is Heard.QUEUED, "the words in its queue")
        assert ear.heard() is not Heard.SUBMITTED
        gate.touch()

        assert receipts.submitted is None
        working.rig.wait_for(working.job, lambda: ear.heard() is Heard.SUBMITTED, "the words in the conversation")
        turns = working.model.wait_for(lambda turns: len(turns) >= 2)
        asked = json.dumps(turns[-1].body, ensure_ascii=False)
        assert json.dumps(words, ensure_ascii=False)[1:-1] in asked


def test_a_draft_in_the_real_composer_is_left_alone(rigged: Rigged) -> None:
    """What a person has half typed into the real composer is seen as that, and stays."""
    with at_work(rigged, [Say("first")]) as working:
        working.rig.signal(working.job, SignalKind.TURN_ENDED)
        working.shows(Shown.READY)
        working.rig.company.tmux("send-keys", "-l", "-t", working.pane, "half a sent")
        working.shows(Shown.DRAFT)

        with pytest.raises(Refusal) as refused:
            working.tell("hello", patience=Patience(ready=1.0))

        assert refused.value.code == "window-has-draft"
        assert "half a sent" in working.rig.screen(working.job)
        assert len(working.model.turns) == 1
