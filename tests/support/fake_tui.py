"""The fake window at work as an attempt, and what a test asks of it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_company.engines.registry import get_engine
from hermes_company.engines.screens import SCREENS
from hermes_company.folders.heard import Ear
from hermes_company.ports.follow_up import Receipts, Talk
from hermes_company.ports.screens import Look, Shown
from hermes_company.ports.workers import WorkerOrder
from hermes_company.terminal.follow_up import Patience, TmuxFollowUp
from tests.fakes import tui
from tests.support.tmux import TmuxCompany, until

PROGRAM = Path(tui.__file__)
# What is waited for in vain is waited for briefly; what must come has all the time that a slow machine needs.
PATIENCE = Patience(ready=20.0, shown=20.0, enter=20.0, reported=20.0)


@dataclass
class Window:
    """One fake window in real tmux."""

    company: TmuxCompany
    order: WorkerOrder
    pane: str
    log: Path

    def happened(self, what: str) -> list[Any]:
        """What of that kind has happened to it, in order."""
        return [line[what] for line in tui.happened(self.log) if what in line]

    def look(self) -> Look:
        """The window, as it is read."""
        return SCREENS["claude-code"].look(self.picture())

    def picture(self) -> str:
        """The window as tmux captures it."""
        return self.company.tmux("capture-pane", "-p", "-e", "-t", self.pane)

    def shows(self, shown: Shown) -> Look:
        """Wait until it shows that."""
        until(lambda: self.look().shown is shown, seconds=30, what=f"{shown} in\n{self.picture()}")
        return self.look()

    def type(self, keys: str) -> None:
        """What a person types there."""
        self.company.tmux("send-keys", "-l", "-t", self.pane, "--", keys)

    def tell(self, words: str, *, patience: Patience = PATIENCE, talk: dict[str, Any] | None = None) -> Receipts:
        """What `hc say` does, without a company around it."""
        screen = SCREENS["claude-code"]
        ear = Ear(self.order.run_dir, get_engine("claude-code"), screen, words)
        fields: dict[str, Any] = {"still_open": lambda: None, "heard": ear.heard, **(talk or {})}
        follow_up = TmuxFollowUp(self.company.workers.tmux, self.company.clock, patience)
        return follow_up.tell(Talk(run_dir=self.order.run_dir, screen=screen, **fields), words)


def open_window(company: TmuxCompany, **told: object) -> Window:
    """Start it; `told` are the fields of `tests.fakes.tui.Told`."""
    told_file = company.root / "told.json"
    told_file.write_text(json.dumps(told), encoding="utf-8")
    order = company.order(sys.executable, str(PROGRAM), str(told_file))
    environ = {**order.environ, "HC_RUN_DIR": str(order.run_dir), "LC_ALL": "C.UTF-8"}
    order = WorkerOrder(**{**{name: getattr(order, name) for name in order.__slots__}, "environ": environ})
    pane = company.workers.spawn(order)
    # Not before it is the engine's: the launcher names the engine in its fence once it runs.
    until(lambda: (company.workers.state(order.run_dir).engine_pid or 0) > 0, seconds=30, what="its start")
    return Window(company, order, pane, Path(f"{told_file}.log"))
