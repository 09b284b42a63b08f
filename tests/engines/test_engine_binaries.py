"""How the real CLIs get onto a machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_missing_node_says_what_to_install(tmp_path: Path) -> None:
    """Without Node.js the tests fail with a sentence that says what to install, and leave nothing half-installed."""
    code = "import sys; from pathlib import Path; from tests.support.engine_binaries import *; installed(Path(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        env={**os.environ, "PATH": "/nonexistent"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "Install Node.js 20 or newer" in done.stderr
    assert not [path for path in (tmp_path / "engines").iterdir() if path.is_dir()]


def test_installed_once(binaries: Path) -> None:
    """Both pinned programs are there and are the pinned versions."""
    versions = [
        subprocess.run([binaries / name, "--version"], capture_output=True, text=True, check=True).stdout
        for name in ("claude", "codex")
    ]

    assert [version.split()[-1].strip("()") for version in versions] == ["Code", "0.171.0"]
    assert versions[0].startswith("2.1.197 ")
