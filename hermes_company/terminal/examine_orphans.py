"""What outlived its attempt: processes, panes, keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.domain.run import Attempt, Phase
from hermes_company.errors import Refusal
from hermes_company.ports.doctor import Finding, Severity, well
from hermes_company.ports.runs import Runs
from hermes_company.ports.workers import EndProgress, Workers
from hermes_company.terminal import processes, records
from hermes_company.terminal.run_folder import LAUNCH_SCRIPT
from hermes_company.terminal.session import NotThere, Tmux
from hermes_company.wording import Text, say

_LOOK_SECONDS = 0.05
# Longer than an attempt's grace and what is added to it when its tree is ended by force.
_END_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Pane:
    """One pane of the company's server."""

    id: str
    dead: bool
    pid: int
    # The attempt that its launcher was started for; it may be at work on a later one by now.
    tag: str
    window: str
    command: str


def open_attempts(runs: Runs) -> list[Attempt]:
    """The attempts that are not closed, as far as their records can be read."""
    return [run for run in runs.opened() if isinstance(run, Attempt) and run.phase is not Phase.CLOSED]


class Orphans:
    """Finds what belongs to attempts that are closed.

    Args:
        tmux: the company's server.
        root: the company's folder.
        runs: the records of attempts.
        folders: `.hc/runs`.
        workers: makes what ends a process tree.
    """

    def __init__(self, tmux: Tmux, root: Path, *, runs: Runs, folders: Path, workers: Callable[[], Workers]) -> None:
        self._tmux = tmux
        self._root = root
        self._runs = runs
        self._folders = folders
        self._workers = workers
        self._open = {_tag(run): run for run in open_attempts(runs)}

    def check(self, panes: Iterable[Pane]) -> Iterator[Finding]:
        """Everything that outlived its attempt."""
        carried = processes.carried()
        closed, strays = list(self._closed(carried)), self._strays()
        problems = [self._processes(run, carried[run.token]) for run in closed]
        problems += [_stray(tag, carried.get(token, ())) for token, tag in strays.items()]
        reported = {pid for token in (*strays, *(run.token for run in closed)) for pid in carried.get(token, ())}
        problems += [self._pane(pane, left) for pane in panes if (left := self._left_in(pane)) and not reported & set(left)]
        problems += list(self._keys())
        yield from problems
        if not problems:
            yield well("orphans", say("Nothing runs that belongs to an attempt that has ended."))

    def _closed(self, carried: Mapping[str, tuple[int, ...]]) -> Iterator[Attempt]:
        """The closed attempts of this company whose token a living process carries."""
        if not carried.keys() - {run.token for run in self._open.values()} or not self._folders.is_dir():
            return
        for folder in sorted(self._folders.iterdir()):
            for run in self._runs.history(folder.name):
                if run.phase is Phase.CLOSED and run.token in carried:
                    yield run

    def _strays(self) -> dict[str, str]:
        """Token → ticket and number of what runs for this company without a record, as when somebody deleted `.hc/`."""
        strays: dict[str, str] = {}
        for token, ticket, number in sorted(processes.attempts_of(str(self._root))):
            known = self._runs.history(ticket) if is_ticket_id(ticket) else ()
            if all(run.token != token for run in known):
                strays[token] = f"{ticket}/{number}"
        return strays

    def _processes(self, run: Attempt, pids: tuple[int, ...]) -> Finding:
        ourselves = processes.lineage() & set(pids)
        return Finding(
            code="orphan-processes",
            severity=Severity.BAD,
            seen=say("{run} is closed, but processes of it are alive: {pids}.", run=_tag(run), pids=_listed(pids)),
            remedy=say("You stand in one of them: examine the company from a terminal of your own.")
            if ourselves
            else say("`hc doctor --fix` ends them."),
            fix=None if ourselves else partial(self._end, run),
            needs_rest=True,
        )

    def _end(self, run: Attempt) -> Text:
        pids = processes.marked(run.token)
        workers, folder = self._workers(), self._runs.folder(run.ticket, run.number)
        while (progress := workers.end(folder, run.token)) is EndProgress.ENDING:
            time.sleep(_LOOK_SECONDS)
        if progress is EndProgress.STUCK:
            raise _survive(processes.marked(run.token))
        return say("Ended what was left of {run}: {pids}.", run=_tag(run), pids=_listed(pids))

    def _left_in(self, pane: Pane) -> tuple[int, ...]:
        """What runs in a pane of ours although no open attempt works there. A launcher that waits for the next one is none."""
        at_work = {self._workers().state(self._runs.folder(r.ticket, r.number)).pid for r in self._open.values()}
        ours = pane.tag and f"/{LAUNCH_SCRIPT}" in pane.command and not pane.dead
        if not ours or pane.tag in self._open or pane.pid in at_work:
            return ()
        return processes.descendants(pane.pid)

    def _pane(self, pane: Pane, left: tuple[int, ...]) -> Finding:
        return Finding(
            code="orphan-pane",
            severity=Severity.BAD,
            seen=say(
                "No attempt is open in window {window}, but something runs there: {pids}.",
                window=pane.window,
                pids=_listed(left),
            ),
            remedy=say("`hc doctor --fix` closes the window and ends them."),
            fix=partial(self._close, pane),
            needs_rest=True,
        )

    def _close(self, pane: Pane) -> Text:
        left = {pid: process.start for pid in self._left_in(pane) if (process := processes.look_up(pid))}
        boot, deadline = processes.boot_id(), time.monotonic() + _END_SECONDS
        if left:
            with suppress(NotThere):  # it went by itself
                self._tmux.ask(("kill-pane", "-t", pane.id))
        while alive := [pid for pid, start in left.items() if processes.is_alive(pid, start, boot)]:
            if time.monotonic() >= deadline:
                raise _survive(alive)
            time.sleep(_LOOK_SECONDS)
        return say("Closed window {window} and ended what ran there: {pids}.", window=pane.window, pids=_listed(left))

    def _keys(self) -> Iterator[Finding]:
        """Environments that no launcher took: they hold the keys of an attempt that has been given up."""
        left = [path for path in sorted(self._folders.glob(f"*/*/{records.ENVIRONMENT}")) if _tag_of(path) not in self._open]
        if left:
            names = ", ".join(map(_tag_of, left))
            yield Finding(
                code="keys-left",
                severity=Severity.BAD,
                seen=say("The environment of attempts that have ended, keys included, is still kept: {names}.", names=names),
                remedy=say("`hc doctor --fix` deletes it; nobody needs it any more."),
                fix=partial(_delete, left),
                needs_rest=True,
            )


def _stray(tag: str, pids: tuple[int, ...]) -> Finding:
    return Finding(
        code="stray-processes",
        severity=Severity.BAD,
        seen=say("Processes of {run} are alive, but no record of it is left: {pids}.", run=tag, pids=_listed(pids)),
        remedy=say("`hc run` ends them before it starts that ticket again."),
    )


def _delete(paths: list[Path]) -> Text:
    for path in paths:
        path.unlink(missing_ok=True)
    return say("Deleted the kept environment of {names}.", names=", ".join(map(_tag_of, paths)))


def _tag(run: Attempt) -> str:
    return f"{run.ticket}/{run.number}"


def _tag_of(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.parent.name}"


def _listed(pids: Iterable[int]) -> str:
    return ", ".join(map(str, pids))


def _survive(pids: Iterable[int]) -> Refusal:
    return Refusal(
        "processes-survive",
        fact=say("Processes survive their end: {pids}.", pids=_listed(pids)),
        cause=say("The system does not let go of them, as it does while a disk or a network file system does not answer."),
        remedy=say("Look at what they wait for: ps -o pid,stat,wchan -p {pids}", pids=_listed(pids).replace(" ", "")),
    )
