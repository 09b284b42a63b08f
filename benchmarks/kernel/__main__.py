"""`python -m benchmarks.kernel`: measure the kernel beside others that do such work, all in one run.

Writes `docs/benchmarks.md` when everything was measured at its full size; `--quick` and `--only` only print.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks import _peers
from benchmarks._rows import Row, table

_NAMES = ("starting", "throughput", "ticking", "claiming", "commands", "idling", "restarting")
_PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
_BEGIN, _END = "<!-- measured by `make bench`: do not edit -->", "<!-- end of what was measured -->"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernel", description=__doc__)
    parser.add_argument("--only", choices=_NAMES, action="append", help="one measurement; may be repeated")
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that it runs")
    asked = parser.parse_args()
    rows: list[Row] = []
    for name in asked.only or _NAMES:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.kernel.{name}").measure(asked.quick)
    print(table(rows))
    if not (asked.only or asked.quick):
        write_page(rows)


def write_page(rows: list[Row]) -> None:
    """Put the table between its marks; the words around it are people's."""
    before, _, rest = _PAGE.read_text().partition(_BEGIN)
    after = rest.partition(_END)[2]
    _PAGE.write_text(f"{before}{_BEGIN}\n{_setting()}\n\n{table(rows)}{_END}{after}")


def _setting() -> str:
    load = "/".join(f"{value:.1f}" for value in os.getloadavg())
    peers = ", ".join(f"{name} {number}" for name, number in _peers.versions().items())
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True).stdout.strip()
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, `make bench`, hermes-company {version('hermes-company')} ({_commit()}), "
        f"Python {platform.python_version()}, {tmux}, {platform.system()} {platform.release()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load at the end {load}. Beside it: {peers}."
    )


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=_PAGE.parent)
    return done.stdout.strip() or "not from git"


if __name__ == "__main__":
    main()
