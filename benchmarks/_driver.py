"""Peers that are Python: each in a process of its own, asked over a pipe."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import _peers

_HERE = Path(__file__).parent
# Their workers begin as our engine does; only the names of what they are told differ.
_HERMES_JOB = '#!/bin/sh\nHC_TICKET=$HERMES_KANBAN_TASK HC_OUTBOX=$HERMES_KANBAN_WORKSPACE\n. "{job}"\n'
_HUEY_WORKERS = ["-w", "8", "-k", "process", "-q"]


@dataclass(slots=True)
class Driver:
    """A running peer."""

    process: subprocess.Popen[str]
    # Its own folder.
    home: Path

    def ask(self, verb: str, *words: object) -> Any:
        """Let it do something; its answer."""
        self.tell(verb, *words)
        return self.answer()

    def tell(self, verb: str, *words: object) -> None:
        """Let it do something."""
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, [verb, *words])) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Wait for its answer."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args!r} ended")
        return json.loads(line)


@contextmanager
def hermes(home: Path, environ: Mapping[str, str], job: Path) -> Iterator[Driver]:
    """hermes-agent's kanban with a database of its own.

    Raises:
        Unavailable: it cannot be installed.
    """
    home.mkdir()
    program = home / "worker"
    program.write_text(_HERMES_JOB.format(job=job))
    program.chmod(0o755)
    own = {"HERMES_HOME": str(home), "HOME": str(home), "HERMES_BIN": str(program)}
    with _driver("_hermes.py", home, {**environ, **own}) as driver:
        yield driver


@contextmanager
def huey(home: Path, environ: Mapping[str, str], job: Path) -> Iterator[Driver]:
    """huey over SQLite with eight worker processes.

    Raises:
        Unavailable: it cannot be installed.
    """
    home.mkdir()
    own = {**environ, "HUEY_FILE": str(home / "huey.db"), "HUEY_JOB": str(job), "PYTHONPATH": str(_HERE)}
    words = [_peers.python(), "-m", "huey.bin.huey_consumer", "_huey.huey", *_HUEY_WORKERS]
    with subprocess.Popen(words, env=own, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as working:
        try:
            with _driver("_huey.py", home, own) as driver:
                yield driver
        finally:
            working.terminate()


@contextmanager
def _driver(script: str, home: Path, environ: Mapping[str, str]) -> Iterator[Driver]:
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            [_peers.python(), str(_HERE / script)],
            env=dict(environ),
            cwd=home,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    with process:
        try:
            yield Driver(process, home)
        finally:
            process.kill()
