"""Workers in tmux: one window an agent, one launcher an attempt. tmux shows and starts; what is true lies in the run folder."""

from __future__ import annotations

import hashlib
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.domain.run import WorkerPhase, WorkerState
from hermes_company.domain.settings import TmuxSettings
from hermes_company.errors import Refusal
from hermes_company.ports.clock import Clock
from hermes_company.ports.workers import Activity, EndProgress, Stray, WorkerOrder
from hermes_company.terminal import cgroup, processes, records
from hermes_company.terminal.run_folder import LAUNCH_SCRIPT, Fence, RunFolder
from hermes_company.terminal.session import NotThere, Tmux
from hermes_company.terminal.standby import hand_over
from hermes_company.terminal.tmux_conf import tmux_conf
from hermes_company.terminal.typing import is_typed_into
from hermes_company.wording import Lang, say

FIRST_WINDOW = "company"
COMPANY_TAG = "@hc_company"
RUN_TAG = "@hc_run"
_WINDOW = re.compile(r"agent_[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_COMPANY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# What tmux and the launcher write below an engine's last words.
_FOOT = re.compile(r"(^(Pane is dead|── ).*\s*)+\Z", re.MULTILINE)
# What the launcher may take beyond the grace to end its tree before we do it.
_LAUNCHER_SECONDS = 5.0
# How long a process may take to die of KILL before it counts as stuck.
_KILL_SECONDS = 2.0
# A file system without links shows the fence for a moment before its content.
_FENCE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class _Pane:
    id: str
    dead: bool
    pid: int
    # Which attempt its launcher was started for; empty for a pane that is not ours.
    tag: str
    command: str


@dataclass(slots=True)
class _Ending:
    """Waking times at which the end was first asked for and first forced."""

    asked: float
    # Seconds to wait in between: the attempt's grace, and some more for a launcher to use it.
    patience: float
    killed: float | None = None


class TmuxWorkers:
    """`ports.workers.Workers` on the company's own tmux server.

    Args:
        settings: socket, session and size.
        company: the company's id, which tags its session.
        config: where the server's configuration is written to.
        log: what the first window shows as it grows.
        doorbell: FIFO that a launcher rings after its exit record.
        clock: waking time for graces, wall time for the age of a file.
        environ: the orchestrator's environment.
        lang: language of what the launcher says in a window.

    Raises:
        Refusal: `tmux-name-unusable`.
    """

    def __init__(
        self,
        settings: TmuxSettings,
        *,
        company: str,
        config: Path,
        log: Path,
        doorbell: Path,
        clock: Clock,
        environ: Mapping[str, str],
        lang: Lang = "en",
    ) -> None:
        if not _COMPANY_ID.fullmatch(company):
            raise ValueError(f"not a company id: {company!r}")
        self._tmux = Tmux(socket=settings.socket, session=settings.session, config=config, environ=environ)
        self._settings = settings
        self._company = company
        self._config = config
        self._log = log
        self._doorbell = doorbell
        self._clock = clock
        self._environ = environ
        self._lang = lang
        # Each window's pane and the attempt that was started there last: its launcher may stand by for the next.
        self._last: dict[str, tuple[str, RunFolder]] = {}
        # Ends that were asked for. Lost with the process: then they are asked for anew.
        self._endings: dict[Path, _Ending] = {}

    @property
    def tmux(self) -> Tmux:
        """The server that they work on."""
        return self._tmux

    def prepare(self) -> None:
        """See `Workers.prepare`."""
        self._tmux.require_program()
        try:
            form = f"#{{session_name}}\t#{{{COMPANY_TAG}}}"
            sessions = dict(line.split("\t", 1) for line in self._tmux.ask(("list-sessions", "-F", form)).splitlines())
        except NotThere:
            sessions = {}
        owner = sessions.get(self._settings.session)
        if owner is None:
            self._create_session()
        elif owner != self._company:
            raise session_taken(self._settings, owner)

    def spawn(self, order: WorkerOrder) -> str:
        """See `Workers.spawn`."""
        run = RunFolder(order.run_dir)
        if (
            not _WINDOW.fullmatch(order.window)
            or not is_ticket_id(order.run_dir.parent.name)
            or not order.run_dir.name.isdigit()
        ):
            raise ValueError(f"not generated words: {order.window!r}, {run.tag!r}")
        fence = run.fence()
        if fence is not None:
            return fence.pane or ""
        try:
            run.write(order, doorbell=self._doorbell, lang=self._lang)
            pane = self._hand_over(run, order.window) or self._start(run, order.window)
        except OSError as problem:
            run.forget_environment()
            raise _not_written(run, problem) from problem
        except Refusal:
            run.forget_environment()
            raise
        self._last[order.window] = (pane, run)
        return pane

    def state(self, run_dir: Path) -> WorkerState:
        """See `Workers.state`."""
        run = RunFolder(run_dir)
        fence = run.fence()
        if fence is None:
            return WorkerState(phase=WorkerPhase.NOT_STARTED)
        # Before the exit record: a launcher that is gone by now wrote it before it went.
        alive = fence.launcher_alive or self._appears(run, fence)
        ended = run.exit()
        phase = WorkerPhase.EXITED if ended else WorkerPhase.RUNNING if alive else WorkerPhase.VANISHED
        return WorkerState(
            phase=phase,
            pid=fence.pid,
            engine_pid=fence.engine,
            started_awake=fence.awake,
            exit_code=ended.code if ended else None,
            exit_signal=ended.signal if ended else None,
            stopped_by=ended.stopped_by if ended else None,
            refusal=ended.refusal if ended else None,
            refusal_detail=ended.detail if ended else None,
        )

    def end(self, run_dir: Path, token: str) -> EndProgress:
        """See `Workers.end`."""
        if is_typed_into(run_dir):
            return EndProgress.ENDING
        run = RunFolder(run_dir)
        fence = run.fence()
        if fence is None and run.bar():
            # Nobody will come for it any more.
            run.forget_environment()
            return EndProgress.ENDED
        fence = run.fence() or Fence()
        recorded = run.exit() is not None
        launcher = fence.pid if fence.launcher_alive and not recorded else None
        # A subreaper's record says that nothing is left below it, unless the engine itself gives it the lie.
        proved = recorded and processes.HAS_SUBREAPERS and not (fence.engine and processes.look_up(fence.engine))
        rest = set() if proved else {*processes.marked(token)}
        if fence.cgroup and not launcher and not recorded:
            # After its record a launcher may be at work on the next attempt there.
            rest.update(cgroup.members(fence.cgroup))
        if launcher is None and not rest:
            self._endings.pop(run_dir, None)
            if fence.cgroup and not recorded:
                cgroup.remove(fence.cgroup)
            return EndProgress.ENDED
        now = self._clock.awake()
        ending = self._endings.get(run_dir)
        if ending is None:
            patience = run.grace() + (_LAUNCHER_SECONDS if launcher else 0.0)
            ending = self._endings[run_dir] = _Ending(asked=now, patience=patience)
            for pid in [launcher] if launcher else rest:
                processes.terminate(pid)
        if now - ending.asked < ending.patience:
            return EndProgress.ENDING
        _kill(launcher, rest)
        ending.killed = now if ending.killed is None else ending.killed
        return EndProgress.STUCK if now - ending.killed >= _KILL_SECONDS else EndProgress.ENDING

    def survivors(self, token: str) -> tuple[int, ...]:
        """See `Workers.survivors`."""
        return processes.marked(token)

    def strays(self, root: Path) -> Sequence[Stray]:
        """See `Workers.strays`."""
        # A loop that was started inside an agent's window carries that attempt's words itself.
        ours = self._environ.get(processes.MARKER)
        return [
            Stray(token, ticket, int(number))
            for token, ticket, number in sorted(processes.attempts_of(str(root)))
            if token != ours and is_ticket_id(ticket) and number.isdecimal()
        ]

    def activity(self, run_dir: Path, pane: str | None) -> Activity:
        """See `Workers.activity`."""
        run = RunFolder(run_dir)
        fence = run.fence()
        tree = (fence.pid, *processes.descendants(fence.pid)) if fence and fence.pid else ()
        shown = self._capture(run, pane, "-J") or ""
        return Activity(sum(map(processes.cpu_seconds, tree)), hashlib.sha256(shown.encode()).hexdigest() if shown else "")

    def tail(self, run_dir: Path, pane: str | None, lines: int) -> str:
        """See `Workers.tail`."""
        run = RunFolder(run_dir)
        text = run.output()
        if text is None:
            text = self._capture(run, pane, "-J", "-S", f"-{lines}") or ""
        return "\n".join(text.splitlines()[-lines:])

    def picture(self, run_dir: Path, pane: str | None) -> str:
        """See `Workers.picture`."""
        return self._capture(RunFolder(run_dir), pane, "-e") or ""

    def keep_output(self, run_dir: Path, pane: str | None) -> None:
        """See `Workers.keep_output`."""
        run = RunFolder(run_dir)
        if run.output() is not None:
            return
        text = self._capture(run, pane, "-J", "-S", "-")
        if text is not None:
            run.keep_output(text)

    def attach_command(self, window: str | None) -> tuple[str, ...]:
        """The words that show the session, or one window of it, in a terminal.

        The window is matched exactly, the session has the server to itself. No word begins with `=`, which zsh would expand.
        """
        target = self._settings.session if window is None else f"{self._settings.session}:={window}"
        return ("tmux", "-L", self._settings.socket, "-u", "attach", "-t", target)

    def _create_session(self) -> None:
        self._config.parent.mkdir(parents=True, exist_ok=True)
        records.write(str(self._config), tmux_conf(self._settings).encode())
        size = ("-x", str(self._settings.width), "-y", str(self._settings.height))
        show_log = ("tail", "-n", "500", "-F", str(self._log))
        self._tmux.ask(
            ("new-session", "-d", "-s", self._settings.session, "-n", FIRST_WINDOW, *size, *show_log),
            ("set-option", "-t", f"={self._settings.session}:", COMPANY_TAG, self._company),
        )

    def _hand_over(self, run: RunFolder, window: str) -> str | None:
        """Let the launcher that waits in the window go on with this attempt. None when none waits there."""
        pane, last = self._last.get(window, ("", None))
        return pane if last and hand_over(str(last.path), str(run.path)) else None

    def _start(self, run: RunFolder, window: str) -> str:
        try:
            pane = self._find_pane(window)
        except NotThere:
            self.prepare()
            pane = None
        worker = ("/bin/sh", str(run.script), "stay")
        try:
            if pane is None:
                target = self._tmux.window(window)
                new_window = ("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", f"={self._settings.session}:", "-n", window)
                return self._tmux.ask((*new_window, *worker), ("set-option", "-p", "-t", target, RUN_TAG, run.tag)).strip()
            if not pane.dead and not _idle(pane):
                raise _busy(window, pane.tag)
            self._tmux.ask(
                ("clear-history", "-t", pane.id),
                ("respawn-pane", "-k", "-t", pane.id, *worker),
                ("set-option", "-p", "-t", pane.id, RUN_TAG, run.tag),
            )
        except NotThere as gone:
            raise _closed_meanwhile(window, str(gone)) from None
        return pane.id

    def _find_pane(self, window: str) -> _Pane | None:
        """Our pane of that window; a person may have split the window, so that others are in it."""
        fields = ("pane_id", "pane_dead", "pane_pid", RUN_TAG, "window_name", "pane_start_command")
        form = "\t".join(f"#{{{field}}}" for field in fields)
        listed = self._tmux.ask(("list-panes", "-s", "-t", f"={self._settings.session}:", "-F", form))
        rows = [line.split("\t", 5) for line in listed.splitlines()]
        panes = [_Pane(row[0], row[1] == "1", int(row[2]), row[3], row[5]) for row in rows if row[4] == window]
        return next((pane for pane in panes if pane.tag), panes[0] if panes else None)

    def _appears(self, run: RunFolder, fence: Fence) -> bool:
        if not fence.damaged:
            return False
        age = self._clock.now().timestamp() - (run.path / records.FENCE).stat().st_mtime
        return abs(age) < _FENCE_SECONDS

    def _capture(self, run: RunFolder, pane: str | None, *how: str) -> str | None:
        """The pane's text; `how` are options of `capture-pane`.

        Empty when there is none: the pane is gone or belongs to another launcher. None when tmux could not be asked.
        """
        fence = run.fence()
        if pane is None or fence is None:
            return ""
        try:
            shown = self._tmux.ask(
                ("display-message", "-p", "-t", pane, "#{pane_pid}"),
                ("capture-pane", "-p", *how, "-t", pane),
            )
        except NotThere:
            return ""
        except Refusal:
            # Only a picture is missing: no reason to hold up the end of an attempt.
            return None
        launcher, _, text = shown.partition("\n")
        if launcher != str(fence.pid):
            return ""
        return "".join(f"{line.rstrip()}\n" for line in _FOOT.sub("", text).rstrip().splitlines())


def _idle(pane: _Pane) -> bool:
    """Whether nothing runs there but a launcher that waits, or is about to leave."""
    return bool(pane.tag) and f"/{LAUNCH_SCRIPT}" in pane.command and not processes.descendants(pane.pid)


def _kill(launcher: int | None, rest: set[int]) -> None:
    below = processes.descendants(launcher) if launcher else ()
    for pid in {*rest, *below}:
        processes.send(pid, signal.SIGKILL)
    # As long as something is below it, the launcher is the one that orphans go to.
    if launcher and not below:
        processes.send(launcher, signal.SIGKILL)


def session_taken(settings: TmuxSettings, owner: str) -> Refusal:
    """The refusal of a session that another company, or nobody, has tagged."""
    return Refusal(
        "tmux-session-taken",
        fact=say(
            "The tmux session `{session}` on socket `{socket}` belongs to {owner}.",
            session=settings.session,
            socket=settings.socket,
            owner=say("another company ({id})", id=owner) if owner else say("somebody else: it has no company's tag"),
        ),
        cause=say("Two companies in one session would end each other's agents."),
        remedy=say("Set another `tmux.socket` in company.yaml."),
    )


def _busy(window: str, tag: str) -> Refusal:
    return Refusal(
        "window-busy",
        fact=say(
            "In window `{window}` something still runs: {what}.", window=window, what=tag or say("not one of our attempts")
        ),
        cause=say("Starting the next attempt there would kill it."),
        remedy=say("End it or close the window; the attempt is started then."),
        status=75,
    )


def _not_written(run: RunFolder, problem: OSError) -> Refusal:
    return Refusal(
        "run-folder-unusable",
        fact=say("What {run} needs for its start could not be written: {problem}", run=run.tag, problem=problem),
        cause=say("Nothing was started."),
        remedy=say("Look at the disk and at the permissions of `.hc/runs`."),
        status=75,
    )


def _closed_meanwhile(window: str, complaint: str) -> Refusal:
    return Refusal(
        "window-gone",
        fact=say(
            "Window `{window}` was closed while an attempt was about to start in it: {complaint}.",
            window=window,
            complaint=complaint,
        ),
        cause=say("Nothing was started."),
        remedy=say("The attempt can be started again."),
        status=75,
    )
