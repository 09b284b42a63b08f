"""The first thing a person sees, and how fast it is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_company import __version__
from hermes_company.cli.app import build, parts
from hermes_company.wording.zh import CATALOGUE
from tests.support.companies import new_company, tree
from tests.support.person import Person, loaded_by

# None of these is needed to print help, and each costs between 5 and 70 ms.
HEAVY = {
    *("libtmux", "jinja2", "watchdog", "yaml", "sqlite3", "filelock", "rich"),
    *("hermes_company.bootstrap", "hermes_company.domain.settings", "hermes_company.domain.run"),
}
COMMANDS = ["init", "run", "attach", "status", "why", "events", "demo", "agent", "task", "review", "memory", "skill"]


@pytest.mark.parametrize("argv", [["--help"], ["task", "--help"], ["task", "new", "--help"], ["--version"], []])
def test_help_imports_nothing_heavy(argv: list[str], tmp_path: Path) -> None:
    """Help and version come without the libraries that only work needs; `hc --help` without Typer's own heaviest one too."""
    heavy = HEAVY | {"pydantic"} if argv == ["--help"] else HEAVY

    assert heavy & loaded_by(argv, tmp_path) == set()


def test_every_command_has_help_in_both_languages() -> None:
    """Every command, option and argument says what it is for, in English and in Chinese."""
    helps = [(part.name, part.help) for part in parts(build("en"))]
    missing = [(name, text) for name, text in helps if not text or text not in CATALOGUE]

    assert missing == []
    assert [part.help for part in parts(build("zh"))] == [CATALOGUE[text] for _, text in helps]


def test_help_lists_every_command(person: Person) -> None:
    """`hc` alone and `hc --help` list the commands."""
    answer = person.ok()

    assert person.ok("--help").out == answer.out
    assert [word for word in COMMANDS if f"\n  {word} " not in answer.out] == []


def test_module_is_the_same_program(tmp_path: Path) -> None:
    """`python -m hermes_company` is `hc`, and `--version` says which one this is."""
    done = subprocess.run(
        [sys.executable, "-m", "hermes_company", "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert done.stdout == f"hc {__version__}\n"


def test_options_common_to_all(person: Person) -> None:
    """Every command answers in the language that is asked for, and all but `init` and `demo` take a company's folder."""
    commands = [part for part in parts(build("en")) if hasattr(part, "params") and not hasattr(part, "commands")]
    options = {part.name: {name for parameter in part.params for name in parameter.opts} for part in commands}

    assert options
    assert [name for name, known in options.items() if "--lang" not in known] == []
    assert sorted(name for name, known in options.items() if "--root" not in known) == ["demo", "init"]


def test_root_before_or_behind_the_verb(tmp_path: Path, person: Person) -> None:
    """`hc review --root X show` and `hc review show --root X` mean the same company."""
    other = new_company(tmp_path / "other").root
    (other / "tasks/review/only-there.md").write_text("# Look\n")
    before = tree(other)

    assert "only-there" in person.ok("review", "--root", str(other)).out
    assert person.ok("review", "show", "only-there", "--root", str(other)).out == (
        person.ok("review", "--root", str(other), "show", "only-there").out
    )
    assert tree(other) == before
