"""OpenCode and Gemini CLI as custom agents: a profile.json each, and no code of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hermes_company.engines.registry import get_engine
from hermes_company.folders.profile_json import parse_profile
from tests.scripted_model import Plan, Run, Say, ScriptedModel, hand_in
from tests.support.engine_binaries import GUESTS, EngineBinariesMissing, installed
from tests.support.engine_rig import EngineRig, search_path
from tests.support.tmux import tmux_company

pytestmark = pytest.mark.timeout(300)

DOCS = Path(__file__).parents[2] / "docs"
PROMPT = "-- Carry out TASK-1.\n\n中文、emoji 🚀 ' \" ` $HOME $(id) ; \\ {model} {{prompt}}\n\nEnd."


@pytest.fixture(scope="session")
def guests() -> Path:
    """The folder with the real `opencode` and `gemini`."""
    try:
        return installed(pinned=GUESTS)
    except EngineBinariesMissing as missing:
        pytest.fail(str(missing))


def shown(name: str, **changes: object) -> dict[str, Any]:
    """The agent that docs/how-to/use-any-cli.md shows under that name, with what is different for our model."""
    page = (DOCS / "how-to" / "use-any-cli.md").read_text()
    profiles = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)]
    profile = next(profile for profile in profiles if profile["name"] == name)
    read = parse_profile(name, json.dumps({**profile, **changes}))
    return {"model": read.model, "env": read.env, "custom": read.custom}


@contextmanager
def at_work(name: str, plan: Plan, guests: Path, folder: Path) -> Iterator[tuple[EngineRig, ScriptedModel]]:
    """A rig for that program, talking to a model that plays the plan."""
    with ScriptedModel(plan) as model, tmux_company(folder / "公司 one") as company:
        env = model.gemini_env(folder / "home") if name == "gemini" else model.opencode_env(folder / "home")
        yield EngineRig(company, get_engine("custom"), {"PATH": search_path(guests), **env}), model


def test_opencode_hands_in(guests: Path, tmp_path: Path) -> None:
    """OpenCode reads the prompt's file line by line and hands in summary and DONE with the attempt's token."""
    with at_work("opencode", hand_in("# Steps\n\n1. 完成"), guests, tmp_path) as (rig, model):
        keys = ["SCRIPTED_KEY", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"]
        job = rig.job(prompt=PROMPT, agent=shown("oz", model="scripted/scripted", env=keys))
        rig.begin(job)

        assert rig.done(job) == job.token
        assert (job.outbox / "summary.md").read_text() == "# Steps\n\n1. 完成\n"
        told = "\n".join(model.turns[0].prompts)
        assert [line for line in PROMPT.splitlines() if f": {line}\n" not in told] == []


def test_gemini_hands_in_and_goes_on(guests: Path, tmp_path: Path) -> None:
    """Gemini CLI gets the prompt as a word, exactly, hands in, and goes on with the feedback in the same conversation."""
    with at_work("gemini", [*hand_in(then="First."), Run("true"), Say("Second.")], guests, tmp_path) as (rig, model):
        gem = shown("gem", model="scripted-pro", env=["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"])
        first = rig.job(prompt=PROMPT, agent=gem)
        rig.begin(first)

        assert rig.done(first) == first.token
        rig.ended(first)
        assert model.turns[0].prompts == (PROMPT,)
        assert {turn.model for turn in model.turns} == {"scripted-pro"}

        (first.outbox / "DONE").rename(first.outbox / "DONE.1")
        second = rig.job(attempt=2, session_id=first.session_id, prompt="-- 标题太长; shorten it", agent=gem)
        rig.begin(second, resume=True)
        rig.ended(second)

        assert model.turns[-1].prompts == (PROMPT, "-- 标题太长; shorten it")
        assert model.turns[-1].answers == ("First.",)
