"""A cgroup for each launcher, where we may have one: the second net, for when the launcher itself is killed.

The first net, the launcher that adopts every orphan of its tree (`tree.py`), needs no permission and is always there.
A launcher enters once, before its first engine: to move a process costs up to 25 ms on a busy machine, to be born in a
cgroup costs nothing.
"""

from __future__ import annotations

import os

from hermes_company.terminal import processes
from hermes_company.terminal.records import read_bytes

_PREFIX = "hc-launcher-"


def enter() -> str | None:
    """Move this process into a new cgroup below its own. None where there is no cgroup v2 or we may not write to it."""
    try:
        own = read_bytes("/proc/self/cgroup").decode().partition("0::")[2].partition("\n")[0].rstrip("/")
        mounts = [line for line in read_bytes("/proc/self/mountinfo").decode().splitlines() if " - cgroup2 " in line]
        above = f"{mounts[0].split()[4]}{own}"
        _sweep(above)
        me = processes.look_up(os.getpid())
        folder = f"{above}/{_PREFIX}{os.getpid()}-{me.start if me else ''}"
        os.mkdir(folder)  # noqa: PTH102
        _join(folder)
    except (OSError, IndexError):
        return None
    return folder


def leave(folder: str) -> None:
    """Move this process back and remove the cgroup. One that is not empty stays."""
    try:
        _join(os.path.dirname(folder))  # noqa: PTH120
    except OSError:
        return
    remove(folder)


def members(folder: str) -> tuple[int, ...]:
    """Ids of the processes in the cgroup; empty when it is gone."""
    try:
        return tuple(int(line) for line in read_bytes(f"{folder}/cgroup.procs").split())
    except OSError:
        return ()


def remove(folder: str) -> None:
    """Remove the empty cgroup. One that is not empty stays."""
    try:
        os.rmdir(folder)  # noqa: PTH106
    except OSError:
        return


def _sweep(above: str) -> None:
    """What launchers left that were killed, and after which nobody cleaned up."""
    for name in os.listdir(above):  # noqa: PTH208
        if name.startswith(_PREFIX):
            remove(f"{above}/{name}")


def _join(folder: str) -> None:
    descriptor = os.open(f"{folder}/cgroup.procs", os.O_WRONLY)
    try:
        os.write(descriptor, b"0")
    finally:
        os.close(descriptor)
