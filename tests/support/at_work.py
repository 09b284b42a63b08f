"""A person with a real tmux of their own: what runs a company, and all of it gone afterwards."""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.support.person import Person
from tests.support.tmux import until


@dataclass(slots=True)
class Terminal:
    """A process with a terminal of its own, of a given size."""

    process: subprocess.Popen[bytes]
    screen: int
    seen: bytes = b""

    def shows(self, text: str) -> bool:
        """Whether it has written that so far."""
        while select.select([self.screen], [], [], 0)[0]:
            try:
                more = os.read(self.screen, 65_536)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            self.seen += more
        return text in self.seen.decode("utf-8", "replace")


@dataclass(slots=True)
class AtWork:
    """Starts `hc` as processes of their own, on a tmux of its own."""

    person: Person
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *argv: str, cwd: Path | None = None, output: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """`hc …` in the background; its output is in pipes, or in that file."""
        process = subprocess.Popen(
            [sys.executable, "-m", "hermes_company", *argv],
            cwd=cwd or self.person.here,
            env=self.person.environ,
            stdin=subprocess.DEVNULL,
            stdout=output or subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.started.append(process)
        return process

    def terminal(self, *argv: str, columns: int = 80, rows: int = 24) -> Terminal:
        """`hc …` on a terminal of that size."""
        import fcntl
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        process = subprocess.Popen(
            [sys.executable, "-m", "hermes_company", *argv],
            cwd=self.person.here,
            env={**self.person.environ, "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.started.append(process)
        return Terminal(process, ours)

    def runs(self) -> subprocess.Popen[bytes]:
        """`hc run --plain` in the background, once it holds the company."""
        process = self.start("run", "--plain")
        until(lambda: self.person.layout.kernel_holder.exists() or process.poll() is not None, what="hc run")
        assert process.poll() is None, process.communicate()
        return process

    def tmux(self, *words: str) -> str:
        """Ask the company's tmux server."""
        command = ["tmux", "-L", "hermes-acme", "-u", *words]
        done = subprocess.run(command, env=self.person.environ, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip()

    def end(self, process: subprocess.Popen[bytes], number: int = signal.SIGINT) -> tuple[int, str, str]:
        """Send a signal, and what the process left: exit status, output, errors."""
        process.send_signal(number)
        out, err = process.communicate(timeout=90)
        return process.returncode, out.decode(), err.decode()


@contextmanager
def at_work(person: Person) -> Iterator[AtWork]:
    """What was started is ended, the tmux server too; no process that names the company's folder survives."""
    # Not below the test's folder: the path of a socket is limited to 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    person.environ |= {"PATH": os.environ["PATH"], "TMUX_TMPDIR": str(sockets)}
    person.environ["HOME"] = str(person.here.parent / "home")
    Path(person.environ["HOME"]).mkdir(exist_ok=True)
    work = AtWork(person)
    try:
        yield work
    finally:
        for process in work.started:
            if process.poll() is None:
                process.kill()
            process.communicate()
        until(lambda: _ended(work), what=f"the end of {left_behind(person.here)}")
        shutil.rmtree(sockets)


def _ended(work: AtWork) -> bool:
    # Asked for again and again: a server that its loop was just starting when it was killed does not listen yet.
    work.tmux("kill-server")
    return not left_behind(work.person.here)


def left_behind(folder: Path) -> list[str]:
    """Command lines of processes that name the folder."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if f"{folder}/" in line or line.endswith(str(folder))]
