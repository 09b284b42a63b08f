"""Other programs that do such work, installed on demand below `.tools/bench`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_HOME = Path(__file__).parents[1] / ".tools" / "bench"
_PYTHON_PEERS = ("hermes-agent", "huey")


class Unavailable(Exception):
    """A peer that cannot be had here; the message says why."""


@cache
def debian(program: str, package: str) -> str:
    """The path of a program: the installed one, else unpacked from its Debian package; nothing is installed.

    Raises:
        Unavailable: it is not there and cannot be fetched.
    """
    found = shutil.which(program)
    if found:
        return found
    folder = _HOME / package
    path = folder / "usr" / "bin" / program
    if not path.exists():
        if not shutil.which("apt-get"):
            raise Unavailable(f"`{program}` is not installed, and this is no Debian")
        folder.mkdir(parents=True, exist_ok=True)
        _run(["apt-get", "download", "-qq", package], folder)
        _run(["dpkg-deb", "-x", str(next(folder.glob("*.deb"))), str(folder)], folder)
    return str(path)


@cache
def python() -> str:
    """A Python with the peers that come from PyPI.

    Raises:
        Unavailable: they cannot be installed.
    """
    folder = _HOME / "python"
    path, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.exists():
        _HOME.mkdir(parents=True, exist_ok=True)
        _run([sys.executable, "-m", "venv", str(folder)], _HOME)
        _run([str(path), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *_PYTHON_PEERS], _HOME)
        ready.touch()
    return str(path)


def versions() -> dict[str, str]:
    """Name → version of every peer that is there."""
    found = {}
    for program, package, words in (("tsp", "task-spooler", ["-V"]), ("nq", "nq", [])):
        try:
            path = debian(program, package)
        except Unavailable:
            continue
        done = subprocess.run([path, *words], capture_output=True, text=True) if words else None
        found[package] = done.stdout.split("-")[0].split("v")[-1].strip() if done else _debian_version(package)
    try:
        show = f"from importlib.metadata import version; print(*map(version, {_PYTHON_PEERS!r}))"
        done = subprocess.run([python(), "-c", show], capture_output=True, text=True, check=True)
        found |= dict(zip(_PYTHON_PEERS, done.stdout.split(), strict=True))
    except (Unavailable, subprocess.CalledProcessError):
        pass
    return found


def _debian_version(package: str) -> str:
    done = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True)
    return next((line.split()[-1] for line in done.stdout.splitlines() if "Candidate" in line), "unknown")


def _run(words: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Unavailable(str(problem)) from None
    if done.returncode:
        raise Unavailable((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
