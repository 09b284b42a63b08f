"""Every test here runs on real tmux."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tmux import TmuxCompany, tmux_company


@pytest.fixture
def company(tmp_path: Path) -> Iterator[TmuxCompany]:
    """A company with its session."""
    with tmux_company(tmp_path / "acme") as made:
        made.workers.prepare()
        yield made
