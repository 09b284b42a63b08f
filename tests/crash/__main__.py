"""`make crash-test`, or `python -m tests.crash`: what is lost, doubled or stuck when the kernel dies all the time."""

from __future__ import annotations

import argparse
import errno
import sys
import time
from itertools import islice

from tests.crash.soak import failures, soak

# The errno, and how many changes in a row fail: a bad block, and a disk that stays full for a while.
_FAILURES = ((errno.EIO, 1), (errno.ENOSPC, 7))


def main() -> int:
    """0 when nothing was lost, doubled or stuck."""
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--tickets", type=int, default=3_000)
    parser.add_argument("--deaths", type=int, default=600)
    parser.add_argument("--tmux-tickets", type=int, default=300)
    parser.add_argument("--failures", type=int, help="how many of the changes to the disk fail; all unless it is given")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="to see the same deaths again")
    asked = parser.parse_args()
    print(f"seed {asked.seed}")
    clean = _soak(asked.tickets, asked.deaths, asked.seed, tmux=False)
    if asked.tmux_tickets:
        clean &= _soak(asked.tmux_tickets, asked.tmux_tickets // 5, asked.seed, tmux=True)
    if asked.failures != 0:
        clean &= _failures(asked.failures)
    return 0 if clean else 1


def _soak(tickets: int, deaths: int, seed: int, *, tmux: bool) -> bool:
    before = time.monotonic()
    report = soak(tickets, deaths, seed=seed, tmux=tmux)
    print(f"{'in tmux' if tmux else 'bare launchers'}, {time.monotonic() - before:.0f} s: {report}")
    if not report.clean:
        print(report.details)
    return report.clean


def _failures(most: int | None) -> bool:
    broken = 0
    for error, lasting in _FAILURES:
        name, tried = errno.errorcode[error], 0
        for change, report in islice(failures(error, lasting=lasting), most):
            tried += 1
            if not report.clean:
                broken += 1
                print(f"{name} at change {change}: {report}\n{report.details}")
        print(f"{name} at each of {tried} changes to the disk, {lasting} in a row: {broken} broken")
    return broken == 0


if __name__ == "__main__":
    sys.exit(main())
