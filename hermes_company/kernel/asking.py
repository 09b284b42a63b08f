"""Looks now and then whether an engine that has not taken its prompt asks a person something; names it, and answers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.ports.screens import Look, Shown
from hermes_company.wording import Text, say

_FIRST_SECONDS = 5.0
_LONGEST_SECONDS = 60.0
# A dialog that was told by an earlier loop; which one, the next look says.
_TOLD = "told"


@dataclass(slots=True)
class _Silent:
    """An attempt that has not reported its prompt: when it is looked at again (boot time), and what it was told to ask."""

    pause: float
    due: float
    dialog: str = ""


class Dialogs:
    """Watches attempts from their start until they report that the prompt arrived."""

    def __init__(self, parts: Parts, mind: Mind) -> None:
        self._parts = parts
        self._mind = mind
        # By token; None once its prompt has arrived.
        self._watched: dict[str, _Silent | None] = {}

    def look(self, run: Attempt, signals: Sequence[Signal]) -> bool:
        """Look at an attempt that is alive: one picture of its window, rarer and rarer. Returns whether it asks something."""
        screen = self._parts.screens.get(run.engine)
        now = self._parts.clock.boottime()
        if screen is None:
            return False
        if run.token not in self._watched:
            told = _TOLD if any(map(_is_ours, run.flags)) else ""
            self._watched[run.token] = _Silent(_FIRST_SECONDS, now + _FIRST_SECONDS, told)
        silent = self._watched[run.token]
        if silent is None:
            return False
        if any(signal.kind is SignalKind.PROMPT_SUBMITTED for signal in signals):
            self._tell(run, silent, None)
            self._watched[run.token] = None
            return False
        if now >= silent.due:
            silent.pause = min(2 * silent.pause, _LONGEST_SECONDS)
            silent.due = now + silent.pause
            folder = self._parts.runs.folder(run.ticket, run.number)
            self._tell(run, silent, screen.look(self._parts.workers.picture(folder, run.pane)))
        return bool(silent.dialog)

    def forget_all_but(self, tokens: set[str]) -> None:
        """Drop what is known of attempts that are closed."""
        self._watched = {token: silent for token, silent in self._watched.items() if token in tokens}

    def _tell(self, run: Attempt, silent: _Silent, look: Look | None) -> None:
        """Say what it asks, when that is something else than before."""
        dialog = look.dialog if look and look.shown is Shown.DIALOG else ""
        if dialog == silent.dialog:
            return
        flag = None
        if look and dialog:
            # Looked at sooner again: a person is going to answer it, and another one may follow.
            silent.pause = _FIRST_SECONDS
            flag = _asks(look.asks, run.agent)
            data = {"dialog": dialog, "asks": look.asks.to_json() if look.asks else ""}
            self._parts.events.append("attempt.asks", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
        silent.dialog = dialog
        current = self._mind.open.get(run.ticket, run)
        kept = tuple(other for other in current.flags if not _is_ours(other))
        flagged = replace(current, flags=kept + ((flag,) if flag else ()))
        self._parts.runs.save(flagged)
        self._mind.keep(flagged)


def _asks(asks: Text | None, agent: str) -> Text:
    return say("It asks {asks}, and only you can answer: `hc attach {agent}`.", asks=asks or "", agent=agent)


def _is_ours(flag: Text) -> bool:
    return flag.template == _asks(None, "").template
