"""Companies that are broken for real, and what `hc doctor` says of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.person import Person
from tests.support.whole_machine import whole_machine


@pytest.fixture
def person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Person]:
    """Somebody in a company in which everything is well."""
    with whole_machine(tmp_path, capsys) as person:
        yield person
