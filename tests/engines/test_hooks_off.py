"""A person's own settings can switch hooks off. Ours stay on: the guard is one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.domain.signals import SignalKind
from tests.engines.conftest import Rigged
from tests.scripted_model import hand_in


def switch_off(environ: dict[str, str]) -> None:
    """What a person writes to be rid of all hooks."""
    if "CODEX_HOME" in environ:
        file = Path(environ["CODEX_HOME"]) / "config.toml"
        file.write_text(file.read_text() + "\n[features]\nhooks = false\n")
        return
    file = Path(environ["CLAUDE_CONFIG_DIR"]) / "settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "disableAllHooks": True}))


@pytest.mark.timeout(300)
def test_switched_off_the_real_engine_reports_all_the_same(rigged: Rigged) -> None:
    """The word that is given with each launch is the stronger one."""
    with rigged(hand_in()) as (rig, _):
        switch_off(dict(rig.environ))
        job = rig.job()
        rig.begin(job)

        assert rig.done(job) == job.token
        assert rig.signal(job, SignalKind.TOOL_USED)
