"""An engine that does all it can to leave something behind. Each process writes its pid to `pids/<name>` in the workdir.

Run as `hostile_tree.py stay|leave`: the engine itself stays for ever, or ends at once.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

NAMES = ("engine", "child", "session", "clean", "stopped", "phoenix", "reborn")


def main(mode: str) -> None:
    """Start the others, then stay or leave."""
    Path("pids").mkdir()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    start("child", lambda: None)
    start("session", os.setsid)
    start("clean", daemonise)
    start("stopped", lambda: None, lambda: os.kill(os.getpid(), signal.SIGSTOP))
    start("phoenix", lambda: signal.signal(signal.SIGTERM, lambda *_: start("reborn", os.setsid)))
    present("engine")
    if mode == "stay":
        sleep()


def start(name: str, prepare: object, then: object = None) -> None:
    """A child that never ends by itself."""
    if os.fork():
        return
    prepare()  # type: ignore[operator]
    if name == "clean":
        # Nothing of the marker is left, not even in the initial environment that /proc shows.
        script = f"import sys; sys.argv[1:] = ['clean']; sys.path.insert(0, {str(Path(__file__).parent)!r}); "
        os.execve(
            sys.executable, [sys.executable, "-c", script + "import hostile_tree as h; h.present('clean'); h.sleep()"], {}
        )
    present(name)
    if then:
        then()  # type: ignore[operator]
    sleep()


def daemonise() -> None:
    """Become the orphan of a process that is gone, in a session of its own."""
    os.setsid()
    if os.fork():
        os._exit(0)


def present(name: str) -> None:
    """Say that this process is there."""
    temporary = Path(f"pids/.{name}")
    temporary.write_text(str(os.getpid()))
    temporary.rename(f"pids/{name}")


def sleep() -> None:
    """Never end."""
    while True:
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
