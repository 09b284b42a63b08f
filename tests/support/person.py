"""Somebody at a terminal, in a company of their own."""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hermes_company.cli.boundary import call
from hermes_company.cli.straight import Reader, understand
from hermes_company.domain.run import Attempt, Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from hermes_company.wording import Text, say

_WAYS: dict[str, Reader] = {"straight": understand, "typer": lambda argv: None}
# For tests of commands that agents call: whichever way a command line takes, the answer is the same.
both_ways = [pytest.mark.usefixtures("read"), pytest.mark.parametrize("read", _WAYS.values(), ids=_WAYS)]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command left: its exit status and what it printed."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its standard output, parsed."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        """Its standard output by lines."""
        return self.out.splitlines()


@dataclass(slots=True)
class Person:
    """Runs `hc` in this process, in folder `here`, with an environment of its own."""

    here: Path
    capsys: pytest.CaptureFixture[str]
    environ: dict[str, str] = field(default_factory=dict)
    # Which way commands take.
    read: Reader = understand

    def __post_init__(self) -> None:
        # Without git: no test reads the machine's git settings.
        home = {"HOME": str(self.here.parent / "home"), "USER": "ann", "LANG": "C.UTF-8"}
        self.environ = {"PATH": str(self.here / "no-programs"), **home, **self.environ}

    @property
    def layout(self) -> Layout:
        """The company that the person stands in."""
        return Layout(self.here)

    def hc(self, *argv: str, stdin: str = "") -> Answer:
        """Run one command line; `stdin` is what it may read."""
        self.capsys.readouterr()
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        try:
            status = call(argv, self.environ, self.here, read=self.read)
        finally:
            sys.stdin = before
        printed = self.capsys.readouterr()
        return Answer(status, printed.out, printed.err)

    def ok(self, *argv: str, stdin: str = "") -> Answer:
        """Run one command line that must succeed."""
        answer = self.hc(*argv, stdin=stdin)
        assert answer.status == 0, answer
        return answer

    def drop(self, ticket: str, text: str = "# Do it\n", state: State = State.TODO, *, age: float = 60.0) -> Path:
        """Put a ticket's file into a folder, as old as is said (seconds)."""
        path = self.layout.ticket(ticket, state)
        path.write_text(text, encoding="utf-8")
        self.rest(path, age)
        return path

    def rest(self, path: Path, age: float = 60.0) -> None:
        """Make a file that old, so that it no longer counts as being written."""
        moment = datetime.now(UTC).timestamp() - age
        os.utime(path, (moment, moment))

    def attempt(
        self, ticket: str, *, agent: str = "worker", minutes_ago: float = 12, flags: Sequence[Text] = (), **fields: Any
    ) -> Attempt:
        """Record an attempt as the loop would have; closed where it has an outcome."""
        runs = RunFiles(self.layout)
        number = runs.next_number(ticket)
        taken = datetime.now(UTC) - timedelta(minutes=minutes_ago)
        outcome: Outcome | None = fields.get("outcome")
        defaults: dict[str, Any] = {
            "engine": "shell",
            "token": f"hc-{number:016x}",
            "session_id": "s",
            "phase": Phase.CLOSED if outcome else Phase.LAUNCHED,
            "outbox": str(self.layout.outbox(agent, ticket)),
            "lease_expires": taken,
            "window": f"agent_{agent}",
            "reason": say("DONE and a summary.") if outcome else None,
            "closed_at": taken + timedelta(minutes=1) if outcome else None,
        }
        run = Attempt(**{**defaults, **fields}, ticket=ticket, number=number, agent=agent, taken_at=taken, flags=tuple(flags))
        runs.open(run)
        if outcome:
            runs.close(run)
        return run

    def loop_runs(self, pid: int | None = None, host: str | None = None) -> None:
        """Write down who runs the company, as the holder of the lock does; this process, unless told otherwise."""
        since = datetime.now(UTC).isoformat(timespec="seconds")
        holder = {"pid": pid or os.getpid(), "host": host or platform.node(), "since": since}
        self.layout.kernel_holder.write_text(json.dumps(holder))

    def hand_in(self, ticket: str, summary: str = "## Steps\n\n- Did it.\n", agent: str = "worker") -> Attempt:
        """A ticket in review whose agent has finished."""
        if not self.layout.ticket(ticket, State.REVIEW).exists():
            self.drop(ticket, state=State.REVIEW)
        outbox = self.layout.outbox(agent, ticket)
        outbox.mkdir(parents=True, exist_ok=True)
        (outbox / "summary.md").write_text(summary, encoding="utf-8")
        (outbox / "DONE").touch()
        return self.attempt(ticket, agent=agent, outcome=Outcome.FINISHED, moved_to=State.REVIEW)

    def where(self, ticket: str) -> State:
        """The one folder that it lies in."""
        places = [state for state in State if self.layout.ticket(ticket, state).exists()]
        assert len(places) == 1, f"{ticket} lies in {places}"
        return places[0]


def loaded_by(argv: Sequence[str], folder: Path) -> set[str]:
    """The modules that are loaded once a fresh process has run a command line that succeeds."""
    code = (
        "import json, os, sys\n"
        "from pathlib import Path\n"
        "from hermes_company.cli.boundary import call\n"
        f"status = call({list(argv)!r}, os.environ, Path.cwd())\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr))
