"""What `hc doctor` said, for tests to look at."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.person import Person


@dataclass(frozen=True, slots=True)
class Examined:
    """One answer."""

    status: int
    answer: dict[str, Any]

    @property
    def codes(self) -> dict[str, str]:
        """Code → severity of everything that is not well."""
        return {f["code"]: f["severity"] for f in self.answer["findings"] if f["severity"] != "ok"}

    def of(self, code: str) -> dict[str, Any]:
        """The one finding of that code."""
        found = [f for f in self.answer["findings"] if f["code"] == code]
        assert len(found) == 1, self.answer
        return dict(found[0])

    @property
    def done(self) -> dict[str, bool]:
        """Code → whether it was repaired, of all that was to be."""
        return {repair["code"]: repair["done"] for repair in self.answer["repairs"]}


def doctor(person: Person, *argv: str) -> Examined:
    """`hc doctor --json` in this process."""
    answer = person.hc("doctor", "--json", *argv)
    assert not answer.err, answer.err
    return Examined(answer.status, answer.json)


def doctor_process(
    person: Person, *argv: str, through: Sequence[str] = (sys.executable, "-m"), environ: Mapping[str, str] | None = None
) -> Examined:
    """`hc doctor --json` in a process of its own, started by the words `through`."""
    words = [*through, "hermes_company", "doctor", "--json", *argv]
    # For what lies in the repository and is not installed.
    env = {**person.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(environ or {})}
    done = subprocess.run(words, cwd=person.here, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return Examined(done.returncode, json.loads(done.stdout))


def elsewhere(person: Person, script: str, *argv: str) -> Examined:
    """`hc doctor --json` in a mount namespace of its own, in which `script` (with `$COMPANY`) was run as root before."""
    enter = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody make user and mount namespaces, so no disk can be made small, full or read-only")
    shell = ["sh", "-euc", f'{script}\ncd "$COMPANY"\nexec "$@"', "sh"]
    through = [*enter, *shell, sys.executable, "-m"]
    return doctor_process(person, *argv, through=through, environ={"COMPANY": str(person.here)})


def dead_pid() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid
