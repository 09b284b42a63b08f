"""One attempt, inside its window: start the engine once, stay until nothing of it is left, record how it ended."""

from __future__ import annotations

import os
import stat
import termios

from hermes_company.terminal import cgroup, processes, records
from hermes_company.terminal.engine_process import Command, EngineProcess, Refused, to_foreground
from hermes_company.terminal.tree import Tree, adopt_orphans, await_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STARTED_BEFORE = 97
# Linux passes at most 128 KiB in one word of a command line.
LONGEST_PROMPT_WORD = 100_000


def run(run_dir: str) -> int:
    """Start the attempt that `run_dir` describes and return when its process tree is gone.

    Returns:
        The status to exit with: the engine's, 128 + its signal, or the one of what stood in the way.

    Raises:
        OSError, ValueError: the folder does not describe an attempt; nothing was started and no record was made.
    """
    order = records.read(f"{run_dir}/{records.LAUNCH}")
    started_before = Refused("already-started", run_dir, STARTED_BEFORE)
    env = _take_environment(run_dir)
    if env is None:
        return _tell(order, started_before)
    await_signals()
    adopt_orphans()
    group = cgroup.make(f"{order['token']}-{os.getpid()}")
    engine = EngineProcess(Command(_words(order, run_dir), env, os.fsencode(order["workdir"]), group))
    if records.create(f"{run_dir}/{records.FENCE}", records.encode(_fence(engine.pid, group))):
        return _attend(order, run_dir, engine, group)
    engine.abandon()
    if group:
        cgroup.remove(group)
    return _tell(order, started_before)


def _take_environment(run_dir: str) -> dict[bytes, bytes] | None:
    """The engine's environment, which is deleted at once; None when another launcher took it."""
    path = f"{run_dir}/{records.ENVIRONMENT}"
    try:
        env = records.read(path)
        os.unlink(path)  # noqa: PTH108
    except FileNotFoundError:
        return None
    return {os.fsencode(name): os.fsencode(value) for name, value in env.items()}


def _words(order: dict[str, Any], run_dir: str) -> list[bytes]:
    """The engine's command line. The prompt is its last word, byte for byte; only NUL cannot be in a word."""
    words = [os.fsencode(word) for word in order["argv"]]
    if order["prompt_as_argument"]:
        prompt_file = f"{run_dir}/{records.PROMPT}"
        prompt = records.read_bytes(prompt_file).replace(b"\0", b"")
        if len(prompt) > LONGEST_PROMPT_WORD:
            prompt = b"Read the whole file " + os.fsencode(prompt_file) + b" now and carry out what it says."
        words.append(prompt)
    return words


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


def _attend(order: dict[str, Any], run_dir: str, engine: EngineProcess, group: str | None) -> int:
    terminal = termios.tcgetattr(0) if os.isatty(0) else None
    tree = Tree(engine.pid)
    engine.release()
    tree.wait()
    tree.end(order["grace"])
    # A killed full-screen program leaves the terminal raw and in the hands of a group that is gone.
    to_foreground(os.getpgrp())
    if terminal and os.isatty(0):
        termios.tcsetattr(0, termios.TCSANOW, terminal)
    if group:
        cgroup.remove(group)
    refused = engine.refused()
    if refused:
        _tell(order, refused)
    code = os.waitstatus_to_exitcode(tree.status or 0)
    records.write(f"{run_dir}/{records.EXIT}", records.encode(_exit(code, tree, refused)))
    _ring(order["doorbell"])
    return code if code >= 0 else 128 - code


def _exit(code: int, tree: Tree, refused: Refused | None) -> dict[str, Any]:
    return {
        "code": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "stopped_by": tree.stopped_by.name.removeprefix("SIG") if tree.stopped_by else None,
        "refusal": refused.code if refused else None,
        "detail": refused.detail if refused else None,
        "boottime": processes.boottime(),
    }


def _tell(order: dict[str, Any], refused: Refused) -> int:
    """Say in the window why nothing was started; the order brings the sentences in the company's language."""
    sentence = order["sentences"][refused.code].replace("{detail}", refused.detail)
    try:
        os.write(2, sentence.encode(errors="replace") + b"\n")
    except OSError:
        # The window is gone; the exit record says it as well.
        return refused.status
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
