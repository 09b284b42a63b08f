"""Companies that are broken for real, and what `hc doctor` says of them."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.companies import new_company
from tests.support.examined import environment, own_socket
from tests.support.person import Person


@pytest.fixture
def person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Person]:
    """Somebody with a company in which everything is well: one agent, a repository, all programs there."""
    # Not below the test's folder: the path of a socket is limited to 107 bytes.
    sockets = Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp"))
    home = tmp_path / "home"
    home.mkdir()
    new_company(tmp_path / "acme")
    person = Person(tmp_path / "acme", capsys, environment(home, sockets))
    own_socket(person)
    subprocess.run(["git", "init", "--quiet"], cwd=person.here, env=person.environ, check=True)
    person.ok("agent", "add", "worker", "--engine", "shell")
    yield person
    shutil.rmtree(sockets)
