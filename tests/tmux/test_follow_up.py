"""Words into a window: once, sent when they are there, and never where they do not belong."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from dataclasses import replace

import pytest

from hermes_company.errors import Refusal
from hermes_company.ports.screens import Shown
from hermes_company.ports.workers import EndProgress
from hermes_company.terminal import processes
from hermes_company.terminal.typing import LONGEST_SECONDS, is_typed_into, typing
from hermes_company.wording import say
from tests.support.fake_tui import PATIENCE, Window, open_window
from tests.support.tmux import TmuxCompany, until

pytestmark = pytest.mark.timeout(180)

SIXTY = "- " + "\n".join(f"{n}: 'q' \"d\" `b` $HOME $(id) \\ 中文 🚀👩‍💻\ttab;" for n in range(60))
TRUST = (["Accessing workspace:", "Is this a project you trust?"], ["Yes, I trust this folder", "No, exit"], 1)
BANNER = ["● You've hit your session limit · resets 7pm (UTC)", "❯ 1. Stop and wait for limit to reset", "  2. Upgrade"]


def refused(window: Window, words: str = "hello", **more: object) -> Refusal:
    """What `tell` refuses with."""
    with pytest.raises(Refusal) as caught:
        window.tell(words, **more)  # type: ignore[arg-type]
    return caught.value


def nothing_typed(window: Window) -> bool:
    """Whether neither a paste nor an Enter came."""
    return not (window.happened("pasted") or window.happened("enter") or window.happened("answered"))


def test_sixty_lines_arrive_whole(company: TmuxCompany) -> None:
    """Sixty lines with everything that has ever got lost on the way are pasted once and submitted as they are."""
    window = open_window(company)

    receipts = window.tell(SIXTY)

    assert receipts.submitted is not None
    assert window.happened("submitted") == [SIXTY]
    assert len(window.happened("pasted")) == 1
    assert company.tmux("list-buffers") == ""


def test_a_slow_start_is_waited_for(company: TmuxCompany) -> None:
    """A window that loses what is typed into it at first is left alone until it shows its composer."""
    window = open_window(company, start=1.0)

    window.tell("hello")

    assert window.happened("submitted") == ["hello"]


def test_a_swallowed_enter_is_pressed_again(company: TmuxCompany) -> None:
    """An Enter that nothing came of is pressed again, twice at most, and the words are not pasted again."""
    window = open_window(company, swallows=2)

    window.tell("hello", patience=replace(PATIENCE, enter=1.0))

    assert window.happened("submitted") == ["hello"]
    assert len(window.happened("pasted")) == 1
    assert len(window.happened("enter")) == 3


def test_three_enters_are_the_end(company: TmuxCompany) -> None:
    """After three Enters it is said that the words stand there; a second try does not paste over them."""
    window = open_window(company, swallows=99)
    brief = replace(PATIENCE, enter=0.5, ready=2.0)

    assert refused(window, patience=brief).code == "words-not-sent"
    assert refused(window, patience=brief).code == "window-has-draft"

    assert len(window.happened("pasted")) == 1
    assert len(window.happened("enter")) == 3


def test_a_draft_is_left_alone(company: TmuxCompany) -> None:
    """What a person has half typed stays as it is; nothing is added, nothing is sent."""
    window = open_window(company)
    window.shows(Shown.READY)
    window.type("half a sent")
    window.shows(Shown.DRAFT)

    assert refused(window, patience=replace(PATIENCE, ready=1.0)).code == "window-has-draft"

    assert nothing_typed(window)
    assert "half a sent" in window.picture()


def test_a_suggestion_is_no_draft_and_is_not_sent(company: TmuxCompany) -> None:
    """Grey text in the composer is nobody's: our words are sent and it never is."""
    window = open_window(company, suggests="delete everything")

    window.tell("hello")

    assert window.happened("submitted") == ["hello"]


def test_no_enter_without_our_words(company: TmuxCompany) -> None:
    """Where a paste does not show, Enter is not pressed: it would send what is suggested."""
    window = open_window(company, deaf=True, suggests="delete everything")

    assert refused(window, patience=replace(PATIENCE, shown=2.0)).code == "words-not-sent"

    assert len(window.happened("pasted")) == 1
    assert window.happened("enter") == []


@pytest.mark.parametrize("default", [0, 1])
def test_an_open_dialog_is_named_and_not_answered(company: TmuxCompany, default: int) -> None:
    """Whichever answer is under the cursor: the dialog is told by what it asks, and nothing is pressed."""
    window = open_window(company, dialogs=[(TRUST[0], TRUST[1], default)])
    window.shows(Shown.DIALOG)

    problem = refused(window)

    assert problem.code == "window-asks"
    assert "whether the folder is trusted" in str(problem.fact)
    assert nothing_typed(window)


def test_a_quoted_dialog_is_no_dialog(company: TmuxCompany) -> None:
    """A limit banner with its choices above the composer is the conversation's: words are taken as ever."""
    window = open_window(company, above=BANNER)

    window.tell("hello")

    assert window.happened("submitted") == ["hello"]


def test_vim_commands_are_not_given(company: TmuxCompany) -> None:
    """A composer that takes keys as commands is left alone."""
    window = open_window(company, vim=True)
    window.shows(Shown.COMMANDS)

    assert refused(window, patience=replace(PATIENCE, ready=1.0)).code == "window-in-vim-mode"

    assert nothing_typed(window)
    assert window.happened("command") == []


def test_copy_mode_is_left_alone(company: TmuxCompany) -> None:
    """While somebody scrolls, keys would go to tmux: nothing is typed, and they stay where they are."""
    window = open_window(company)
    window.shows(Shown.READY)
    company.tmux("copy-mode", "-t", window.pane)

    assert refused(window).code == "window-in-copy-mode"

    assert company.tmux("display-message", "-p", "-t", window.pane, "#{pane_in_mode}") == "1"
    assert nothing_typed(window)


def test_words_that_wait_are_delivered_and_not_submitted(company: TmuxCompany) -> None:
    """An engine at work keeps the words until its step is over: they count as delivered, and no more is claimed."""
    window = open_window(company, busy=True)

    receipts = window.tell("hello", patience=replace(PATIENCE, reported=0.3))

    assert receipts.submitted is None
    assert "hello" in window.picture()
    assert len(window.happened("enter")) == 1


def test_nobody_types_into_a_window_without_its_engine(company: TmuxCompany) -> None:
    """When the engine has gone its window is another's: refused, whether it waits for the next attempt or not."""
    window = open_window(company)
    window.shows(Shown.READY)
    company.tmux("send-keys", "-t", window.pane, "C-c")
    until(lambda: (window.order.run_dir / "exit.json").exists(), seconds=30, what="its end")

    assert refused(window).code == "window-without-engine"


def test_an_engine_that_left_a_child_is_told_as_ever(company: TmuxCompany) -> None:
    """A process that the engine left behind is nobody to be told, and it is ended with the attempt."""
    window = open_window(company, leaves_child=True)
    window.tell("hello")
    (child,) = window.happened("child")

    company.end(window.order)

    assert window.happened("submitted") == ["hello"]
    assert processes.look_up(child) is None


def test_what_is_over_in_between_is_not_typed_into(company: TmuxCompany) -> None:
    """The attempt's end is asked for again just before the paste: whoever ends it then wins."""
    window = open_window(company)
    asked: list[int] = []

    def over() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise Refusal("attempt-ending", fact=say("{x}", x="over"), cause=say("{x}", x=""), remedy=say("{x}", x=""))

    assert refused(window, talk={"still_open": over}).code == "attempt-ending"
    assert nothing_typed(window)


def test_an_attempt_is_not_ended_while_its_window_is_typed_into(company: TmuxCompany) -> None:
    """Its window would become the next attempt's; the end goes on as soon as nobody types."""
    window = open_window(company)
    window.shows(Shown.READY)
    with typing(window.order.run_dir) as ours:
        assert ours
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            assert company.workers.end(window.order.run_dir, window.order.token) is EndProgress.ENDING
            time.sleep(0.05)
        assert company.workers.state(window.order.run_dir).phase == "running"

    company.end(window.order)


def test_one_at_a_time(company: TmuxCompany) -> None:
    """Two that speak at once do not become one text: the second is told to wait."""
    window = open_window(company)
    with typing(window.order.run_dir):
        assert refused(window).code == "window-typed-into"

    window.tell("hello")
    assert window.happened("submitted") == ["hello"]


def test_several_at_once_arrive_whole(company: TmuxCompany) -> None:
    """Of eight that speak at the same moment, those that are not refused arrive whole, once."""
    window = open_window(company)
    window.shows(Shown.READY)
    told: list[str] = []
    codes: set[str] = set()

    def speak(words: str) -> None:
        try:
            window.tell(words)
        except Refusal as problem:
            codes.add(problem.code)
        else:
            told.append(words)

    threads = [threading.Thread(target=speak, args=(f"{n} " * 200 + "end",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)

    assert sorted(window.happened("submitted")) == sorted(told)
    assert told
    assert codes <= {"window-typed-into"}


def test_a_stopped_speaker_holds_no_attempt_for_ever(company: TmuxCompany) -> None:
    """Whoever was stopped in the middle of typing keeps the attempt from its end for two minutes and no longer."""
    window = open_window(company)
    with typing(window.order.run_dir):
        lock = window.order.run_dir / "typing.lock"
        assert is_typed_into(window.order.run_dir)
        os.utime(lock, (0, lock.stat().st_mtime - LONGEST_SECONDS - 1))

        assert not is_typed_into(window.order.run_dir)
        with lock.open() as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
