"""One engine's process, from fork to exec. On the launcher's path."""

from __future__ import annotations

import errno
import json
import os
import signal

from hermes_company.terminal import cgroup, screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

NOT_A_FOLDER = 66
NOT_EXECUTABLE = 126
NOT_FOUND = 127
_RESETTABLE = frozenset(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP}


class Command:
    """What to become."""

    __slots__ = ("argv", "cgroup", "env", "workdir")

    def __init__(self, argv: list[bytes], env: dict[bytes, bytes], workdir: bytes, group: str | None) -> None:
        self.argv = argv
        self.env = env
        self.workdir = workdir
        self.cgroup = group


class Refused:
    """Why a command could not be started."""

    __slots__ = ("code", "detail", "status")

    def __init__(self, code: str, detail: str, status: int) -> None:
        self.code = code
        self.detail = detail
        self.status = status


class EngineProcess:
    """Made at once and held back until `release`: the start fence must name it before it runs."""

    def __init__(self, command: Command) -> None:
        gate, self._gate = os.pipe()
        self._report, report = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._gate)
            _become(command, gate, report)
        os.close(gate)
        os.close(report)
        os.setpgid(self.pid, self.pid)

    def release(self) -> None:
        """Let it run, in the foreground of the terminal."""
        screen.to_foreground(self.pid)
        try:
            os.write(self._gate, b"1")
        except BrokenPipeError:
            return  # somebody killed it while it waited
        finally:
            os.close(self._gate)

    def abandon(self) -> None:
        """Let it end without having run."""
        os.close(self._gate)
        os.close(self._report)
        os.waitpid(self.pid, 0)

    def refused(self) -> Refused | None:
        """Once it has ended: why it never became the engine; None when it did."""
        report = os.read(self._report, 8192)
        os.close(self._report)
        return Refused(*json.loads(report)) if report else None


def _become(command: Command, gate: int, report: int) -> NoReturn:
    """In the child: wait for the gate, then turn into the engine. Never returns, whatever happens."""
    status = 0
    try:
        # A gate that closes without a word: the fence was lost, or the launcher was killed.
        if os.read(gate, 1):
            refused = _execute(command)
            status = refused.status
            os.write(report, json.dumps([refused.code, refused.detail[-1000:], refused.status]).encode())
    finally:
        os._exit(status)


def _execute(command: Command) -> Refused:
    """Returns only if the engine could not be started."""
    if command.cgroup:
        cgroup.join(command.cgroup)
    # The engine would inherit what we (and tmux) ignore and hold back; a stop that came meanwhile must still end it.
    for number in _RESETTABLE:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        os.chdir(command.workdir)
    except OSError as problem:
        return Refused("workdir-missing", f"{os.fsdecode(command.workdir)}: {problem.strerror}", NOT_A_FOLDER)
    try:
        os.execvpe(command.argv[0], command.argv, command.env)
    except OSError as problem:
        detail = f"{os.fsdecode(command.argv[0])}: {problem.strerror}"
        if problem.errno in (errno.ENOENT, errno.ENOTDIR):
            return Refused("program-missing", detail, NOT_FOUND)
        return Refused("program-unusable", detail, NOT_EXECUTABLE)
