"""Examining tmux and the company's server in it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from hermes_company.domain.run import Attempt, WorkerPhase
from hermes_company.domain.settings import TmuxSettings
from hermes_company.errors import Refusal
from hermes_company.ports.doctor import Finding, Severity, bad, gather, well
from hermes_company.ports.runs import Runs
from hermes_company.ports.workers import Workers
from hermes_company.terminal import processes
from hermes_company.terminal.examine_orphans import Orphans, Pane, open_attempts
from hermes_company.terminal.session import NotThere, Tmux, is_utf8, own_locale
from hermes_company.terminal.workers import COMPANY_TAG, RUN_TAG, session_taken
from hermes_company.wording import say

# Options of a single pane, by which attempts are tagged, came with it.
_OLDEST = (3, 0)
# What the system allows for the path of a socket, its end mark aside.
_LONGEST_SOCKET = 103 if sys.platform == "darwin" else 107
_FIELDS = ("pane_id", "pane_dead", "pane_pid", RUN_TAG, "window_name", "pane_start_command")


class TerminalExaminer:
    """`Examiner` of what agents work in.

    Args:
        settings: socket and session.
        company: the company's id, which tags its session; None where it has none yet.
        root: the company's folder.
        config: the server's configuration file.
        runs: the records of attempts.
        run_folders: `.hc/runs`.
        workers: makes what ends a process tree, when that is asked for.
        environ: the orchestrator's environment.
    """

    def __init__(
        self,
        settings: TmuxSettings,
        *,
        company: str | None,
        root: Path,
        config: Path,
        runs: Runs,
        run_folders: Path,
        workers: Callable[[], Workers],
        environ: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._company = company
        self._root = root
        self._config = config
        self._runs = runs
        self._run_folders = run_folders
        self._workers = workers
        self._environ = environ

    def examine(self) -> Sequence[Finding]:
        """See `Examiner.examine`."""
        try:
            tmux = Tmux(
                socket=self._settings.socket, session=self._settings.session, config=self._config, environ=self._environ
            )
            tmux.require_program()
        except Refusal as problem:
            return [bad(problem), *gather(self._check_locale)]
        orphans = Orphans(tmux, self._root, runs=self._runs, folders=self._run_folders, workers=self._workers)
        panes = _panes(tmux)
        return gather(
            lambda: _check_version(tmux),
            lambda: _check_socket_path(tmux),
            self._check_locale,
            lambda: self._check_server(tmux, panes),
            lambda: orphans.check(panes if isinstance(panes, list) else []),
        )

    def _check_locale(self) -> Iterator[Finding]:
        locale = own_locale(self._environ)
        if is_utf8(locale):
            yield well("locale", say("The locale {locale} is UTF-8.", locale=locale))
            return
        yield Finding(
            code="locale-not-utf8",
            severity=Severity.WARN,
            seen=say("The locale {locale} is not UTF-8: Chinese may come out as `?` or `_`.", locale=locale or "(none)"),
            remedy=say("Set one in your shell, e.g. `export LC_ALL=C.UTF-8`. Agents get a UTF-8 locale all the same."),
        )

    def _check_server(self, tmux: Tmux, panes: list[Pane] | Refusal | None) -> Iterator[Finding]:
        if isinstance(panes, Refusal):
            yield bad(panes)
        elif panes is None:
            yield from self._no_server(tmux)
        else:
            yield from self._check_session(tmux, panes)

    def _check_session(self, tmux: Tmux, panes: list[Pane]) -> Iterator[Finding]:
        form = f"#{{session_name}}\t#{{{COMPANY_TAG}}}"
        sessions = dict(line.split("\t", 1) for line in tmux.ask(("list-sessions", "-F", form)).splitlines())
        owner = sessions.get(tmux.session)
        if owner is None:
            yield well("tmux-server", say("The tmux server {socket} runs, without a session of ours.", socket=tmux.socket))
        elif self._company is not None and owner != self._company:
            yield bad(session_taken(self._settings, owner))
        else:
            count = len({pane.window for pane in panes})
            seen = say("The company's tmux server {socket} shows {count} windows.", socket=tmux.socket, count=count)
            yield well("tmux-server", seen)

    def _no_server(self, tmux: Tmux) -> Iterator[Finding]:
        """No answer at the socket. That is as it should be while nothing runs; else somebody deleted the socket."""
        living = [run for run in open_attempts(self._runs) if self._lives(run)]
        if not living:
            yield well("tmux-server", say("No tmux server runs on {socket}; `hc run` starts it.", socket=tmux.socket))
            return
        server = _server_above(self._launcher(living[0]))
        remedy = say("Make it anew: kill -USR1 {pid}", pid=server) if server else say("`hc run` starts a new server.")
        yield Finding(
            code="tmux-socket-gone",
            severity=Severity.BAD,
            seen=say(
                "{run} runs, but its tmux server can't be reached: the socket {path} is gone.",
                run=f"{living[0].ticket}/{living[0].number}",
                path=tmux.socket_path,
            ),
            remedy=remedy,
        )

    def _lives(self, run: Attempt) -> bool:
        return self._workers().state(self._runs.folder(run.ticket, run.number)).phase is WorkerPhase.RUNNING

    def _launcher(self, run: Attempt) -> int:
        return self._workers().state(self._runs.folder(run.ticket, run.number)).pid or 0


def _panes(tmux: Tmux) -> list[Pane] | Refusal | None:
    """Every pane of the server; None when there is no server, the refusal when it can't be asked."""
    form = "\t".join(f"#{{{field}}}" for field in _FIELDS)
    try:
        listed = tmux.ask(("list-panes", "-a", "-F", form))
    except NotThere:
        return None
    except Refusal as problem:
        return problem
    rows = [line.split("\t", 5) for line in listed.splitlines()]
    return [Pane(id=r[0], dead=r[1] == "1", pid=int(r[2]), tag=r[3], window=r[4], command=r[5]) for r in rows]


def _check_version(tmux: Tmux) -> Iterator[Finding]:
    try:
        version = tmux.version()
    except Refusal as problem:
        yield bad(problem)
        return
    found = re.search(r"(\d+)\.(\d+)", version)
    if found and (int(found[1]), int(found[2])) < _OLDEST:
        yield Finding(
            code="tmux-old",
            severity=Severity.BAD,
            seen=say("{version} is too old: attempts could not be told apart in it.", version=version),
            remedy=say("Install tmux {oldest} or newer.", oldest=".".join(map(str, _OLDEST))),
        )
    else:
        yield well("tmux", say("{version} is there.", version=version))


def _check_socket_path(tmux: Tmux) -> Iterator[Finding]:
    length = len(str(tmux.socket_path).encode())
    if length > _LONGEST_SOCKET:
        yield Finding(
            code="socket-path-long",
            severity=Severity.BAD,
            seen=say(
                "The path of the tmux socket has {length} bytes; the system allows {most}: {path}",
                length=length,
                most=_LONGEST_SOCKET,
                path=tmux.socket_path,
            ),
            remedy=say("Set a shorter `tmux.socket` in company.yaml, or TMUX_TMPDIR to a folder with a short path."),
        )


def _server_above(launcher: int) -> int | None:
    """The tmux server that a launcher was started by; None when that has gone and somebody else is its parent."""
    process = processes.look_up(launcher)
    parent = process.parent if process else 0
    return parent if parent and processes.program(parent).startswith("tmux") else None
