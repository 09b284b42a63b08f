"""What the orchestrator writes into an attempt's folder for the launcher, and what it reads there afterwards."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_company.errors import Refusal
from hermes_company.ports.workers import WorkerOrder
from hermes_company.terminal import processes, records
from hermes_company.wording import Lang, Text, say

LAUNCH_SCRIPT = "launch.sh"
PANE_LOG = "pane.log"
_LAUNCHER = Path(__file__).with_name("launcher.py")
_OURS = frozenset(
    {
        records.LAUNCH,
        records.ENVIRONMENT,
        records.PROMPT,
        records.FENCE,
        records.STANDBY,
        records.EXIT,
        LAUNCH_SCRIPT,
        PANE_LOG,
    }
)
# An idle agent costs one sleeping interpreter that long; after that its window is as dead as it looks.
_STANDBY_SECONDS = 900.0
_TERMINAL_TYPE = "tmux-256color"


@dataclass(frozen=True, slots=True)
class Fence:
    """`started.json`: which process may start the engine. Without a pid nobody may any more."""

    pid: int | None = None
    start: str = ""
    boot: str = ""
    awake: float | None = None
    engine: int | None = None
    pane: str | None = None
    cgroup: str | None = None
    damaged: bool = False

    @property
    def launcher_alive(self) -> bool:
        """Whether the launcher that won this fence still runs."""
        return self.pid is not None and processes.is_alive(self.pid, self.start, self.boot)


@dataclass(frozen=True, slots=True)
class Exit:
    """`exit.json`: how the engine ended, written when nothing of its tree was left."""

    code: int | None = None
    signal: int | None = None
    stopped_by: str | None = None
    refusal: str | None = None
    detail: str | None = None


class RunFolder:
    """One attempt's folder, `.hc/runs/<ticket>/<attempt>`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def tag(self) -> str:
        """Names the attempt for people, `<ticket>/<attempt>`."""
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def script(self) -> Path:
        """Starts the attempt; running it twice starts it once."""
        return self.path / LAUNCH_SCRIPT

    def write(self, order: WorkerOrder, *, doorbell: Path, lang: Lang) -> None:
        """Lay down all that the launcher needs. Only our own user can read it.

        Raises:
            Refusal: `launch-unusable`: the engine describes a process that no system can start.
            OSError: the folder cannot be written.
        """
        _check(order)
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)
        for name, text in order.launch.files.items():
            self._put(name, text.encode(), 0o700 if name.endswith(".sh") else 0o600)
        self._put(records.LAUNCH, _encode(self._launch(order, doorbell, lang)))
        # The marker comes last: what finds the attempt's processes must not depend on what an agent's profile passes on.
        environ = {"TERM": _TERMINAL_TYPE, **order.environ, processes.MARKER: order.token}
        self._put(records.ENVIRONMENT, _encode(environ))
        self._put(LAUNCH_SCRIPT, _script(self.path), 0o700)

    def forget_environment(self) -> None:
        """Delete the environment of a start that did not happen."""
        (self.path / records.ENVIRONMENT).unlink(missing_ok=True)

    def fence(self) -> Fence | None:
        """The start fence; None as long as nobody has won it."""
        record = self._read(records.FENCE)
        return None if record is None else Fence(damaged=not record, **_known(Fence, record))

    def exit(self) -> Exit | None:
        """How it ended; None as long as that is not recorded, or not readably."""
        record = self._read(records.EXIT)
        return Exit(**_known(Exit, record)) if record else None

    def bar(self) -> bool:
        """Win the fence so that no launcher ever starts this attempt. False when one has won it before."""
        return records.create(str(self.path / records.FENCE), records.encode({"pid": None}))

    def grace(self) -> float:
        """Seconds between TERM and KILL that the attempt was started with."""
        record = self._read(records.LAUNCH) or {}
        grace = record.get("grace")
        return float(grace) if isinstance(grace, int | float) else 0.0

    def output(self) -> str | None:
        """What was kept of the window's text; None as long as nothing was."""
        try:
            return (self.path / PANE_LOG).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return None

    def keep_output(self, text: str) -> None:
        """Keep the window's text for when the window is gone."""
        self._put(PANE_LOG, text.encode())

    def _launch(self, order: WorkerOrder, doorbell: Path, lang: Lang) -> dict[str, Any]:
        return {
            "argv": list(order.launch.argv),
            "prompt_as_argument": order.launch.prompt_as_argument,
            "workdir": str(order.workdir),
            "token": order.token,
            "grace": order.stop_grace_seconds,
            "standby_seconds": _STANDBY_SECONDS,
            "doorbell": str(doorbell),
            "sentences": {code: sentence.in_lang(lang) for code, sentence in self._sentences().items()},
        }

    def _sentences(self) -> dict[str, Text]:
        """What the launcher says in the window, by code. It fills `{detail}` in."""
        detail = "{detail}"
        return {
            "already-started": say("This attempt was started before, nothing was started now: {detail}", detail=detail),
            "workdir-missing": say("The working directory cannot be entered, nothing was started: {detail}", detail=detail),
            "program-missing": say("The engine's program is not there, nothing was started: {detail}", detail=detail),
            "program-unusable": say("The engine's program cannot be executed, nothing was started: {detail}", detail=detail),
            "stands-by": say("{run} has ended; this window waits for the agent's next ticket", run=self.tag),
        }

    def _put(self, name: str, data: bytes, mode: int = 0o600) -> None:
        records.write(str(self.path / name), data, mode)

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            return records.read(str(self.path / name))
        except FileNotFoundError:
            return None
        except ValueError:
            return {}


def _encode(record: dict[str, Any]) -> bytes:
    # Bytes of a path that are no UTF-8 are surrogates in a string; JSON readers take them as they are.
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def _known(kind: type[Any], record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name in kind.__dataclass_fields__}


def _script(run_dir: Path) -> bytes:
    words = (sys.executable, "-I", "-S", str(_LAUNCHER), str(run_dir))
    command = " ".join(shlex.quote(word) for word in words)
    comment = "# Starts this attempt's engine. A start fence lets it happen once."
    return os.fsencode(f'#!/bin/sh\n{comment}\nexec {command} "$@"\n')


def _check(order: WorkerOrder) -> None:
    launch = order.launch
    words = [*launch.argv, str(order.workdir), *order.environ, *order.environ.values()]
    if not launch.argv or any("\0" in word for word in words):
        raise _unusable(say("a word of the command or of its environment holds a NUL byte, or there is no command"))
    for name in order.environ:
        if not name or "=" in name:
            raise _unusable(say("{name} cannot name an environment variable", name=repr(name)))
    for name in launch.files:
        if name in _OURS or Path(name).name != name:
            raise _unusable(say("{name} cannot name a launch file", name=repr(name)))


def _unusable(what: Text) -> Refusal:
    return Refusal(
        "launch-unusable",
        fact=say("The engine cannot be started as described: {what}.", what=what),
        cause=say("The system would start something else, or nothing."),
        remedy=say("Correct the agent's `args` and `env` in its profile.json, or the engine."),
    )
