"""Running a company in this terminal: the lock, the loop, and what a person sees of it."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Protocol

from hermes_company.cli.door import Door
from hermes_company.cli.lines import event_line
from hermes_company.domain.agent import Agent
from hermes_company.errors import Refusal
from hermes_company.folders.company_files import check_tree
from hermes_company.folders.company_lock import company_lock
from hermes_company.folders.watch import waker
from hermes_company.kernel.daemon import Daemon
from hermes_company.ports.events import Event
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.kernel.loop import Kernel

_LOG_BYTES = 5_000_000
_LOG_FILES = 3
_events = logging.getLogger("hermes_company.events")


class Screen(Protocol):
    """What a person sees while the company runs."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def trouble(self, text: Text) -> None:
        """Something keeps the loop from its work, or no longer does."""

    def round_over(self) -> None:
        """The loop has gone round once more."""


def run_company(door: Door, *, once: bool, plain: bool) -> None:
    """Run the loop until it is asked to stop, or for one round.

    Raises:
        Refusal: `company-already-runs`, `folder-missing`, `folder-elsewhere`, what tmux lacks.
    """
    company = door.company
    with company_lock(company.layout, company.clock), _log(company):
        check_tree(company.layout)
        company.workers.prepare()
        _warn_of_engines(door)
        kernel = company.kernel()
        with ExitStack() as stack:
            wakes = stack.enter_context(waker(company.layout))
            if wakes.degraded:
                door.warn(say("Folders can't be watched ({problem}): changes are noticed later.", problem=wakes.degraded))
            live = not plain and not once and sys.stdout.isatty()
            screen = stack.enter_context(_live(door, kernel) if live else _plain(door))
            daemon = Daemon(kernel, wakes, company.catch_up, _Watcher(company, kernel, screen).look)
            if once:
                kernel.recover()
                daemon.once()
                if kernel.held_up:
                    raise kernel.held_up
            else:
                daemon.run()
        if kernel.running:
            _say_goodbye(door, kernel)


def _warn_of_engines(door: Door) -> None:
    """Say by name what would keep agents from being started, before the first ticket finds out."""
    company = door.company
    told: set[str] = set()
    for agent in company.agents.all().values():
        engine = company.engines.get(agent.engine) if isinstance(agent, Agent) else None
        if engine is None or not isinstance(agent, Agent):
            continue
        problem = engine.check(company.sight.engine_settings(agent.engine), door.environ).refusal
        problem = problem or _preflight(company, agent)
        if problem and f"{agent.engine} {problem.code}" not in told:
            told.add(f"{agent.engine} {problem.code}")
            door.warn(say("{agent} can't start.", agent=agent.name), problem.fact, problem.remedy)


def _preflight(company: Company, agent: Agent) -> Refusal | None:
    return company.engines[agent.engine].preflight(company.job_for(agent, company.layout.outbox_root / agent.name))


def _say_goodbye(door: Door, kernel: Kernel) -> None:
    names = ", ".join(f"{run.agent} ({run.ticket})" for run in kernel.running)
    door.tell(
        say("These agents go on without hc: {names}.", names=names),
        say("`hc run` takes them up again; `hc attach` shows them."),
    )


class _Watcher:
    """Tells the screen and the log what was appended to the event log since the last look."""

    def __init__(self, company: Company, kernel: Kernel, screen: Screen) -> None:
        self._company = company
        self._kernel = kernel
        self._screen = screen
        self._held_up = False
        self._seen = company.events.last_seq()

    def look(self) -> None:
        for event in self._company.events.after(self._seen):
            self._seen = event.seq
            _events.info(event_line(event, self._company.settings.lang))
            self._screen.event(event)
        if bool(self._kernel.held_up) is not self._held_up:
            self._held_up = not self._held_up
            self._screen.trouble(_held_up(self._kernel.held_up))
        self._screen.round_over()


def _held_up(problem: OSError | None) -> Text:
    if problem is None:
        return say("The disk takes what is written again; the company goes on.")
    return say("Nothing new is started: the disk does not take what is to be written ({problem}). Make room.", problem=problem)


class _Plain:
    """One line an event."""

    def __init__(self, door: Door) -> None:
        self._door = door

    def event(self, event: Event) -> None:
        self._door.line(event_line(event, self._door.lang))

    def trouble(self, text: Text) -> None:
        self._door.warn(text)

    def round_over(self) -> None:
        """Nothing to refresh."""


@contextmanager
def _plain(door: Door) -> Iterator[Screen]:
    attach = " ".join(door.company.workers.attach_command(None))
    door.tell(say("{company} runs. To watch the agents: {command}", company=door.company.settings.name, command=attach))
    yield _Plain(door)


@contextmanager
def _live(door: Door, kernel: Kernel) -> Iterator[Screen]:
    from hermes_company.cli.board import live_board

    with live_board(door.company, kernel, door.lang) as board:
        yield board


class _Lines(logging.Formatter):
    """Event lines as they are; what else is logged says when and how bad."""

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return line if record.name == _events.name else f"{self.formatTime(record)} {record.levelname} {line}"


class _File(RotatingFileHandler):
    """A log that may fall behind: that the disk is full is said on the screen, which a traceback a line would tear."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Nothing: see above."""


@contextmanager
def _log(company: Company) -> Iterator[None]:
    """`logs/hc.log`, which the company's tmux window shows."""
    company.layout.logs.mkdir(exist_ok=True)
    handler = _File(
        company.layout.logs / "hc.log", maxBytes=_LOG_BYTES, backupCount=_LOG_FILES, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(_Lines())
    logger = logging.getLogger("hermes_company")
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        with _quiet_libraries(handler):
            yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before
        handler.close()


@contextmanager
def _quiet_libraries(handler: logging.Handler) -> Iterator[None]:
    """Warnings go to the log: on the terminal they would tear the board."""
    warned = logging.getLogger("py.warnings")
    warned.addHandler(handler)
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            # watchdog, about a folder that appears while it is being watched; nothing is missed by it.
            warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
            yield
    finally:
        logging.captureWarnings(False)
        warned.removeHandler(handler)
