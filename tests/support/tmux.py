"""A company's real tmux server for one test: a socket of its own, reaped so that nothing is left and no failure is hidden."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.domain.settings import TmuxSettings
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.engine import Launch
from hermes_company.ports.workers import EndProgress, WorkerOrder
from hermes_company.terminal import cgroup, processes
from hermes_company.terminal.run_folder import RunFolder
from hermes_company.terminal.workers import TmuxWorkers
from hermes_company.wording import Lang

GRACE = 0.4
T = TypeVar("T")
_numbers = itertools.count(1)


def until(condition: Callable[[], T], seconds: float = 60.0, what: str = "") -> T:
    """Ask again and again until the answer is true, and return it. Fails when that takes longer than `seconds`."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what or condition}")
        time.sleep(0.01)
    return answer


@dataclass(slots=True)
class TmuxCompany:
    """Workers on a private tmux server, and what a test does with them."""

    root: Path
    socket: str
    environ: dict[str, str]
    company: str = "company-a"
    lang: Lang = "en"
    clock: SystemClock = field(default_factory=SystemClock)
    tokens: list[str] = field(default_factory=list)
    workers: TmuxWorkers = field(init=False)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / "work").mkdir(exist_ok=True)
        (self.root / "company.log").touch()
        self.workers = self.new_workers()

    def new_workers(self, environ: Mapping[str, str] | None = None) -> TmuxWorkers:
        """Workers that know nothing, as those of an orchestrator that was just started."""
        return TmuxWorkers(
            TmuxSettings(socket=self.socket),
            company=self.company,
            config=self.root / "tmux.conf",
            log=self.root / "company.log",
            doorbell=self.root / "doorbell",
            clock=self.clock,
            environ=self.environ if environ is None else environ,
            lang=self.lang,
        )

    def order(
        self,
        *argv: str,
        ticket: str = "TASK-1",
        attempt: int = 1,
        window: str = "agent_ann",
        prompt: bytes | None = None,
        **changes: object,
    ) -> WorkerOrder:
        """An order to start `argv` in the company's work folder; with a prompt, that becomes the last word."""
        run_dir = self.root / "runs" / ticket / str(attempt)
        run_dir.mkdir(parents=True, exist_ok=True)
        if prompt is not None:
            (run_dir / "prompt.md").write_bytes(prompt)
        token = f"hc-{uuid.uuid4().hex}"
        self.tokens.append(token)
        fields: dict[str, object] = {
            "run_dir": run_dir,
            "window": window,
            "token": token,
            "workdir": self.root / "work",
            "launch": Launch(argv=argv, prompt_as_argument=prompt is not None),
            "environ": {"PATH": os.defpath},
            "stop_grace_seconds": GRACE,
        }
        return WorkerOrder(**{**fields, **changes})  # type: ignore[arg-type]

    def sh(self, script: str, **changes: object) -> WorkerOrder:
        """An order to start a shell script."""
        return self.order("/bin/sh", "-c", script, **changes)  # type: ignore[arg-type]

    def phase(self, order: WorkerOrder, phase: WorkerPhase) -> WorkerState:
        """Wait until the attempt is in that phase; a running one until its fence has its last word, the engine's number."""

        def there() -> WorkerState | None:
            state = self.workers.state(order.run_dir)
            whole = state.phase is not WorkerPhase.RUNNING or state.engine_pid is not None
            return state if state.phase is phase and whole else None

        return until(there, what=f"{phase} of {order.run_dir}")  # type: ignore[return-value]

    def ended(self, order: WorkerOrder) -> WorkerState:
        """Start it and wait for its exit record."""
        self.workers.spawn(order)
        return self.phase(order, WorkerPhase.EXITED)

    def end(self, order: WorkerOrder) -> None:
        """End it step by step until that is proved."""
        until(lambda: self.workers.end(order.run_dir, order.token) is EndProgress.ENDED, what=f"end of {order.run_dir}")

    def tmux(self, *words: str) -> str:
        """Ask this server something, past the code that is tested."""
        done = subprocess.run(
            ["tmux", "-L", self.socket, "-u", *words], env=self.environ, capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr).strip()

    def windows(self) -> list[str]:
        """Names of the session's windows."""
        return self.tmux("list-windows", "-t", "=hermes:", "-F", "#{window_name}").splitlines()

    def reap(self) -> list[str]:
        """End the server and everything of this company.

        Returns:
            What had to be killed although the launchers should have ended it.
        """
        pid = self.tmux("display-message", "-p", "#{pid}")
        self.tmux("kill-server")
        if pid.isdigit():
            until(lambda: (server := processes.look_up(int(pid))) is None or server.zombie, what="end of the tmux server")
        deadline = time.monotonic() + 10 * GRACE
        while (left := self._left()) and time.monotonic() < deadline:
            time.sleep(0.02)
        for process in left:
            processes.send(process, signal.SIGKILL)
        for path in self.root.glob("runs/*/*/started.json"):
            fence = RunFolder(path.parent).fence()
            if fence and fence.cgroup:
                cgroup.remove(fence.cgroup)
        return [f"process {process} survived" for process in left]

    def _left(self) -> list[int]:
        return [pid for token in self.tokens for pid in processes.marked(token)]


@contextmanager
def tmux_company(root: Path, **fields: object) -> Iterator[TmuxCompany]:
    """A company with a private tmux server, gone afterwards. What survives it is an error of its own beside the test's."""
    # Not below the test's folder: the path of a socket is limited to 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    environ = {"PATH": os.environ["PATH"], "HOME": str(root), "TMUX_TMPDIR": str(sockets), "TERM": "xterm-256color"}
    made = {"socket": f"hc-test-{os.getpid()}-{next(_numbers)}", "environ": environ, **fields}
    company = TmuxCompany(root, **made)  # type: ignore[arg-type]
    try:
        yield company
    finally:
        survivors = company.reap()
        shutil.rmtree(sockets)
    assert not survivors, survivors
