"""Commands run in this process, on real company folders; only what needs a whole process starts one."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.cli.straight import Reader, understand
from tests.support.companies import new_company
from tests.support.person import Person


@pytest.fixture
def read() -> Reader:
    """The way that commands take; `both_ways` tries the other one too."""
    return understand


@pytest.fixture
def person(tmp_path: Path, capsys: pytest.CaptureFixture[str], read: Reader) -> Person:
    """Somebody in a fresh English company with one agent."""
    return _hired(tmp_path / "acme", capsys, "en", read)


@pytest.fixture
def chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str], read: Reader) -> Person:
    """Somebody in a fresh Chinese company with one agent."""
    return _hired(tmp_path / "公司", capsys, "zh", read)


def _hired(folder: Path, capsys: pytest.CaptureFixture[str], lang: str, read: Reader) -> Person:
    new_company(folder, lang=lang)  # type: ignore[arg-type]
    person = Person(folder, capsys)
    person.ok("agent", "add", "worker", "--engine", "shell", "--role", "chores", "--skills", "sh,tidy")
    person.read = read
    return person
