"""The real `claude` and `codex` for tests: pinned by `tests/engine_binaries/`, installed once into `.tools/engines/`.

`python -m tests.support.engine_binaries` installs them ahead of the tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

_REPOSITORY = Path(__file__).parents[2]
_PINNED = _REPOSITORY / "tests" / "engine_binaries"
_FILES = ("package.json", "package-lock.json")


class EngineBinariesMissing(Exception):
    """The real CLIs can't be had on this machine; the message says what to do."""


def installed(tools: Path = _REPOSITORY / ".tools") -> Path:
    """The folder that holds `claude` and `codex`. Installs them below `tools` at the first call after their pins changed.

    Raises:
        EngineBinariesMissing: no Node.js, or the packages could not be fetched.
    """
    pins = b"".join((_PINNED / name).read_bytes() for name in _FILES)
    home = tools / "engines" / hashlib.sha256(pins).hexdigest()[:16]
    if not home.exists():
        home.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(home.with_suffix(".lock")):
            if not home.exists():
                _install(home)
    return home / "node_modules" / ".bin"


def _install(home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise EngineBinariesMissing(
            "These tests start the real `claude` and `codex`, which npm brings. "
            "Install Node.js 20 or newer (https://nodejs.org; it comes with npm) and run them again."
        )
    part = home.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for name in _FILES:
        shutil.copy(_PINNED / name, part)
    done = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund"], cwd=part, capture_output=True, text=True, env=dict(os.environ), check=False
    )
    if done.returncode != 0:
        raise EngineBinariesMissing(f"`npm ci` in {_PINNED} failed: {done.stderr.strip()[-800:]}")
    part.rename(home)


if __name__ == "__main__":
    print(installed())
