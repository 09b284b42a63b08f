"""docs/how-to/add-an-engine.md, followed word by word."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.support.e2e import House, open_house

pytestmark = pytest.mark.timeout(300)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-an-engine.md"
# Stands for the tool that the page is about: it takes its message from a file and hands in what that asks for.
AIDER = """#!/bin/sh
set -eu
while [ "$1" != --message-file ]; do shift; done
token=$(grep -o 'hc-[0-9a-f]\\{16,\\}' "$2" | head -n 1)
grep '^Make ' "$2" > "$HC_OUTBOX/summary.md"
env > "$HC_OUTBOX/env.txt"
echo "$token" > "$HC_OUTBOX/DONE"
"""


def block(language: str) -> str:
    """The page's code block in that language."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert found
    return re.sub(r"^   ", "", found[1], flags=re.MULTILINE)


def install(site: Path) -> None:
    """What pip leaves of a package with the page's class and the page's entry point."""
    (points,) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    group, engines = points
    for target in engines.values():
        module, _, _ = target.partition(":")
        file = site.joinpath(*module.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True)
        (file.parent / "__init__.py").touch()
        file.write_text(block("python"))
    info = site / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in engines.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))


def runner() -> tuple[str, str]:
    """The template that the page says to begin with: its name, and its text."""
    found = re.search(r"in `runners/(\w+\.md)` of your company\. `([^`]+)`", PAGE.read_text())
    assert found
    return found[1], found[2]


def put_tool(folder: Path) -> None:
    """The tool itself, on PATH."""
    folder.mkdir()
    (folder / "aider").write_text(AIDER)
    (folder / "aider").chmod(0o755)


def test_engine_of_another_package_does_a_ticket(tmp_path: Path) -> None:
    """The page's class, offered as the page says and with the page's runner, carries a ticket to review."""
    install(tmp_path / "site")
    put_tool(tmp_path / "bin")
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    environ = {"PATH": path, "PYTHONPATH": str(tmp_path / "site"), "OPENAI_API_KEY": "k", "UNNAMED_KEY": "u"}
    with open_house(tmp_path, environ) as house:
        name, template = runner()
        (house.layout.runners / name).write_text(template)
        house.hc("agent", "add", "ada", "--engine", "aider")
        house.drop("TASK-1", "---\nowner: ada\n---\nMake the page.\n")
        house.run()
        house.event("ticket.moved", "TASK-1", to="review")

        assert _left(house, "summary.md") == "Make the page.\n"
        assert "OPENAI_API_KEY=k" in _left(house, "env.txt")
        assert "UNNAMED_KEY" not in _left(house, "env.txt")
        assert "aider" in house.hc("engine", "list").out


def _left(house: House, name: str) -> str:
    return (house.layout.outbox("ada", "TASK-1") / name).read_text()
