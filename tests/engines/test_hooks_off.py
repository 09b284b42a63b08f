"""A person's own settings can silence our hooks; where they do, that is found beforehand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.engines import claude_consents, codex_consents
from hermes_company.ports.engine import Job
from tests.engines.conftest import Rigged
from tests.scripted_model import hand_in
from tests.support.engine_rig import make_job

ASKS = {"claude-code": claude_consents.hooks_off, "codex": codex_consents.hooks_off}


def switch_off(environ: dict[str, str]) -> Path:
    """What a person writes to be rid of all hooks."""
    if "CODEX_HOME" in environ:
        file = Path(environ["CODEX_HOME"]) / "config.toml"
        file.write_text(file.read_text() + "\n[features]\nhooks = false\n")
        return file
    file = Path(environ["CLAUDE_CONFIG_DIR"]) / "settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "disableAllHooks": True}))
    return file


@pytest.mark.timeout(300)
def test_switched_off_the_real_engine_reports_nothing_and_still_hands_in(rigged: Rigged) -> None:
    """The finding is true: no report arrives, the file is named, and DONE comes all the same."""
    with rigged(hand_in()) as (rig, _):
        asks = ASKS[rig.engine.name]
        before = asks(rig.job())
        file = switch_off(dict(rig.environ))
        job = rig.job()
        rig.begin(job)

        assert before is None
        assert asks(job) == file
        assert rig.done(job) == job.token
        assert list(rig.signals(job)) == []


@pytest.mark.parametrize(
    ("user", "project", "local", "named"),
    [
        (None, None, None, None),
        (True, None, None, "user"),
        (False, None, None, None),
        (True, False, None, None),
        (None, True, None, "project"),
        (None, True, False, None),
        (True, None, True, "local"),
    ],
)
def test_the_strongest_word_counts(
    tmp_path: Path, user: bool | None, project: bool | None, local: bool | None, named: str | None
) -> None:
    """Claude Code asks the person's settings, the project's and the project's local ones, each stronger than the last."""
    job = claude_job(tmp_path)
    files = {
        "user": tmp_path / "config" / "settings.json",
        "project": job.workdir / ".claude" / "settings.json",
        "local": job.workdir / ".claude" / "settings.local.json",
    }
    for name, off in (("user", user), ("project", project), ("local", local)):
        files[name].parent.mkdir(exist_ok=True)
        files[name].write_text(json.dumps({} if off is None else {"disableAllHooks": off}))

    assert claude_consents.hooks_off(job) == (files[named] if named else None)


def claude_job(root: Path) -> Job:
    return make_job(root, "claude-code", environ={"HOME": str(root), "CLAUDE_CONFIG_DIR": str(root / "config")})
