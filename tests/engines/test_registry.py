"""Engines by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_company.domain.settings import EngineSettings
from hermes_company.engines.registry import Engines, get_engine
from hermes_company.errors import Refusal
from tests.support.engine_rig import make_job


def test_ours_are_always_there() -> None:
    """The engines of the package are found by their names."""
    engines = Engines()

    assert {"claude-code", "codex", "shell", "custom"} <= set(engines)
    assert all(engine.name == name for name, engine in engines.items())


def test_unknown_name_is_refused_with_a_guess() -> None:
    """A misspelt name is answered with what was probably meant and what there is, in both languages."""
    with pytest.raises(Refusal) as raised:
        get_engine("Claude_Code")

    assert raised.value.code == "engine-unknown"
    for lang in ("en", "zh"):
        assert "`claude-code`" in raised.value.in_lang(lang)
        assert "codex" in raised.value.in_lang(lang)


def test_name_like_nothing_lists_all() -> None:
    """A name that resembles none is answered with the list."""
    with pytest.raises(Refusal) as raised:
        get_engine("gpt")

    assert "claude-code, codex, custom, shell" in raised.value.in_lang("en")


OFFER = "[hermes_company.engines]\nguest = guest_engine:Guest\nbroken = nowhere:Engine\ncodex = guest_engine:Guest\n"
GUEST = "class Guest:\n    name = 'guest'\n"


@pytest.fixture
def guests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another package that offers engines: one that works, one that doesn't, and one under a name of ours."""
    info = tmp_path / "guest-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(OFFER)
    (tmp_path / "guest_engine.py").write_text(GUEST)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_others_are_found_by_entry_point(guests: Path) -> None:
    """An installed package adds an engine without a change here; it can't replace one of ours."""
    engines = Engines()

    assert engines["guest"].name == "guest"
    assert type(engines["codex"]).__module__ == "hermes_company.engines.codex"


def test_ours_come_without_a_look_at_what_is_installed() -> None:
    """An engine of the package is there before installed packages were searched, which takes longer than all else."""
    code = (
        "import sys; from hermes_company.engines.registry import Engines; engines = Engines(); engines['shell']; "
        "print('importlib.metadata' in sys.modules, 'gpt' in engines, 'importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False", "True"]


def test_broken_package_stops_only_its_own_agents(guests: Path, tmp_path: Path) -> None:
    """An engine that can't be loaded is listed, says why when asked, and never starts anything."""
    broken = Engines()["broken"]
    refusal = broken.check(EngineSettings(), {}).refusal
    job = make_job(tmp_path / "company", "broken")

    assert refusal is not None
    assert refusal.code == "engine-broken"
    assert "nowhere" in refusal.in_lang("en")
    assert broken.prepare(job) is refusal
    with pytest.raises(Refusal):
        broken.start(job)


@pytest.mark.parametrize("module", ["claude_code", "codex", "shell", "custom", "registry"])
def test_importing_is_cheap(module: str) -> None:
    """An engine's module brings in nothing heavy: commands that only list things pay for it too."""
    code = (
        "import sys, hermes_company.ports.engine; before = set(sys.modules); "
        f"import hermes_company.engines.{module}; print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    brought = {name.partition(".")[0] for name in done.stdout.split()}

    assert not brought & {"filelock", "importlib_metadata", "subprocess", "asyncio", "yaml", "jinja2", "email"}
