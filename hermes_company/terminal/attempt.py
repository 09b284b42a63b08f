"""Attempts, inside their window: start the engine once, stay until nothing of it is left, record how it ended."""

from __future__ import annotations

import os
import stat

from hermes_company.terminal import cgroup, processes, records
from hermes_company.terminal.engine_process import Refused, start
from hermes_company.terminal.screen import Screen, write
from hermes_company.terminal.standby import Standby
from hermes_company.terminal.tree import Tree, adopt_orphans, await_signals, be_stoppable

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
    be_stoppable()
    adopt_orphans()
    group = cgroup.enter()
    screen = Screen()
    try:
        while True:
            attempt = Attempt(run_dir, screen, group)
            status = attempt.run(stays=stays)
            following = attempt.standby.wait(attempt.order["standby_seconds"]) if attempt.standby else None
            if following is None:
                return status
            run_dir = following
            screen.renew()
    finally:
        if group:
            cgroup.leave(group)


class Attempt:
    """One attempt, from its start fence to its exit record."""

    def __init__(self, run_dir: str, screen: Screen, group: str | None) -> None:
        self._run_dir = run_dir
        self._screen = screen
        self._cgroup = group
        self.order = records.read(f"{run_dir}/{records.LAUNCH}")
        # Where the next attempt can be handed over, once this one has ended.
        self.standby: Standby | None = None

    def run(self, *, stays: bool) -> int:
        """Start the engine if nobody has, and return when its tree is gone and recorded."""
        env = self._take_environment()
        words = self._words()
        fence = self._fence()
        if env is None or not records.create(f"{self._run_dir}/{records.FENCE}", records.encode(fence)):
            return self._tell(Refused("already-started", self._run_dir, STARTED_BEFORE))
        await_signals()
        engine = start(words, env, os.fsencode(self.order["workdir"]))
        status = self._attend(engine, fence, stays)
        be_stoppable()
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

    def _fence(self) -> dict[str, Any]:
        me = processes.look_up(os.getpid())
        return {
            "pid": os.getpid(),
            "start": me.start if me else None,
            "boot": processes.boot_id(),
            "awake": processes.awake(),
            "engine": None,
            "pane": os.environ.get("TMUX_PANE"),
            "cgroup": self._cgroup,
        }

    def _attend(self, engine: int | Refused, fence: dict[str, Any], stays: bool) -> int:
        end = self._refuse(engine) if isinstance(engine, Refused) else self._watch(engine, fence)
        if stays and end["stopped_by"] != "HUP":
            self._stand_by()
        # Last: who reads it may hand the next attempt over at once.
        records.write(f"{self._run_dir}/{records.EXIT}", records.encode({**end, "awake": processes.awake()}))
        _ring(self.order["doorbell"])
        return int(end["code"]) if end["signal"] is None else 128 + int(end["signal"])

    def _watch(self, engine: int, fence: dict[str, Any]) -> dict[str, Any]:
        """Stay until nothing is left of the engine's tree. Returns how it ended."""
        self._screen.give_to(engine)
        self._name(engine, fence)
        tree = Tree(engine)
        tree.wait()
        code = os.waitstatus_to_exitcode(tree.end(self.order["grace"]))
        self._screen.take_back()
        return {
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "stopped_by": tree.stopped_by.name.removeprefix("SIG") if tree.stopped_by else None,
            "refusal": None,
            "detail": None,
        }

    def _name(self, engine: int, fence: dict[str, Any]) -> None:
        try:
            records.write(f"{self._run_dir}/{records.FENCE}", records.encode({**fence, "engine": engine}))
        except OSError:
            return  # a full disk: the engine runs all the same, only nobody can read its number

    def _refuse(self, refused: Refused) -> dict[str, Any]:
        self._tell(refused)
        return {
            "code": refused.status,
            "signal": None,
            "stopped_by": None,
            "refusal": refused.code,
            "detail": refused.detail,
        }

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
