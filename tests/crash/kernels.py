"""Real kernels over a real company, one forked process each, which die where they are told to.

Everything is imported once, so that a new kernel costs a fork and not an interpreter. Needs a process without threads.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import traceback
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from hermes_company.bootstrap import Company
from hermes_company.engines.shell import Shell
from hermes_company.errors import Refusal
from hermes_company.folders.company_lock import company_lock
from hermes_company.folders.leftovers import sweep
from hermes_company.folders.watch import waker
from hermes_company.kernel.daemon import Daemon
from hermes_company.kernel.loop import Kernel
from hermes_company.kernel.parts import Parts
from hermes_company.ports.engine import Job, Launch
from hermes_company.ports.workers import WorkerOrder
from hermes_company.terminal.run_folder import RunFolder
from hermes_company.terminal.workers import TmuxWorkers
from tests.fakes.crashing import Crashing, Plan

STRUCK, REFUSED, DISK_ERROR = 99, 75, 74
LOCKED, WORKING, FAILED = b"L", b"W", b"F"
# The kernel's calls that a plan counts.
_PORTS = ("board", "runs", "outbox", "events", "workers", "agents", "prompts")
# What changes the disk or starts a process, as the interpreter reports it.
_CHANGES = frozenset({"os.rename", "os.mkdir", "os.link", "os.remove", "subprocess.Popen"})
_FAILS = frozenset({"os.rename", "os.mkdir", "os.link"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Strike:
    """Where a kernel dies by its own hand, or what its disk refuses. The default is nowhere and nothing.

    Args:
        call: index of the call to a port that it exits at; -1 never.
        after: exit when that call has had its effect.
        change: index of the change to the disk that is struck, in the middle of whatever call makes it; -1 never.
        error: let that change fail with this errno instead of exiting.
        lasting: how many changes in a row fail.
    """

    call: int = -1
    after: bool = False
    change: int = -1
    error: int | None = None
    lasting: int = 1


class ShellJob(Shell):
    """An engine that is `sh` with the script that `engines.crash.command` names."""

    name = "crash"

    def start(self, job: Job) -> Launch:
        """See `Engine.start`."""
        return Launch(argv=("/bin/sh", job.settings.command), prompt_as_argument=False, pass_env=("CRASH_STARTS",))

    resume = start


class DirectWorkers(TmuxWorkers):
    """The real launcher in the real run folder, but in no window: a start costs no tmux, so that many can be had."""

    _launchers: list[subprocess.Popen[bytes]]

    def prepare(self) -> None:
        """There is nothing to make."""
        self._launchers = []

    def spawn(self, order: WorkerOrder) -> str:
        """See `Workers.spawn`."""
        run = RunFolder(order.run_dir)
        if run.fence() is None:
            run.write(order, doorbell=self._doorbell, lang="en")
            self._launchers = [launcher for launcher in self._launchers if launcher.poll() is None]
            self._launchers.append(
                subprocess.Popen(
                    ["/bin/sh", str(run.script)],
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
        return ""


class _Exit(Plan):
    """Strikes with the end of the process."""

    def _strike(self, name: str) -> NoReturn:
        os._exit(STRUCK)


@dataclass(slots=True)
class KernelProcess:
    """One forked kernel."""

    pid: int
    # What it says of itself: `LOCKED`, `WORKING` after each round, `FAILED` for each change that was refused.
    _words: int
    said: bytes = b""
    _status: int | None = None

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status is not None

    def says(self, word: bytes) -> bool:
        """Wait until it has said that. False when it ended before."""
        while word not in self.said:
            said = os.read(self._words, 4_096)
            if not said:
                return False
            self.said += said
        return True

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal; its exit status, or minus the signal that ended it."""
        if not self.over:
            os.kill(self.pid, number)
        return self.wait()

    def wait(self) -> int:
        """Its exit status, or minus the signal that ended it."""
        while chunk := os.read(self._words, 65_536):
            self.said += chunk
        os.close(self._words)
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status


def start_kernel(company: Company, *, tmux: bool, strike: Strike | None = None) -> KernelProcess:
    """Fork a process that runs the company until it is struck, killed or asked to stop."""
    words, say = os.pipe()
    pid = os.fork()
    if pid:
        os.close(say)
        return KernelProcess(pid, words)
    status = 1
    try:
        os.close(words)
        status = _run(Company(company.layout, company.environ), say, tmux, strike or Strike())
    finally:
        # Never back into the code of the process that was forked; what was raised is told all the same.
        if status == 1:
            traceback.print_exc()
        os._exit(status)


def _run(company: Company, say: int, tmux: bool, strike: Strike) -> int:
    logging.basicConfig(filename=company.layout.logs / "hc.log")
    try:
        with company_lock(company.layout, company.clock):
            _say(say, LOCKED)
            _strike_changes(strike, say)
            parts = _parts(company, tmux, strike)
            sweep(company.layout, company.clock)
            parts.workers.prepare()
            with waker(company.layout) as wakes:
                Daemon(Kernel(parts), wakes, company.catch_up, lambda: _say(say, WORKING)).run()
    except Refusal as refusal:
        return refusal.status
    except OSError:
        if strike.error is None:
            raise
        return DISK_ERROR
    return 0


def _say(words: int, word: bytes) -> None:
    os.write(words, word)


def _parts(company: Company, tmux: bool, strike: Strike) -> Parts:
    settings = company.settings
    workers = company.workers
    if not tmux:
        workers = DirectWorkers(
            settings.tmux,
            company="direct",
            config=company.layout.tmux_conf,
            log=company.layout.logs / "hc.log",
            doorbell=company.layout.doorbell,
            clock=company.clock,
            environ=company.environ,
        )
    company.__dict__["workers"] = workers
    parts = replace(company.parts, engines={"crash": ShellJob()})
    if strike.call < 0:
        return parts
    plan = _Exit(at=strike.call, after=strike.after)
    struck: dict[str, Any] = {name: Crashing(getattr(parts, name), plan) for name in _PORTS}
    return replace(parts, **struck)


def _strike_changes(strike: Strike, say: int) -> None:
    """Count what the interpreter is about to change on the disk, from within whatever call does it."""
    if strike.change < 0:
        return
    count = 0

    def hook(event: str, args: tuple[Any, ...]) -> None:
        nonlocal count
        if not _changes(event, args, _CHANGES if strike.error is None else _FAILS):
            return
        index, count = count, count + 1
        if strike.error is None and index == strike.change:
            os._exit(STRUCK)
        if strike.error is not None and strike.change <= index < strike.change + strike.lasting:
            _say(say, FAILED)
            raise OSError(strike.error, os.strerror(strike.error))

    sys.addaudithook(hook)


def _changes(event: str, args: tuple[Any, ...], events: frozenset[str]) -> bool:
    if event == "open":
        return isinstance(args[2], int) and bool(args[2] & os.O_CREAT)
    return event in events
