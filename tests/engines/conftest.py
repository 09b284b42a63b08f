"""What the tests of real engines start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from hermes_company.engines.registry import get_engine
from tests.scripted_model import Plan, ScriptedModel
from tests.support.engine_binaries import EngineBinariesMissing, installed
from tests.support.engine_rig import EngineRig, search_path
from tests.support.tmux import tmux_company

REAL = ("claude-code", "codex")


@pytest.fixture(scope="session")
def binaries() -> Path:
    """The folder with the real `claude` and `codex`."""
    try:
        return installed()
    except EngineBinariesMissing as missing:
        pytest.fail(str(missing))


@pytest.fixture(params=REAL)
def engine_name(request: pytest.FixtureRequest) -> str:
    """Each engine with a real CLI behind it."""
    name: str = request.param
    return name


Rigged = Callable[[Plan], AbstractContextManager[tuple[EngineRig, ScriptedModel]]]


@pytest.fixture
def rigged(engine_name: str, binaries: Path, tmp_path: Path) -> Rigged:
    """Makes a rig for the engine, talking to a model that plays the plan."""

    @contextmanager
    def make(plan: Plan) -> Iterator[tuple[EngineRig, ScriptedModel]]:
        root = tmp_path / "公司 one"
        with ScriptedModel(plan) as model, tmux_company(root) as company:
            if engine_name == "codex":
                env = model.codex_env(tmp_path / "home")
            else:
                env = model.claude_env(tmp_path / "home", trusted=[root])
            environ = {"PATH": search_path(binaries), **env}
            yield EngineRig(company, get_engine(engine_name), environ), model

    return make
