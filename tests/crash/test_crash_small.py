"""The kernel dies again and again; the work goes on. `make crash-test` is the long form."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SMALL = ("--tickets", "40", "--deaths", "15", "--tmux-tickets", "10", "--failures", "0", "--seed", "7")


def test_nothing_is_lost_doubled_or_stuck() -> None:
    """Under fifteen deaths of the kernel, by kill -9 or at a chosen step, forty tickets run once each and reach review."""
    words = [sys.executable, "-m", "tests.crash", *_SMALL]
    done = subprocess.run(words, cwd=Path(__file__).parents[2], capture_output=True, text=True)

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "lost 0, doubled 0, stuck 0" in done.stdout
