"""A cgroup for each attempt, where we may have one: the second net, for when the launcher itself is killed.

The first net, the launcher that adopts every orphan of its tree (`tree.py`), needs no permission and is always there.
"""

from __future__ import annotations

import os

from hermes_company.terminal.records import read_bytes


def make(name: str) -> str | None:
    """A new cgroup below this process's own; None where there is no cgroup v2 or we may not write to it."""
    try:
        own = read_bytes("/proc/self/cgroup").decode().partition("0::")[2].partition("\n")[0].rstrip("/")
        mounts = [line for line in read_bytes("/proc/self/mountinfo").decode().splitlines() if " - cgroup2 " in line]
        folder = f"{mounts[0].split()[4]}{own}/{name}"
        os.mkdir(folder)  # noqa: PTH102
    except (OSError, IndexError):
        return None
    return folder


def join(folder: str) -> None:
    """Move this process into the cgroup, if that is allowed."""
    try:
        descriptor = os.open(f"{folder}/cgroup.procs", os.O_WRONLY)
    except OSError:
        return
    try:
        os.write(descriptor, b"0")
    except OSError:
        return
    finally:
        os.close(descriptor)


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
