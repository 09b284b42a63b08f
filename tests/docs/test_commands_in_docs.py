"""The commands in the documentation are run as a reader would run them, in order, in one fresh folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```console(?P<background> background)?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = 120.0


@dataclass
class Reader:
    """Somebody at a terminal: one folder, one environment, and what runs in a second terminal."""

    folder: Path
    environ: dict[str, str]
    background: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run one command; `cd` is remembered."""
        script = f"{command}\nstatus=$?\npwd > {self.folder.parent / 'where'}\nexit $status"
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environ, text=True, capture_output=True)
        self.folder = Path((self.folder.parent / "where").read_text().strip()) if done.returncode == 0 else self.folder
        return done

    def run_until_it_works(self, command: str) -> None:
        """What a reader is told to ask again is asked again; anything else must work at once."""
        deadline = time.monotonic() + _SECONDS
        done = self.run(command)
        while command.startswith("hc review show") and "In review" not in done.stdout and time.monotonic() < deadline:
            done = self.run(command)
        assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"

    def start(self, command: str) -> None:
        """Start a command in the second terminal."""
        self.background.append(
            subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self.folder, env=self.environ, stdout=subprocess.DEVNULL)
        )


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """A reader with an empty home and a tmux server of their own; all that they started is ended."""
    home = tmp_path / "home"
    work = tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    sockets = Path("/tmp") / f"hc-docs-{os.getpid()}"
    sockets.mkdir(mode=0o700, exist_ok=True)
    environ = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "TMUX_TMPDIR": str(sockets)}
    someone = Reader(work, environ)
    try:
        yield someone
    finally:
        for process in someone.background:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=_SECONDS)
        for socket in sockets.rglob("hermes-*"):
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], env=environ, check=False, capture_output=True)
            socket.unlink(missing_ok=True)
        for folder in sorted(sockets.rglob("*"), reverse=True):
            folder.rmdir()
        sockets.rmdir()


PAGES = [page for page in sorted(DOCS.rglob("*.md")) if _BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(DOCS)) for page in PAGES])
def test_a_pages_commands_work_in_order(page: Path, reader: Reader) -> None:
    """Every `$ ` line of every console block does what the page needs it to do."""
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        for line in block["body"].splitlines():
            if line.startswith("$ "):
                if block["background"]:
                    reader.start(line[2:])
                else:
                    reader.run_until_it_works(line[2:])


def test_there_are_pages_with_commands() -> None:
    """A change of the blocks' form does not silently leave nothing to run."""
    assert DOCS / "tutorials" / "first-company.md" in PAGES
