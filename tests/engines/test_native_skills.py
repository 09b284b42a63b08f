"""A ticket's skills as the engines themselves list them to the model, and nothing of that in a person's folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hermes_company.domain.signals import SignalKind
from hermes_company.engines.registry import get_engine
from hermes_company.ports.engine import Job
from hermes_company.ports.memory import SkillEntry
from tests.engines.conftest import Rigged
from tests.scripted_model import Say, ScriptedModel, Turn, hand_in
from tests.support.companies import tree
from tests.support.engine_rig import EngineRig, make_job, search_path
from tests.support.tmux import tmux_company

USE = "Use when a landing page is wanted: zebra-crossing."
NAMES = ("landing-page", "落地页-四段")


def skills(root: Path, *names: str) -> tuple[SkillEntry, ...]:
    """Approved skills of the company in `root`."""
    entries = []
    for name in names:
        path = root / "company" / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'---\nname: "{name}"\ndescription: "{USE}"\n---\n\n# Steps\n\n- One button.\n')
        entries.append(SkillEntry(name=name, description=USE, path=str(path)))
    return tuple(entries)


def offered(turn: Turn) -> list[str]:
    """The company's skills that the request lists, whoever wrote the list."""
    said = json.dumps(turn.body, ensure_ascii=False)
    return [name for name in NAMES if f"{name}: {USE}" in said]


def in_outbox(rig: EngineRig, **changes: object) -> Job:
    """A job of a ticket without a working directory."""
    return rig.job(workdir=rig.company.root / "outbox" / "ann" / "TASK-1", **changes)


def test_both_engines_offer_them(rigged: Rigged) -> None:
    """The first request lists them by name and use, Chinese names too, beside a prompt that says nothing of them."""
    with rigged(hand_in()) as (rig, model):
        job = in_outbox(rig, skills=skills(rig.company.root, *NAMES))
        rig.begin(job)
        rig.done(job)

        assert offered(model.turns[0]) == [*NAMES]
        assert USE not in job.prompt


def test_none_are_offered_where_none_fits(rigged: Rigged) -> None:
    """What lies in company/skills is not handed out by itself."""
    with rigged(hand_in()) as (rig, model):
        skills(rig.company.root, *NAMES)
        job = in_outbox(rig)
        rig.begin(job)
        rig.done(job)

        assert offered(model.turns[0]) == []


def test_a_resumed_conversation_is_offered_what_fits_now(rigged: Rigged) -> None:
    """One skill at first; both after the rejection."""
    with rigged([*hand_in(then="First version."), Say("Second version.")]) as (rig, model):
        both = skills(rig.company.root, *NAMES)
        first = in_outbox(rig, skills=both[:1])
        rig.begin(first)
        session = rig.signal(first, SignalKind.SESSION_STARTED).session_id
        rig.signal(first, SignalKind.TURN_ENDED)
        rig.end(first)
        (first.outbox / "DONE").rename(first.outbox / "DONE.1")
        (first.outbox / "BLOCKED").touch()
        second = in_outbox(rig, attempt=2, session_id=session, feedback="shorter", skills=both)
        rig.begin(second, resume=True)
        rig.signal(second, SignalKind.TURN_ENDED)

        assert offered(model.turns[0]) == [NAMES[0]]
        assert NAMES[1] in json.dumps(model.turns[-1].body, ensure_ascii=False)


def test_a_persons_folder_stays_as_it_is(binaries: Path, tmp_path: Path) -> None:
    """Where a ticket names one, Claude Code offers them all the same and Codex can't; nothing is written there."""
    for name, listed in (("claude-code", [*NAMES]), ("codex", [])):
        root = tmp_path / name
        with ScriptedModel(hand_in()) as model, tmux_company(root) as company:
            env = model.codex_env(tmp_path / "b") if name == "codex" else model.claude_env(tmp_path / "a", [root])
            rig = EngineRig(company, get_engine(name), {"PATH": search_path(binaries), **env})
            job = rig.job(skills=skills(root, *NAMES))
            (job.workdir / "mine.txt").write_text("mine")
            before = tree(job.workdir)
            rig.begin(job)
            rig.done(job)

            assert offered(model.turns[0]) == listed
            assert tree(job.workdir) == before
            assert not (job.outbox / ".agents").exists()
            assert _links(tmp_path / "a") + _links(tmp_path / "b") == []


def _links(home: Path) -> list[Path]:
    """What in a home leads to a skill of the company, or is a copy of one."""
    names = [path for path in home.rglob("*") if path.name in NAMES]
    return names + [path for path in home.rglob("SKILL.md") if USE in path.read_text()]


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    """Prepared again, as after a crash, every link is the one that it was; another attempt's replaces it in the outbox."""
    engine = get_engine("codex")
    first = codex_job(tmp_path, attempt=1, skills=skills(tmp_path, NAMES[0]))
    assert engine.prepare(first) is None
    link = first.run_dir / "skills" / ".claude" / "skills" / NAMES[0]
    before = link.lstat().st_ino, (first.outbox / ".agents" / "skills").lstat().st_ino
    assert engine.prepare(first) is None
    after = link.lstat().st_ino, (first.outbox / ".agents" / "skills").lstat().st_ino
    second = codex_job(tmp_path, attempt=2, skills=skills(tmp_path, *NAMES))
    assert engine.prepare(second) is None

    assert before == after
    assert sorted(path.name for path in (second.outbox / ".agents" / "skills").iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("made", ["folder", "link"])
def test_what_an_agent_made_stays(tmp_path: Path, made: str) -> None:
    """An agent's own `.agents/skills` is not replaced, and nothing is written through a link of its."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    job = codex_job(tmp_path, skills=skills(tmp_path, NAMES[0]))
    if made == "folder":
        (job.outbox / ".agents" / "skills" / "own").mkdir(parents=True)
    else:
        (job.outbox / ".agents").symlink_to(elsewhere)
    assert get_engine("codex").prepare(job) is None

    assert list(elsewhere.iterdir()) == []
    if made == "folder":
        assert [path.name for path in (job.outbox / ".agents" / "skills").iterdir()] == ["own"]


def test_flat_skills_stay_in_the_prompt_alone(tmp_path: Path) -> None:
    """No engine loads a single file: nothing is laid out for it."""
    flat = SkillEntry(name="old", description=USE, path=str(tmp_path / "company" / "skills" / "old.md"))
    job = codex_job(tmp_path, skills=(flat,))
    assert get_engine("codex").prepare(job) is None

    assert not (job.run_dir / "skills").exists()
    assert not (job.outbox / ".agents").exists()


def codex_job(root: Path, attempt: int = 1, **changes: object) -> Job:
    """A job of Codex in the outbox, with a home in which nothing is asked."""
    home = root / "home"
    home.mkdir(exist_ok=True)
    outbox = root / "outbox" / "ann" / "TASK-1"
    (home / "config.toml").write_text(f'[projects.{json.dumps(str(outbox.resolve()))}]\ntrust_level = "trusted"\n')
    (home / "auth.json").write_text('{"OPENAI_API_KEY": "k"}')
    environ = {"CODEX_HOME": str(home), "HOME": str(home)}
    return make_job(root, "codex", attempt=attempt, workdir=outbox, environ=environ, **changes)
