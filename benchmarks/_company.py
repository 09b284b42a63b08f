"""A throw-away company with a real `hc run`, real tmux and an engine that is a shell script."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hermes_company.bootstrap import Company
from hermes_company.domain.ticket import State
from hermes_company.folders.company_files import init_company
from hermes_company.folders.layout import Layout

T = TypeVar("T")
# One agent that takes as many tickets at a time as the company does.
AGENT = "ann"
# The engine and every peer run this: say that it began, hand in, end. `sh` writes nothing but what it is told to.
JOB = """\
echo "$HC_TICKET" >"$BENCH_STARTED"
echo "# Done" >"$HC_OUTBOX/summary.md"
echo "$HC_TICKET" >"$BENCH_DONE"
: >"$HC_OUTBOX/DONE"
"""
_ENGINE = """\
[hermes_company.engines]
bench = benchmarks._engine:Bench
"""
_LONGEST_SECONDS = 60.0
REPOSITORY = Path(__file__).parents[1]


@dataclass(slots=True)
class Bench:
    """One company for one measurement."""

    layout: Layout
    environ: dict[str, str]
    # FIFOs that a job writes its ticket's id to: first thing of all, and just before DONE.
    started: int = field(init=False)
    done: int = field(init=False)
    company: Company = field(init=False)

    def __post_init__(self) -> None:
        self.started = _fifo(Path(self.environ["BENCH_STARTED"]))
        self.done = _fifo(Path(self.environ["BENCH_DONE"]))
        self.renew()

    @property
    def base(self) -> Path:
        """The folder that all of it is in."""
        return self.layout.root.parent

    @property
    def job(self) -> Path:
        """The script that the engine runs."""
        return self.base / "job.sh"

    def job_environ(self, job: str) -> dict[str, str]:
        """What the script is told when somebody else runs it."""
        outbox = self.base / "peers" / job
        outbox.mkdir(parents=True, exist_ok=True)
        return {**self.environ, "HC_TICKET": job, "HC_OUTBOX": str(outbox)}

    def prepare(self) -> None:
        """What `hc run` does before its loop; for a loop in this process, which is to find the engine too."""
        sys.path[:0] = [folder for folder in self.environ["PYTHONPATH"].split(":") if folder not in sys.path]
        self.layout.logs.mkdir(exist_ok=True)
        (self.layout.logs / "hc.log").touch()
        self.company.workers.prepare()

    def renew(self) -> None:
        """Parts that know nothing, as those of a new process."""
        self.company = Company(self.layout, self.environ)

    def hear(self, fifo: int) -> str:
        """The next thing that a job says there.

        Raises:
            TimeoutError: none says anything.
        """
        if not select.select([fifo], [], [], _LONGEST_SECONDS)[0]:
            raise TimeoutError(f"no job said anything in {_LONGEST_SECONDS:.0f} s")
        return os.read(fifo, 65_536).decode()

    def drop(self, ticket: str, state: State = State.TODO, text: str = "") -> None:
        """A ticket as `hc task new` makes it."""
        self.company.board.create(ticket, text.encode() or ticket_text(ticket), state)

    def fill(self, state: State, count: int, prefix: str, text: str = "", folder: Path | None = None) -> None:
        """Many tickets that have been there for long, without a wait for the disk for each; in `folder` if it is given."""
        folder, old = folder or self.layout.state(state), time.time() - 3_600
        folder.mkdir(exist_ok=True)
        for number in range(count):
            path = folder / f"{prefix}-{number:06}.md"
            path.write_bytes(text.encode() or ticket_text(path.stem))
            os.utime(path, (old, old))
        os.utime(folder, (old, old))

    def count(self, state: State) -> int:
        """How many tickets lie there."""
        return sum(name.endswith(".md") for name in os.listdir(self.layout.state(state)))  # noqa: PTH208

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[bytes]]:
        """`hc run` in a process of its own, up and idle."""
        process = self.start()
        try:
            yield process
        finally:
            stop(process)

    def start(self, *, waits: bool = True) -> subprocess.Popen[bytes]:
        """Start `hc run`."""
        log = (self.base / "hc.out").open("ab")
        words = [sys.executable, "-m", "hermes_company", "run", "--plain", "--root", str(self.layout.root)]
        process = subprocess.Popen(words, env=self.environ, stdout=log, stderr=log, cwd=REPOSITORY)
        log.close()
        if waits:
            self._until_up(process)
        return process

    def _until_up(self, process: subprocess.Popen[bytes]) -> None:
        try:
            until(lambda: b"runs." in (self.base / "hc.out").read_bytes(), "hc run is up")
        except TimeoutError:
            process.kill()
            raise

    def end_tmux(self) -> None:
        """Take the company's tmux server down."""
        socket = self.company.settings.tmux.socket
        subprocess.run(["tmux", "-L", socket, "kill-server"], env=self.environ, capture_output=True)
        # Launchers end their trees and record it; until then they write into the folder.
        until(lambda: not self.company.workers.strays(self.layout.root), "nothing of the company runs")


@contextmanager
def bench_company(*, slots: int = 8, job: str = JOB) -> Iterator[Bench]:
    """A company in a temporary folder with one agent; nothing of it is left afterwards."""
    # Short: the path of a tmux socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="hcb") as folder:
        base = Path(folder)
        layout = init_company(base / "company", environ={}).layout
        (base / "job.sh").write_text(job)
        with layout.settings_file.open("a") as settings:
            settings.write(f"\nmax_running: {slots}\nengines:\n  bench:\n    command: {base / 'job.sh'}\n")
        agent = layout.agent(AGENT)
        agent.mkdir()
        (agent / "profile.json").write_text(f'{{"name": "{AGENT}", "engine": "bench", "capacity": {slots}}}')
        bench = Bench(layout, _environ(base))
        try:
            yield bench
        finally:
            bench.end_tmux()
            os.close(bench.started)
            os.close(bench.done)


def ticket_text(ticket: str, needs: str = "") -> bytes:
    """A small ticket."""
    front = f"needs: [{needs}]\n" if needs else ""
    return f"---\nowner: {AGENT}\npriority: normal\n{front}---\n# {ticket}\n\nNothing is to be done.\n".encode()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End `hc run` as a person does."""
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)


def until(condition: Callable[[], T], what: str, seconds: float = _LONGEST_SECONDS, *, pause: float = 0.005) -> T:
    """Ask again and again until the answer is true, and return it."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(pause)
    return answer


def _environ(base: Path) -> dict[str, str]:
    (base / "home").mkdir()
    offer = base / "path" / "bench_engine-0.dist-info"
    offer.mkdir(parents=True)
    (offer / "METADATA").write_text("Metadata-Version: 2.1\nName: bench-engine\nVersion: 0\n")
    (offer / "entry_points.txt").write_text(_ENGINE)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(base / "home"),
        "TMUX_TMPDIR": str(base),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": f"{base / 'path'}:{REPOSITORY}",
        "BENCH_STARTED": str(base / "started"),
        "BENCH_DONE": str(base / "done"),
    }


def _fifo(path: Path) -> int:
    os.mkfifo(path)
    # For writing too: otherwise it would be at its end whenever no job has it open.
    return os.open(path, os.O_RDWR)
