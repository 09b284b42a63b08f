"""The process table: who lives, who came from whom, who carries an attempt's token. On the launcher's path."""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Every process of an attempt inherits this variable; its value is the attempt's token.
MARKER = "HC_RUN_TOKEN"
_MACOS = sys.platform == "darwin"
# Whether orphans go to the launcher they came from, so that it can end them all (PR_SET_CHILD_SUBREAPER).
HAS_SUBREAPERS = sys.platform == "linux"


class Process:
    """One line of the process table."""

    __slots__ = ("parent", "start", "zombie")

    def __init__(self, parent: int, start: str, zombie: bool) -> None:
        self.parent = parent
        # When it started, in the system's own words: with the pid and the boot id it names a process for good.
        self.start = start
        self.zombie = zombie


def look_up(pid: int) -> Process | None:
    """The process with that id; None when there is none."""
    if _MACOS:
        words = _output("/bin/ps", "-p", str(pid), "-o", "ppid=,stat=,lstart=").split(None, 2)
        return Process(int(words[0]), words[2].strip(), words[1].startswith("Z")) if len(words) == 3 else None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            # The program's name stands in parentheses and may itself hold spaces and parentheses.
            words_after_name = file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return Process(int(words_after_name[1]), words_after_name[19].decode(), words_after_name[0] in (b"Z", b"X"))


def cpu_seconds(pid: int) -> float:
    """Processor time that the process and its ended children have used; 0 when it is gone."""
    if _MACOS:
        spent = _output("/bin/ps", "-p", str(pid), "-o", "time=").strip()
        return sum(float(part) * 60**place for place, part in enumerate(reversed(spent.split(":")))) if spent else 0.0
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            words_after_name = file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, words_after_name[11:15])) / os.sysconf("SC_CLK_TCK")


def program(pid: int) -> str:
    """The short name of what a process runs; empty when it is gone."""
    if _MACOS:
        return _output("/bin/ps", "-p", str(pid), "-o", "comm=").strip().rpartition("/")[2]
    try:
        with open(f"/proc/{pid}/comm") as file:  # noqa: PTH123
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def is_alive(pid: int, start: str, boot: str) -> bool:
    """Whether that very process still runs: not another one with its id, not one of before a reboot, not a zombie."""
    if boot != boot_id():
        return False
    found = look_up(pid)
    return found is not None and found.start == start and not found.zombie


def boot_id() -> str:
    """Names this boot of the machine: after another one, no process of before can be alive."""
    if _MACOS:
        return _output("/usr/sbin/sysctl", "-n", "kern.bootsessionuuid").strip()
    with open("/proc/sys/kernel/random/boot_id") as file:  # noqa: PTH123
        return file.read().strip()


def awake() -> float:
    """Seconds since boot that the machine was awake."""
    return time.monotonic()


def descendants(pid: int) -> tuple[int, ...]:
    """Ids of all living processes below `pid`, whatever session or group they moved to."""
    children: dict[int, list[int]] = {}
    for child, parent in _parents():
        children.setdefault(parent, []).append(child)
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return tuple(found)


def marked(token: str) -> tuple[int, ...]:
    """Ids of all living processes whose environment carries the token. A zombie has no environment any more."""
    word = f"{MARKER}={token}"
    if _MACOS:
        rows = (line.split(None, 1) for line in _output("/bin/ps", "eww", "-axo", "pid=,command=").splitlines())
        return tuple(int(row[0]) for row in rows if len(row) == 2 and word in row[1].split(" "))
    needle = f"\0{word}\0".encode()
    return tuple(pid for pid in _pids() if needle in b"\0" + _environment(pid))


def carried() -> dict[str, tuple[int, ...]]:
    """Every token that a living process carries, of whatever company → the ids of those processes."""
    found: dict[str, tuple[int, ...]] = {}
    for pid, words in _environments():
        for word in words:
            if word.startswith(f"{MARKER}="):
                token = word.partition("=")[2]
                found[token] = (*found.get(token, ()), pid)
                break
    return found


def lineage() -> frozenset[int]:
    """Ids of this process and of all that it came from."""
    found: list[int] = []
    pid = os.getpid()
    while pid > 0 and pid not in found and (process := look_up(pid)):
        found.append(pid)
        pid = process.parent
    return frozenset(found)


def attempts_of(root: str) -> set[tuple[str, str, str]]:
    """Token, ticket and number of every attempt of the company in `root` that a living process says it belongs to."""
    found = set()
    for _, words in _environments():
        known = dict(word.partition("=")[::2] for word in words if word.startswith("HC_"))
        if known.get("HC_ROOT") == root and known.get(MARKER):
            found.add((known[MARKER], known.get("HC_TICKET", ""), known.get("HC_ATTEMPT", "")))
    return found


def send(pid: int, number: int) -> None:
    """Send a signal. A process that is gone, or that became another user's, is not an error."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def terminate(pid: int) -> None:
    """Ask a process to end; a stopped one is woken, or it could not hear it."""
    send(pid, signal.SIGTERM)
    send(pid, signal.SIGCONT)


def _parents() -> Iterator[tuple[int, int]]:
    if _MACOS:
        for line in _output("/bin/ps", "-axo", "pid=,ppid=").splitlines():
            child, parent = line.split()
            yield int(child), int(parent)
        return
    for pid in _pids():
        found = look_up(pid)
        if found and not found.zombie:
            yield pid, found.parent


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def _environments() -> Iterator[tuple[int, list[str]]]:
    """Of every process, words among which its environment is."""
    if _MACOS:
        for line in _output("/bin/ps", "eww", "-axo", "pid=,command=").splitlines():
            number, _, command = line.strip().partition(" ")
            yield int(number), command.split(" ")
        return
    for pid in _pids():
        yield pid, _environment(pid).decode("utf-8", "replace").split("\0")


def _environment(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123
            return file.read()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return b""  # gone meanwhile, or another user's: none of ours


def _output(*argv: str) -> str:
    import subprocess

    return subprocess.run(argv, env={"LC_ALL": "C"}, text=True, errors="replace", capture_output=True, check=False).stdout
