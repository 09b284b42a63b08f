"""A company on a whole machine: real tmux, git, a home of its own; attempts that a real loop starts."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hermes_company.domain.run import Attempt
from hermes_company.folders.run_files import RunFiles
from hermes_company.terminal import processes
from hermes_company.terminal.run_folder import Fence, RunFolder
from tests.support.companies import new_company
from tests.support.person import Person
from tests.support.tmux import until


@contextmanager
def whole_machine(folder: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Person]:
    """Somebody in a company in which everything is well, with one agent, `worker`. What they started is ended afterwards."""
    # Not below the test's folder: the path of a socket is limited to 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    home = folder / "home"
    home.mkdir()
    new_company(folder / "acme")
    person = Person(folder / "acme", capsys, {"PATH": os.environ["PATH"], "HOME": str(home), "TMUX_TMPDIR": str(sockets)})
    settings = person.layout.settings_file.read_text(encoding="utf-8")
    own = settings.replace("socket: hermes-acme", f"socket: hc-{uuid.uuid4().hex[:12]}")
    person.layout.settings_file.write_text(own, encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=person.here, env=person.environ, check=True)
    person.ok("agent", "add", "worker", "--engine", "shell")
    try:
        yield person
    finally:
        _end_all(person, sockets)
        shutil.rmtree(sockets)


def _end_all(person: Person, sockets: Path) -> None:
    """Every tmux server of this machine, and every process of its attempts."""
    ours = {run.token for run in attempts(person)}
    left = {pid for token, pids in processes.carried().items() if token in ours for pid in pids}
    servers = {int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _is_server(entry, sockets)}
    for pid in left | servers:
        processes.send(pid, signal.SIGKILL)
    until(lambda: not [pid for pid in left | servers if alive([pid])], what="the end of what the test started")


def _is_server(process: Path, sockets: Path) -> bool:
    if not processes.program(int(process.name)).startswith("tmux"):
        return False
    try:
        return f"TMUX_TMPDIR={sockets}".encode() in (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def tmux(person: Person, *words: str) -> str:
    """Ask the company's server something, past the code that is tested."""
    socket = next(line.split()[1] for line in person.layout.settings_file.read_text().splitlines() if "socket:" in line)
    done = subprocess.run(["tmux", "-L", socket, *words], env=person.environ, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip()


def attempts(person: Person) -> list[Attempt]:
    """Every attempt of the company, in the order of their starts."""
    runs = RunFiles(person.layout)
    folders = person.layout.runs.iterdir() if person.layout.runs.is_dir() else ()
    return sorted((run for folder in folders for run in runs.history(folder.name)), key=lambda run: run.taken_at)


def start(person: Person, script: str, agent: str = "worker") -> Attempt:
    """A ticket whose block has begun; a real `hc run --once` started it."""
    person.ok("task", "new", "work", "--owner", agent, "--file", "-", stdin=f"```sh\ntouch begun\n{script}\n```\n")
    person.ok("run", "--once", "--plain")
    run = attempts(person)[-1]
    until(lambda: (Path(run.outbox) / "begun").exists(), what="the block")
    return run


def run_folder(person: Person, run: Attempt) -> RunFolder:
    """Where the launcher keeps its records."""
    return RunFolder(person.layout.run(run.ticket, run.number))


def fence(person: Person, run: Attempt) -> Fence:
    """Who started it."""
    found = run_folder(person, run).fence()
    assert found
    return found


def alive(pids: list[int]) -> list[int]:
    """Those that still run."""
    return [pid for pid in pids if (process := processes.look_up(pid)) and not process.zombie]


def in_namespace(person: Person, script: str) -> str:
    """What a shell script prints, run as root of a user and mount namespace of its own, in the company's folder.

    It has `hc`, `$COMPANY`, and `small OPTIONS`, which puts the company on a disk of its own.
    """
    enter = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody make user and mount namespaces, so no disk can be made small, full or read-only")
    done = subprocess.run(
        [*enter, "sh", "-uc", f"{_SHELL}\n{script}"],
        cwd=person.here,
        env={
            **person.environ,
            "COMPANY": str(person.here),
            "PYTHON": sys.executable,
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    return done.stdout + done.stderr


_SHELL = """
mount -t proc proc /proc
hc() { "$PYTHON" -m hermes_company "$@"; }
small() {
  disk=$(mktemp -d)
  mount -t tmpfs -o "$1" tmpfs "$disk"
  cp -a "$COMPANY/." "$disk"
  mount --move "$disk" "$COMPANY"
  rmdir "$disk"
  cd "$COMPANY"
}
"""
