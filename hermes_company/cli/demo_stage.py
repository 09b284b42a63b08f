"""What `hc demo` starts besides the story, and how all of it ends: the loop's process, the agents, the tmux server."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hermes_company.domain.run import Attempt
from hermes_company.ports.workers import EndProgress
from hermes_company.wording import Lang

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_END_SECONDS = 15.0
_LOOK_SECONDS = 0.05
_LAST_BYTES = 2_000


class Loop:
    """`hc run` as a process of its own, as a person would have it in another terminal."""

    def __init__(self, company: Company, lang: Lang) -> None:
        self._output = company.layout.private / "demo.out"
        # The same interpreter: the demo is to show this hc, whatever else is on PATH. -P: no file of the
        # folder that the person stands in is taken for a module.
        python = (sys.executable, "-P", "-m", "hermes_company")
        words = [*python, "run", "--plain", "--lang", lang, "--root", str(company.layout.root)]
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                words,
                env=dict(company.environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for the demo, which then ends this one itself.
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def last_words(self) -> str:
        """The end of what it printed."""
        return self._output.read_bytes()[-_LAST_BYTES:].decode("utf-8", "replace").strip()


def end_tmux(company: Company) -> None:
    """End what agents are still at, prove it, and end the company's tmux server."""
    deadline = time.monotonic() + _END_SECONDS
    for run in company.runs.opened():
        folder = company.runs.folder(run.ticket, run.number)
        while isinstance(run, Attempt) and time.monotonic() < deadline:
            if company.workers.end(folder, run.token) is EndProgress.ENDED:
                break
            time.sleep(_LOOK_SECONDS)
    words = company.workers.attach_command(None)
    end = (*words[: words.index("attach")], "display-message", "-p", "#{socket_path}", ";", "kill-server")
    with suppress(FileNotFoundError):  # no tmux at all: nothing of it runs
        told = subprocess.run(end, env=dict(company.environ), capture_output=True, text=True, check=False)
        # tmux leaves the socket of a server that was killed lying there.
        if told.returncode == 0:
            Path(told.stdout.strip()).unlink(missing_ok=True)
