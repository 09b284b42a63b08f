"""The processes of a company under test: its loops, and whatever else has to do with its folder."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Long enough for a machine that has much else to do; nothing waits that long when all goes well.
PATIENCE = 60.0


@dataclass
class Loop:
    """One `hc run`."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def said(self) -> str:
        """What it has printed."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    def interrupt(self) -> int:
        """Ctrl-C; returns its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        """`kill -9`."""
        self.process.kill()
        self.process.wait(PATIENCE)


def living_in(place: Path) -> dict[int, str]:
    """The processes that have to do with what lies in a folder: by their environment, their command or where they stand."""
    needle = os.fsencode(f"{place}/")
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            if needle in command or needle in (entry / "environ").read_bytes() or needle in bytes((entry / "cwd").readlink()):
                found[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # gone meanwhile, or another user's
    return found
