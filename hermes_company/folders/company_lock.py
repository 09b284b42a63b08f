"""One loop a company: a lock on a permanent file, held for the loop's life."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from hermes_company.errors import Refusal
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import read_head
from hermes_company.ports.clock import Clock
from hermes_company.wording import say

_BUSY = 75


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs the company."""

    pid: int
    host: str
    since: str


@contextmanager
def company_lock(layout: Layout, clock: Clock) -> Iterator[None]:
    """Hold the company's lock.

    Raises:
        Refusal: `company-already-runs`, naming the process that holds it.
    """
    from filelock import FileLock, Timeout  # whoever only asks who runs the company need not wait for its import

    layout.private.mkdir(mode=0o700, exist_ok=True)
    lock = FileLock(layout.kernel_lock, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise _already_runs(holder(layout)) from None
    try:
        me = Holder(os.getpid(), os.uname().nodename, clock.now().isoformat(timespec="seconds"))
        write_atomic(layout.kernel_holder, json.dumps(asdict(me)), mode=0o600)
        yield
    finally:
        layout.kernel_holder.unlink(missing_ok=True)
        lock.release()


def is_held(layout: Layout) -> bool:
    """Whether a process holds the lock at this moment. Asks by sharing it for an instant, so that askers never meet."""
    try:
        descriptor = os.open(layout.kernel_lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def holder(layout: Layout) -> Holder | None:
    """Who says to hold the lock. After a crash this is stale: only the lock itself decides."""
    try:
        raw = json.loads(read_head(layout.kernel_holder, 4_096) or b"{}")
        return Holder(int(raw["pid"]), str(raw["host"]), str(raw["since"]))
    except (ValueError, KeyError, TypeError):
        return None


def _already_runs(who: Holder | None) -> Refusal:
    fact = say("This company is already run by another process.")
    if who:
        fact = say("This company is already run by process {pid} on {host} since {since}.", **asdict(who))
    return Refusal(
        "company-already-runs",
        fact=fact,
        cause=say("Two loops would start tickets twice."),
        remedy=say("Use that one (`hc status`, `hc attach`), or end it first: kill {pid}.", pid=who.pid if who else "PID"),
        status=_BUSY,
    )
