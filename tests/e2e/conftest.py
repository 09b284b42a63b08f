"""What the end-to-end tests start from: a company with agents, and the model that the real engines talk to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.scripted_model import Plan, ScriptedModel
from tests.support.e2e import HC, House, open_house
from tests.support.e2e_work import Chore, plan
from tests.support.engine_binaries import EngineBinariesMissing, installed
from tests.support.engine_rig import search_path

ENGINES = ("claude-code", "codex", "shell")
Founded = Callable[..., AbstractContextManager[tuple[House, ScriptedModel]]]


@pytest.fixture(scope="session")
def binaries() -> Path:
    """The folder with the real `claude` and `codex`."""
    try:
        return installed()
    except EngineBinariesMissing as missing:
        pytest.fail(str(missing))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    name: str = request.param
    return name


@pytest.fixture(params=[name for name in ENGINES if name != "shell"])
def real_engine(request: pytest.FixtureRequest) -> str:
    """Each engine with a model behind it."""
    name: str = request.param
    return name


@pytest.fixture
def founded(binaries: Path, tmp_path: Path) -> Founded:
    """Founds a company whose agents (name → engine) do `work`, or whatever `script` lets their model say."""

    @contextmanager
    def make(
        staff: Mapping[str, str],
        work: Sequence[Chore] = (),
        *,
        script: Plan = (),
        lang: str = "en",
        settings: Mapping[str, object] | None = None,
    ) -> Iterator[tuple[House, ScriptedModel]]:
        for chore in work:
            chore.install(tmp_path / "bin")
        home, path = tmp_path / "home", search_path(tmp_path / "bin", binaries, HC.parent)
        with ScriptedModel(script or plan(work)) as model:
            environ = {**model.claude_env(home), **model.codex_env(home), "PATH": path}
            with open_house(tmp_path, environ, lang=lang, settings=settings) as house:
                for name, works_with in staff.items():
                    house.hire(name, works_with)
                yield house, model

    return make
