"""The reference says what the code does: every table is held against it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.agent import Agent
from hermes_company.domain.guard.sentences import RULES as REFUSALS
from hermes_company.domain.moves import MEANINGS
from hermes_company.domain.policy import RULES as RULES_OF_POLICY
from hermes_company.domain.policy import Policy
from hermes_company.domain.run import RULES
from hermes_company.domain.settings import Budget, Budgets, EngineSettings, LearningSettings, Price, Settings, TmuxSettings
from hermes_company.folders.templates import template_source
from hermes_company.folders.ticket_file import KEYS
from hermes_company.ports.engine import Engine, Job, Launch

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def rows(page: str, heading: str) -> dict[str, tuple[str, ...]]:
    """The table below that header row of a page: words in the first column → the other cells."""
    lines = (DOCS / page).read_text().split(f"| {heading} |", 1)[1].splitlines()[2:]
    table: dict[str, tuple[str, ...]] = {}
    for line in lines:
        if not line.startswith("|"):
            break
        first, *others = (cell.strip() for cell in line.strip("|").split("|"))
        table |= {word: tuple(others) for word in re.findall(r"`([^`]+)`", first)}
    return table


def test_every_ticket_key_is_explained() -> None:
    """The ticket's page has each key that is read from a front matter, and no other."""
    assert set(rows("reference/ticket.md", "key")) == set(KEYS)


def test_every_profile_key_is_explained() -> None:
    """The agent's page has each key of profile.json, and no other."""
    assert {field.name for field in fields(Agent)} - {"identity"} == set(rows("reference/agent-profile.md", "key"))


def settings_paths() -> dict[str, object]:
    """Every key of company.yaml as the page spells it → its default."""
    sections: dict[str, Any] = {"tmux": TmuxSettings(), "engines": EngineSettings(), "learning": LearningSettings()}
    paths: dict[str, object] = {"projects.<name>": {}}
    for field in fields(Settings):
        if field.name not in (*sections, "projects", "prices", "budgets"):
            paths[field.name] = getattr(Settings(), field.name)
    paths |= {f"tmux.{field.name}": getattr(sections["tmux"], field.name) for field in fields(TmuxSettings)}
    paths |= {f"engines.<name>.{field.name}": getattr(sections["engines"], field.name) for field in fields(EngineSettings)}
    paths |= {f"learning.{field.name}": getattr(sections["learning"], field.name) for field in fields(LearningSettings)}
    paths |= {f"prices.<model>.{field.name}": field.default for field in fields(Price)}
    for scope in fields(Budgets):
        paths |= {f"budgets.{scope.name}.{field.name}": field.default for field in fields(Budget)}
    return paths


def test_every_setting_is_explained_with_its_default() -> None:
    """The settings' page has each key of company.yaml, and where its default is a number, that number."""
    explained = rows("reference/company-yaml.md", "key")

    paths = settings_paths()
    assert set(explained) == set(paths)
    for path, default in paths.items():
        if isinstance(default, int | float) and not isinstance(default, bool):
            assert f"`{default:g}`" in explained[path][-1], path


def test_every_outcome_is_explained_with_its_rule() -> None:
    """The outcomes' page says of each where the ticket goes and whether it uses up a retry, as the kernel does it."""
    explained = rows("reference/outcomes.md", "outcome")

    assert set(explained) == {outcome.value for outcome in RULES}
    for outcome, rule in RULES.items():
        _, goes_to, retry = explained[outcome.value]
        assert goes_to == (f"`{rule.to.value}`" if rule.to else "where the person put it")
        assert retry == ("yes" if rule.counts else "no")


def test_every_policy_key_is_explained() -> None:
    """The policy's page has each key of policy.yaml, and no other."""
    assert set(rows("reference/policy.md", "key")) == {field.name for field in fields(Policy)}


def test_every_rule_is_explained_with_its_default() -> None:
    """The policy's page has each rule with what it says by itself, and every name that a refusal can carry."""
    switched = rows("reference/policy.md", "rule")

    assert {name: cells[-1].strip("`") for name, cells in switched.items()} == {
        n: level.value for n, level in RULES_OF_POLICY.items()
    }
    assert set(switched) | set(rows("reference/policy.md", "what a refusal names")) == set(REFUSALS)


def test_every_move_of_a_person_is_explained() -> None:
    """The page has each of the 20 moves with the meaning that the kernel gives it."""
    page = (DOCS / "reference/outcomes.md").read_text()

    for (before, after), meaning in MEANINGS.items():
        assert f"| `{before}` → `{after}` | {meaning.says} |" in page


def test_every_value_in_a_runner_is_explained() -> None:
    """Whoever edits a runner finds each value that ours use in the table, and none that doesn't exist."""
    from jinja2 import Environment, meta

    environment = Environment()
    environment.filters["fenced"] = str
    used: set[str] = set()
    for runner in (template_source() / "runners").glob("*.md"):
        used |= meta.find_undeclared_variables(environment.parse(runner.read_text()))

    explained = set(rows("reference/files.md", "value"))
    assert used - {"item"} <= explained
    assert explained - used <= {"attempt"}


def test_every_file_that_the_architecture_names_is_there() -> None:
    """The shape of the house names no file that has moved away."""
    page = (DOCS / "explanation/architecture.md").read_text()

    for room, said in re.findall(r"^\* `(\w+)/`: (.+?)(?=^\* |\n\n)", page, flags=re.MULTILINE | re.DOTALL):
        for name in re.findall(r"`(\w+\.py)`", said):
            assert (ROOT / "hermes_company" / room / name).is_file(), f"{room}/{name}"


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(ROOT).as_posix() for path in (*DOCS.rglob("*.md"), ROOT / "README.md"))
)
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link leads to a file that is there."""
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", (ROOT / page).read_text())

    gone = [target for target in targets if "://" not in target and not ((ROOT / page).parent / target).exists()]
    assert gone == []


def test_the_engine_in_the_how_to_is_one(tmp_path: Path) -> None:
    """The class that `add-an-engine.md` shows has all that an engine must have, and describes a process."""
    page = (DOCS / "how-to/add-an-engine.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert code
    defined: dict[str, Any] = {}
    exec(re.sub(r"^   ", "", code[1], flags=re.MULTILINE), defined)
    engine: Engine = defined["Aider"]()

    job = Job(
        ticket="TASK-1",
        agent=Agent(name="ada", engine="aider", model="m"),
        attempt=1,
        token="hc-1",
        session_id="s",
        root=tmp_path,
        run_dir=tmp_path,
        outbox=tmp_path,
        workdir=tmp_path,
        prompt="do",
        prompt_file=tmp_path / "prompt.md",
        body="do",
        settings=EngineSettings(),
        environ={},
    )

    assert isinstance(engine.start(job), Launch)
    assert isinstance(engine.resume(job), Launch)
    readiness = engine.check(EngineSettings(), {"PATH": ""})
    assert readiness.refusal
    assert readiness.refusal.code == "engine-missing"
    members = [name for name in vars(Engine) if not name.startswith("_")]
    assert [name for name in (*members, *Engine.__annotations__) if not hasattr(engine, name)] == []
    assert (engine.preflight(job), engine.prepare(job), engine.consents(job), engine.read_signal({})) == (None, None, (), None)
