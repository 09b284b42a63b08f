"""Typing into the window of an engine at work: once, never over somebody's words, not believed before it is seen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from hermes_company.errors import Refusal
from hermes_company.ports.clock import Clock
from hermes_company.ports.follow_up import Receipts, Talk
from hermes_company.ports.screens import Heard, Look, Shown
from hermes_company.terminal import processes
from hermes_company.terminal.run_folder import RunFolder
from hermes_company.terminal.session import NotThere, Tmux
from hermes_company.terminal.typing import typing
from hermes_company.wording import Text, say

_ENTERS = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    """How long what is waited for, in seconds."""

    # A window that does not take words yet, or is just being drawn.
    ready: float = 10.0
    # Words that were pasted, until they show.
    shown: float = 10.0
    # After an Enter, until it counts as swallowed.
    enter: float = 3.0
    # Words that have left the composer, until the engine reports them.
    reported: float = 5.0
    # Between two looks, and between what has to be told apart by the engine.
    look: float = 0.15
    settle: float = 0.25


class TmuxFollowUp:
    """`FollowUp` on the company's own tmux server."""

    def __init__(self, tmux: Tmux, clock: Clock, patience: Patience | None = None) -> None:
        self._tmux = tmux
        self._clock = clock
        self._patience = patience or Patience()

    def tell(self, talk: Talk, words: str) -> Receipts:
        """See `FollowUp.tell`."""
        with typing(talk.run_dir) as ours:
            if not ours:
                raise _somebody_types()
            # From here on the attempt is not closed: its window stays its own.
            talk.still_open()
            self._require_ready(talk)
            talk.still_open()
            self._paste(talk, words)
            self._require_shown(talk)
            return self._send(talk)

    def _require_ready(self, talk: Talk) -> None:
        """Wait for an empty composer, seen twice in a row."""
        before: Look | None = None

        def ready() -> bool:
            nonlocal before
            last, before = before, self._look(talk)
            return before.shown is Shown.READY and last == before

        if not self._wait(ready, self._patience.ready, settled=lambda: before is not None and before.shown is Shown.DIALOG):
            raise _not_ready(before)

    def _paste(self, talk: Talk, words: str) -> None:
        pane, _ = self._window(talk)
        buffer = f"hc-{os.getpid()}"
        self._tmux.load_buffer(buffer, words.encode())
        try:
            self._tmux.ask(("paste-buffer", "-p", "-r", "-d", "-b", buffer, "-t", pane))
        except (NotThere, Refusal) as problem:
            with suppress(NotThere, Refusal):
                self._tmux.ask(("delete-buffer", "-b", buffer))
            if isinstance(problem, NotThere):
                raise _gone() from None
            raise

    def _require_shown(self, talk: Talk) -> None:
        """Enter is pressed only on words that are there: it would take what is suggested, or answer what has just opened."""
        if not self._wait(lambda: self._look(talk).shown is Shown.DRAFT, self._patience.shown):
            raise _not_sent(say("The words were pasted, but do not show in the composer."))
        time.sleep(self._patience.settle)

    def _send(self, talk: Talk) -> Receipts:
        pressed = 0
        for _ in range(_ENTERS):
            if self._look(talk).shown is Shown.DRAFT and talk.heard() is None:
                self._press_enter(talk)
                pressed += 1
            if self._wait(lambda: self._left(talk), self._patience.enter):
                return self._receipts(talk)
        raise _not_sent(say("The words were pasted, but not sent: Enter was pressed {times} times.", times=pressed))

    def _left(self, talk: Talk) -> bool:
        """Whether the words are no longer in the composer, or the engine says that it has them."""
        return talk.heard() is not None or self._look(talk).shown is Shown.READY

    def _receipts(self, talk: Talk) -> Receipts:
        delivered = self._clock.now()
        submitted = self._wait(lambda: talk.heard() is Heard.SUBMITTED, self._patience.reported)
        return Receipts(delivered=delivered, submitted=self._clock.now() if submitted else None)

    def _press_enter(self, talk: Talk) -> None:
        pane, _ = self._window(talk)
        try:
            self._tmux.ask(("send-keys", "-t", pane, "Enter"))
        except NotThere:
            raise _gone() from None

    def _look(self, talk: Talk) -> Look:
        """What the window shows, once it is certain that the attempt's engine is behind it.

        Raises:
            Refusal: `window-gone`, `window-without-engine`, `window-in-copy-mode`.
        """
        pane, launcher = self._window(talk)
        try:
            shown = self._tmux.ask(
                ("display-message", "-p", "-t", pane, "#{pane_pid} #{pane_in_mode}"),
                ("capture-pane", "-p", "-e", "-t", pane),
            )
        except NotThere:
            raise _gone() from None
        facts, _, picture = shown.partition("\n")
        shown_of, _, mode = facts.partition(" ")
        if shown_of != str(launcher):
            raise _no_engine()
        if mode != "0":
            raise _copy_mode()
        return talk.screen.look(picture)

    def _window(self, talk: Talk) -> tuple[str, int]:
        """The attempt's pane and its launcher's process id, once it is certain that its engine lives.

        Raises:
            Refusal: `window-without-engine`, `window-gone`.
        """
        fence = RunFolder(talk.run_dir).fence()
        engine = processes.look_up(fence.engine) if fence and fence.engine else None
        if fence is None or fence.pid is None or not fence.launcher_alive or engine is None or engine.zombie:
            raise _no_engine()
        if not fence.pane:
            raise _gone()
        return fence.pane, fence.pid

    def _wait(self, condition: Callable[[], bool], seconds: float, settled: Callable[[], bool] = lambda: False) -> bool:
        """Whether the condition came true in time; given up early once it is `settled` that it will not."""
        deadline = self._clock.boottime() + seconds
        while not condition():
            if settled() or self._clock.boottime() >= deadline:
                return False
            time.sleep(self._patience.look)
        return True


def _not_ready(look: Look | None) -> Refusal:
    """Why the window takes no words, by what it shows."""
    cause = say("Nothing was typed.")
    by_hand = say("Look at it yourself: `hc attach`.")
    if look is not None and look.shown is Shown.DIALOG:
        asks = look.asks or say("something that hc has no name for")
        remedy = say("Answer it in its window (`hc attach`), then say it again.")
        return Refusal("window-asks", fact=say("The engine asks {asks}.", asks=asks), cause=cause, remedy=remedy)
    if look is not None and look.shown is Shown.DRAFT:
        fact = say("Somebody's words stand in the composer, not sent yet.")
        remedy = say("Send or delete them in the window (`hc attach`), then say it again.")
        return Refusal("window-has-draft", fact=fact, cause=cause, remedy=remedy)
    if look is not None and look.shown is Shown.COMMANDS:
        fact = say("The composer is in vim's normal mode.")
        return Refusal("window-in-vim-mode", fact=fact, cause=say("It would take the words as commands."), remedy=by_hand)
    fact = say("The window shows no composer that hc knows.")
    return Refusal("window-not-ready", fact=fact, cause=cause, remedy=by_hand, status=75)


def _no_engine() -> Refusal:
    return Refusal(
        "window-without-engine",
        fact=say("The engine has ended; its window holds something else."),
        cause=say("The words would go to whatever runs there."),
        remedy=say("Say it again in a moment: then its conversation is resumed with them."),
        status=75,
    )


def _gone() -> Refusal:
    return Refusal(
        "window-gone",
        fact=say("The window is gone."),
        cause=say("Nobody was told anything."),
        remedy=say("Say it again in a moment: then its conversation is resumed with the words."),
        status=75,
    )


def _copy_mode() -> Refusal:
    return Refusal(
        "window-in-copy-mode",
        fact=say("Somebody scrolls in the window (tmux's copy mode)."),
        cause=say("Keys go to tmux there, not to the engine."),
        remedy=say("Leave it with `q` in the window, then say it again."),
        status=75,
    )


def _somebody_types() -> Refusal:
    return Refusal(
        "window-typed-into",
        fact=say("Another `hc say` is typing into that window."),
        cause=say("Both texts would become one."),
        remedy=say("Say it again in a moment."),
        status=75,
    )


def _not_sent(fact: Text) -> Refusal:
    return Refusal(
        "words-not-sent",
        fact=fact,
        cause=say("They are not pasted a second time: they might arrive twice."),
        remedy=say("Look at the window (`hc attach`) and send or delete what stands there."),
        status=1,
    )
