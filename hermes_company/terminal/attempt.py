"""Attempts, inside their window: start the engine once, stay until nothing of it is left, record how it ended."""

from __future__ import annotations

import os
import signal
import stat

from hermes_company.terminal import cgroup, processes, records
from hermes_company.terminal.engine_process import Command, EngineProcess, Refused
from hermes_company.terminal.screen import Screen, write
from hermes_company.terminal.standby import Standby
from hermes_company.terminal.tree import Tree, adopt_orphans, await_signals, let_signals_through

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STARTED_BEFORE = 97
# Linux passes at most 128 KiB in one word of a command line.
LONGEST_PROMPT_WORD = 100_000


def run_all(run_dir: str, *, stays: bool) -> int:
    """Run the attempt that `run_dir` describes; with `stays`, go on with each one that is handed over in time.

    Returns:
        The status to exit with: the last engine's, 128 + its signal, or the one of what stood in the way.

    Raises:
        OSError, ValueError: a folder does not describe an attempt; nothing was started and no record was made.
    """
    adopt_orphans()
    screen = Screen()
    while True:
        attempt = Attempt(run_dir, screen)
        status = attempt.run(stays=stays)
        following = attempt.standby.wait(attempt.order["standby_seconds"]) if attempt.standby else None
        if following is None:
            return status
        run_dir = following
        screen.renew()


class Attempt:
    """One attempt, from its start fence to its exit record."""

    def __init__(self, run_dir: str, screen: Screen) -> None:
        self._run_dir = run_dir
        self._screen = screen
        self.order = records.read(f"{run_dir}/{records.LAUNCH}")
        # Where the next attempt can be handed over, once this one has ended.
        self.standby: Standby | None = None

    def run(self, *, stays: bool) -> int:
        """Start the engine if nobody has, and return when its tree is gone and recorded."""
        env = self._take_environment()
        if env is None:
            return self._tell(Refused("already-started", self._run_dir, STARTED_BEFORE))
        await_signals()
        group = cgroup.make(f"{self.order['token']}-{os.getpid()}")
        engine = EngineProcess(Command(self._words(), env, os.fsencode(self.order["workdir"]), group))
        first = records.create(f"{self._run_dir}/{records.FENCE}", records.encode(_fence(engine.pid, group)))
        if first:
            status = self._attend(engine, stays)
        else:
            engine.abandon()
            status = self._tell(Refused("already-started", self._run_dir, STARTED_BEFORE))
        if group:
            cgroup.remove(group)
        let_signals_through()
        return status

    def _take_environment(self) -> dict[bytes, bytes] | None:
        """The engine's environment, which is deleted at once; None when another launcher took it."""
        path = f"{self._run_dir}/{records.ENVIRONMENT}"
        try:
            env = records.read(path)
            os.unlink(path)  # noqa: PTH108
        except FileNotFoundError:
            return None
        return {os.fsencode(name): os.fsencode(value) for name, value in env.items()}

    def _words(self) -> list[bytes]:
        """The engine's command line. The prompt is its last word, byte for byte; only NUL cannot be in a word."""
        words = [os.fsencode(word) for word in self.order["argv"]]
        if self.order["prompt_as_argument"]:
            prompt_file = f"{self._run_dir}/{records.PROMPT}"
            prompt = records.read_bytes(prompt_file).replace(b"\0", b"")
            if len(prompt) > LONGEST_PROMPT_WORD:
                prompt = b"Read the whole file " + os.fsencode(prompt_file) + b" now and carry out what it says."
            words.append(prompt)
        return words

    def _attend(self, engine: EngineProcess, stays: bool) -> int:
        tree = Tree(engine.pid)
        engine.release()
        tree.wait()
        tree.end(self.order["grace"])
        self._screen.take_back()
        refused = engine.refused()
        if refused:
            self._tell(refused)
        if stays and tree.stopped_by is not signal.SIGHUP:
            self._stand_by()
        code = os.waitstatus_to_exitcode(tree.status or 0)
        # Last: who reads it may hand the next attempt over at once.
        records.write(f"{self._run_dir}/{records.EXIT}", records.encode(_exit(code, tree, refused)))
        _ring(self.order["doorbell"])
        return code if code >= 0 else 128 - code

    def _stand_by(self) -> None:
        try:
            self.standby = Standby(self._run_dir)
        except OSError:
            return  # a file system without FIFOs: the next attempt gets a launcher of its own
        self._screen.foot(self.order["sentences"]["stands-by"])

    def _tell(self, refused: Refused) -> int:
        """Say in the window why nothing was started; the order brings the sentences in the company's language."""
        sentence: str = self.order["sentences"][refused.code]
        write(sentence.replace("{detail}", refused.detail).encode(errors="replace") + b"\n")
        return refused.status


def _fence(engine: int, group: str | None) -> dict[str, Any]:
    pid = os.getpid()
    me = processes.look_up(pid)
    return {
        "pid": pid,
        "start": me.start if me else None,
        "boot": processes.boot_id(),
        "boottime": processes.boottime(),
        "engine": engine,
        "pane": os.environ.get("TMUX_PANE"),
        "cgroup": group,
    }


def _exit(code: int, tree: Tree, refused: Refused | None) -> dict[str, Any]:
    return {
        "code": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "stopped_by": tree.stopped_by.name.removeprefix("SIG") if tree.stopped_by else None,
        "refusal": refused.code if refused else None,
        "detail": refused.detail if refused else None,
        "boottime": processes.boottime(),
    }


def _ring(doorbell: str) -> None:
    """Wake whoever listens at the FIFO. That nobody does is fine: the exit record is the truth."""
    try:
        descriptor = os.open(doorbell, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            os.write(descriptor, b"\n")
    except BlockingIOError:
        pass  # it is full of rings already
    finally:
        os.close(descriptor)
