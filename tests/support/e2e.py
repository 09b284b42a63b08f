"""A company as a person runs it: the installed `hc` in processes of its own, real tmux, real engines, nothing left behind.

Whatever a scenario leaves running is ended, and what had to be forced is an error of its own beside the test's.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from hermes_company.cli.boundary import call
from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.terminal import processes
from tests.support.e2e_processes import PATIENCE, Loop, living_in
from tests.support.person import Answer
from tests.support.tmux import until

HC = Path(sys.executable).with_name("hc")
# Everything that makes people wait is made short. Heartbeats are rare, so that nothing writes while tests compare trees.
QUICK: Mapping[str, object] = {
    "max_running": 4,
    "retries": 1,
    "retry_delay_seconds": 0.1,
    "settle_seconds": 0.1,
    "stop_grace_seconds": 1,
    "lease_seconds": 3600,
}
T = TypeVar("T")
Event = Mapping[str, Any]


@dataclass(frozen=True)
class Pane:
    """One window's pane in the company's session."""

    id: str
    # Of its launcher.
    pid: int


@dataclass
class House:
    """One company in `place`, and the person in front of it.

    Args:
        place: holds the company, the person's home and whatever temporary file is made.
        environ: the person's whole environment.
    """

    place: Path
    environ: dict[str, str]
    loops: list[Loop] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.place / "acme"

    @property
    def layout(self) -> Layout:
        return Layout(self.root)

    # The person.

    def hc(self, *argv: str, status: int = 0) -> Answer:
        """Run one command in the company's folder; it must end with that status."""
        done = subprocess.run(
            [HC, *argv], cwd=self.root, env=self.environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
        answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert answer.status == status, answer
        return answer

    def found(self, lang: str, settings: Mapping[str, object]) -> None:
        """`hc init`, and settings that hurry."""
        self.root.mkdir()
        self.quickly("init", ".", "--lang", lang)
        with self.layout.settings_file.open("a", encoding="utf-8") as file:
            file.writelines(f"{key}: {json.dumps(value)}\n" for key, value in {**QUICK, **settings}.items())

    def hire(self, name: str, engine: str) -> None:
        """Hire an agent and answer what its engine asks."""
        self.quickly("agent", "add", name, "--engine", engine)
        self.quickly("agent", "prepare", name, "--yes")

    def quickly(self, *argv: str) -> None:
        """Run a command in this process, which is quicker: for what comes before a scenario, and for many in a row."""
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            status = call(argv, self.environ, self.root)
        assert status == 0, said.getvalue()

    def run(self, *options: str) -> Loop:
        """`hc run --plain`, once it says that it runs."""
        output = self.place / f"run-{len(self.loops)}.out"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [HC, "run", "--plain", *options],
                cwd=self.root,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        loop = Loop(process, output)
        self.loops.append(loop)
        self.wait(lambda: "tmux -L" in loop.said(), "the loop to run")
        return loop

    def drop(self, ticket: str, text: str | bytes) -> Path:
        """Put a file into `todo` as a person does: by hand."""
        path = self.layout.ticket(ticket, State.TODO)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def open_gate(self, ticket: str, agent: str = "ann") -> None:
        """Let an agent go on that waits at the FIFO `gate` in its outbox."""
        gate = self.layout.outbox(agent, ticket) / "gate"
        descriptor = self.wait(lambda: _reached(gate), f"{ticket} at its gate")
        os.write(descriptor, b"go\n")
        os.close(descriptor)

    # What can be seen.

    def wait(self, condition: Callable[[], T | None], what: str) -> T:
        """Wait for the condition; a failure shows what the company was about."""
        try:
            answer = until(condition, seconds=PATIENCE, what=what)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.story()}") from None
        assert answer is not None
        return answer

    def events(self) -> list[Event]:
        """The event log so far."""
        try:
            lines = self.layout.events_file.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines[:-1]]

    def seen(self, kind: str, ticket: str, **fields: object) -> list[Event]:
        """The events of that kind about that ticket; `fields` are of the event or of its data."""
        return [
            event
            for event in self.events()
            if (event["kind"], event.get("ticket")) == (kind, ticket)
            and all({**event, **event.get("data", {})}.get(name) == value for name, value in fields.items())
        ]

    def event(self, kind: str, ticket: str, **fields: object) -> Event:
        """Wait for such an event."""
        return self.wait(lambda: self.seen(kind, ticket, **fields), f"{kind} of {ticket} with {fields}")[0]

    def where(self, ticket: str) -> str:
        """The one folder that the ticket lies in."""
        places = [state.value for state in State if self.layout.ticket(ticket, state).exists()]
        assert len(places) == 1, f"{ticket} lies in {places}"
        return places[0]

    def text(self, ticket: str) -> str:
        """The ticket's file."""
        return self.layout.ticket(ticket, State(self.where(ticket))).read_text(encoding="utf-8")

    def record(self, ticket: str, attempt: int = 1, name: str = "run.json") -> Any:
        """A record of an attempt."""
        return json.loads((self.layout.run(ticket, attempt) / name).read_text(encoding="utf-8"))

    def pid(self, ticket: str, attempt: int = 1) -> int:
        """The process of an attempt's engine, once it was started."""
        fence = self.layout.run(ticket, attempt) / "started.json"
        started = lambda: fence.exists() and self.record(ticket, attempt, "started.json")["engine"]  # noqa: E731
        self.wait(started, f"start of {ticket}/{attempt}")
        return int(self.record(ticket, attempt, "started.json")["engine"])

    def living(self, ticket: str, attempt: int = 1) -> tuple[int, ...]:
        """The processes of an attempt."""
        return processes.marked(self.record(ticket, attempt)["token"])

    def tmux(self, *words: str) -> str:
        """Ask the company's tmux server."""
        done = subprocess.run(
            ["tmux", "-L", "hermes-acme", "-u", *words], env=self.environ, capture_output=True, text=True, check=False
        )
        return (done.stdout + done.stderr).rstrip()

    def panes(self) -> dict[str, Pane]:
        """Every window's pane, by the window's name; none without a server."""
        listed = self.tmux("list-panes", "-s", "-t", "=hermes:", "-F", "#{window_name} #{pane_id} #{pane_pid}")
        rows = [line.split() for line in listed.splitlines()]
        return {row[0]: Pane(row[1], int(row[2])) for row in rows if len(row) == 3}

    def shown(self, window: str) -> str:
        """What one window shows."""
        return self.tmux("capture-pane", "-p", "-t", f"=hermes:={window}")

    def story(self) -> str:
        """What happened so far, for whoever has to find out why a test failed."""
        parts = [f"--- {loop.output.name}\n{loop.said()[-4000:]}" for loop in self.loops]
        return "\n".join([*parts, *(f"--- {window}\n{self.shown(window)}" for window in self.panes())])

    # The end.

    def faults(self) -> list[str]:
        """What the program itself calls a fault of its own."""
        told = [str(event) for event in self.events() if event["kind"] in ("kernel.fault", "program.failed", "attempt.stuck")]
        return told + [path.read_text() for path in Path(self.environ["TMPDIR"]).glob("hc-fault-*")]

    def close(self) -> list[str]:
        """End all of it. Returns what had to be killed."""
        for loop in self.loops:
            loop.kill()
        deadline = time.monotonic() + 15
        while (left := living_in(self.place)) and time.monotonic() < deadline:
            # Asked for again and again: a server that its loop was just starting when it was killed does not listen yet.
            self.tmux("kill-server")
            time.sleep(0.02)
        for pid in left:
            processes.send(pid, signal.SIGKILL)
        return [f"process {pid} survived: {command}" for pid, command in left.items()]


def _reached(gate: Path) -> int | None:
    """The gate's writing end, if somebody waits at it."""
    try:
        return os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


@contextmanager
def open_house(
    place: Path, environ: Mapping[str, str], *, lang: str = "en", settings: Mapping[str, object] | None = None
) -> Iterator[House]:
    """A company that was just founded; afterwards nothing of it runs."""
    # Not below the test's folder: the path of a socket is limited to 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    temporary = place / "tmp"
    temporary.mkdir(parents=True)
    house = House(
        place,
        {
            "PATH": os.pathsep.join([str(HC.parent), os.environ["PATH"]]),
            "HOME": str(place / "home"),
            "USER": "ann",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "TMPDIR": str(temporary),
            "TMUX_TMPDIR": str(sockets),
            **environ,
        },
    )
    try:
        house.found(lang, settings or {})
        yield house
        assert house.faults() == []
    finally:
        survivors = house.close()
        shutil.rmtree(sockets)
    assert survivors == []
