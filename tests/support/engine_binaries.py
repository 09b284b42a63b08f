"""The real CLIs for tests, pinned and installed once into `.tools/engines/`.

`tests/engine_binaries/` pins `claude` and `codex`, `tests/guest_binaries/` pins `opencode` and `gemini`. The latter has no
lock file: what its two packages need is pinned by themselves, and a lock would need every system's programs at hand.
`python -m tests.support.engine_binaries` installs them all ahead of the tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

_REPOSITORY = Path(__file__).parents[2]
ENGINES = _REPOSITORY / "tests" / "engine_binaries"
GUESTS = _REPOSITORY / "tests" / "guest_binaries"
_LOCK = "package-lock.json"


class EngineBinariesMissing(Exception):
    """The real CLIs can't be had on this machine; the message says what to do."""


def installed(tools: Path = _REPOSITORY / ".tools", pinned: Path = ENGINES) -> Path:
    """The folder that holds the programs. Installs them below `tools` at the first call after their pins changed.

    Raises:
        EngineBinariesMissing: no Node.js, or the packages could not be fetched.
    """
    pins = b"".join(path.read_bytes() for path in _files(pinned))
    home = tools / "engines" / hashlib.sha256(pins).hexdigest()[:16]
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(home.with_suffix(".lock")):
            if not home.exists():
                _install(home, pinned)
    return home / "node_modules" / ".bin"


def _install(home: Path, pinned: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise EngineBinariesMissing(
            "These tests start real command line tools such as `claude` and `codex`, which npm brings. "
            "Install Node.js 20 or newer (https://nodejs.org; it comes with npm) and run them again."
        )
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for path in _files(pinned):
        shutil.copy(path, part)
    how = ["ci"] if (part / _LOCK).exists() else ["install", "--no-package-lock"]
    command = [npm, *how, "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=part, capture_output=True, text=True, env=dict(os.environ), check=False)
    if done.returncode != 0:
        raise EngineBinariesMissing(f"`npm {' '.join(how)}` in {pinned} failed: {done.stderr.strip()[-800:]}")
    part.rename(home)


def _files(pinned: Path) -> list[Path]:
    return [path for path in (pinned / "package.json", pinned / _LOCK) if path.exists()]


if __name__ == "__main__":
    print(installed(), installed(pinned=GUESTS), sep="\n")
