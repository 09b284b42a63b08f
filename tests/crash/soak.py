"""Many tickets under many deaths of the kernel; and one ticket under every failure of the disk.

Seen red, of 40 tickets under 20 deaths: a kernel that forgets its open attempts leaves 39 stuck (the launcher still starts each
only once); one that gives what lies in `doing` a new attempt doubles 35.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from hermes_company.bootstrap import Company
from hermes_company.domain.ticket import State
from hermes_company.folders.company_files import init_company
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from tests.crash.kernels import FAILED, LOCKED, REFUSED, STRUCK, WORKING, KernelProcess, Strike, start_kernel

_AGENT = "ann"
_JOB = """\
echo "$HC_TICKET" >>"$CRASH_STARTS"
echo "# Done" >"$HC_OUTBOX/summary.md"
: >"$HC_OUTBOX/DONE"
"""
# Of one death: this long after the kernel holds the lock, or after it has gone round once.
_MILLISECONDS = (2.0, 40.0)
# Deeper than a round of the kernel goes.
_DEEPEST_CALL, _DEEPEST_CHANGE = 250, 150
_PATIENCE_SECONDS = 60.0
_WAITING = 40


@dataclass(slots=True)
class Report:
    """What is left when everything could be finished."""

    tickets: int
    # In no folder, in more than one, or in review without having run.
    lost: list[str] = field(default_factory=list)
    # Begun more than once.
    doubled: list[str] = field(default_factory=list)
    # Not in review in the end.
    stuck: list[str] = field(default_factory=list)
    # Of which no experience was kept.
    forgotten: list[str] = field(default_factory=list)
    # Whose attempt is not closed.
    unclosed: list[str] = field(default_factory=list)
    # Files that kernels died over while they wrote them; harmless, and swept once they are a minute old.
    temporary: list[str] = field(default_factory=list)
    killed: int = 0
    struck: int = 0
    # Second kernels, and how many of them were refused.
    seconds: int = 0
    refused: int = 0

    @property
    def clean(self) -> bool:
        """Whether every promise held."""
        broken = (self.lost, self.doubled, self.stuck, self.forgotten, self.unclosed)
        return not any(broken) and self.seconds == self.refused

    @property
    def details(self) -> str:
        """Which, where something broke."""
        lists = ("lost", "doubled", "stuck", "forgotten", "unclosed", "temporary")
        return "\n".join(f"{name}: {', '.join(getattr(self, name)[:20])}" for name in lists if getattr(self, name))

    def __str__(self) -> str:
        return (
            f"{self.tickets} tickets, {self.killed} kernels killed, {self.struck} ended at a chosen step: "
            f"lost {len(self.lost)}, doubled {len(self.doubled)}, stuck {len(self.stuck)}, "
            f"forgotten {len(self.forgotten)}, unclosed {len(self.unclosed)}, temporary files {len(self.temporary)}; "
            f"second kernels refused {self.refused} of {self.seconds}"
        )


def soak(tickets: int, deaths: int, *, seed: int, tmux: bool = False, slots: int = 8) -> Report:
    """Let the kernel die `deaths` times while `tickets` are done, then let it finish.

    Args:
        tickets: how many, put in as they are used up.
        deaths: half by kill -9 at a random moment, half by `os._exit` at a random call or change to the disk.
        seed: of the random choices.
        tmux: agents in real windows, not only in real launchers.
        slots: how many work at a time.
    """
    chance = random.Random(seed)
    report = Report(tickets)
    with _company(slots) as company:
        supply = _Supply(company.layout, tickets)
        while report.killed + report.struck < deaths:
            supply.top_up()
            _one_life(company, report, chance, tmux)
        _finish(company, supply, tmux)
        _judge(company, report)
    return report


def failures(error: int, *, lasting: int, only: Iterable[int] | None = None) -> Iterator[tuple[int, Report]]:
    """One ticket for every change to the disk that can fail: the first, the second, … until there is none left to fail.

    Args:
        error: the errno that it fails with.
        lasting: how many changes in a row fail.
        only: which changes; None: all.
    """
    for change in count() if only is None else only:
        with _company(1) as company:
            supply = _Supply(company.layout, 1)
            supply.top_up()
            kernel = start_kernel(company, tmux=False, strike=Strike(change=change, error=error, lasting=lasting))
            _run_to_the_end(company, kernel, supply)
            if FAILED not in kernel.said:
                return
            # Outside of its loop a kernel can do nothing but end: the next one finds everything as it was.
            _finish(company, supply, tmux=False)
            report = Report(1)
            _judge(company, report)
        yield change, report


@dataclass(slots=True)
class _Supply:
    """Tickets, put into `todo` as they are used up: a kernel that starts would spend its short life on reading thousands."""

    layout: Layout
    tickets: int
    made: int = 0

    def top_up(self) -> None:
        """Let there be enough to do."""
        waiting = len(list(self.layout.state(State.TODO).glob("*.md")))
        for number in range(self.made, min(self.tickets, self.made + max(0, _WAITING - waiting))):
            path = self.layout.root / f"{_name(number)}.md"
            path.write_text(f"---\nowner: {_AGENT}\n---\n# Ticket {number}\n\nNothing is to be done.\n")
            # Old enough to count as written.
            os.utime(path, (time.time() - 60,) * 2)
            path.rename(self.layout.ticket(path.stem, State.TODO))
            self.made = number + 1


def _one_life(company: Company, report: Report, chance: random.Random, tmux: bool) -> None:
    """Start a kernel, now and then a second one, and let the first die."""
    strike = _strike(chance)
    kernel = start_kernel(company, tmux=tmux, strike=strike)
    if not kernel.says(LOCKED):
        raise AssertionError(f"a kernel ended with status {kernel.wait()} before it began")
    if strike == Strike():
        if chance.random() < 0.3:
            second = start_kernel(company, tmux=tmux)
            report.seconds += 1
            report.refused += second.wait() == REFUSED
        if chance.random() < 0.7:
            kernel.says(WORKING)
        time.sleep(chance.uniform(*_MILLISECONDS) / 1_000)
        report.killed += kernel.end(signal.SIGKILL) == -signal.SIGKILL
        return
    # It may never come so far: then it is killed as well.
    deadline = time.monotonic() + 2.0
    while not kernel.over and time.monotonic() < deadline:
        time.sleep(0.002)
    status = kernel.end(signal.SIGKILL)
    report.struck += status == STRUCK
    report.killed += status == -signal.SIGKILL
    if status not in (STRUCK, -signal.SIGKILL):
        raise AssertionError(f"a kernel ended with status {status}")


def _strike(chance: random.Random) -> Strike:
    way = chance.random()
    if way < 0.5:
        return Strike()
    if way < 0.75:
        return Strike(call=chance.randrange(_DEEPEST_CALL), after=chance.random() < 0.5)
    return Strike(change=chance.randrange(_DEEPEST_CHANGE))


def _finish(company: Company, supply: _Supply, tmux: bool) -> None:
    """Let a kernel that nothing happens to do the rest, if it can."""
    kernel = start_kernel(company, tmux=tmux)
    status = _run_to_the_end(company, kernel, supply)
    if status:
        raise AssertionError(f"the last kernel ended with status {status}")


def _run_to_the_end(company: Company, kernel: KernelProcess, supply: _Supply) -> int:
    """Wait until all is done, the kernel has ended or nothing has moved for long; its exit status."""
    # Not before it has gone round once: until then a request to stop is as good as a kill.
    if kernel.says(WORKING):
        deadline, reviewed = time.monotonic() + _PATIENCE_SECONDS, -1
        while not (kernel.over or _all_closed(company, supply.tickets)) and time.monotonic() < deadline:
            supply.top_up()
            time.sleep(0.02)
            before, reviewed = reviewed, len(list(company.layout.state(State.REVIEW).glob("*.md")))
            if reviewed > before:
                deadline = time.monotonic() + _PATIENCE_SECONDS
    return kernel.end()


def _judge(company: Company, report: Report) -> None:
    layout = company.layout
    lies = Counter(path.stem for state in State for path in layout.state(state).glob("*.md"))
    begun = Counter(_starts(layout).read_text().split()) if _starts(layout).exists() else Counter[str]()
    reviewed = {path.stem for path in layout.state(State.REVIEW).glob("*.md")}
    experiences = {path.stem for path in (layout.memory / _AGENT / "experiences").glob("*.md")}
    tickets = [_name(number) for number in range(report.tickets)]
    report.lost += [t for t in tickets if lies[t] != 1 or (t in reviewed and not begun[t])]
    report.doubled += [t for t in tickets if begun[t] > 1]
    report.stuck += [t for t in tickets if t not in reviewed]
    report.forgotten += [t for t in tickets if t not in experiences]
    report.unclosed += [attempt.ticket for attempt in RunFiles(layout).opened()]
    report.temporary += [str(path.relative_to(layout.root)) for path in layout.root.rglob("*.tmp")]


@contextmanager
def _company(slots: int) -> Iterator[Company]:
    """A company with one agent; nothing of it is left afterwards."""
    # Short: the path of a tmux socket has at most 107 bytes.
    with tempfile.TemporaryDirectory(prefix="hcc") as folder:
        base = Path(folder)
        layout = init_company(base / "company", environ={}).layout
        (base / "job.sh").write_text(_JOB)
        with layout.settings_file.open("a") as settings:
            settings.write(f"\nmax_running: {slots}\npoll_seconds: 0.1\nengines:\n  crash:\n    command: {base / 'job.sh'}\n")
        layout.agent(_AGENT).mkdir()
        profile = {"name": _AGENT, "engine": "crash", "capacity": slots}
        (layout.agent(_AGENT) / "profile.json").write_text(json.dumps(profile))
        layout.logs.mkdir(exist_ok=True)
        (layout.logs / "hc.log").touch()
        environ = {name: os.environ[name] for name in ("PATH",)}
        environ |= {"HOME": folder, "TMUX_TMPDIR": folder, "LANG": "C.UTF-8", "CRASH_STARTS": str(_starts(layout))}
        company = Company(layout, environ)
        try:
            yield company
        finally:
            socket = company.settings.tmux.socket
            subprocess.run(["tmux", "-L", socket, "kill-server"], env=environ, capture_output=True)


def _all_closed(company: Company, tickets: int) -> bool:
    if len(list(company.layout.state(State.REVIEW).glob("*.md"))) < tickets or RunFiles(company.layout).opened():
        return False
    return len(list((company.layout.memory / _AGENT / "experiences").glob("*.md"))) == tickets


def _starts(layout: Layout) -> Path:
    return layout.root.parent / "starts"


def _name(number: int) -> str:
    return f"T-{number:05}"
