"""`docs/reference/faults.md` claims nothing that no test proves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "faults.md"
_ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (.*?) ?\|$", re.MULTILINE)


def rows() -> list[tuple[str, ...]]:
    """Number, fault, what happens, and what proves it."""
    return [found.groups() for found in _ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def defined_in(file: Path) -> set[str]:
    """The names of the tests that a file defines."""
    defined = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.name for node in defined if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_fault_is_there_once() -> None:
    """All forty, in order."""
    assert [int(number) for number, *_ in rows()] == list(range(1, 41))


def test_every_named_test_exists() -> None:
    """Each proof is a test that a file of this repository defines."""
    named = [proof for *_, proofs in rows() for proof in re.findall(r"`(tests/[^`]+)`", proofs)]
    gone = []
    for proof in named:
        file, _, name = proof.partition("::")
        if not (ROOT / file).is_file() or name not in defined_in(ROOT / file):
            gone.append(proof)

    assert len(named) > 60
    assert gone == []


def test_what_no_test_proves_is_not_claimed() -> None:
    """A fault without a proof says that it is not handled, and one that says so has no proof to show."""
    for number, _, happens, proofs in rows():
        assert ("**Not handled:**" in happens) is (not proofs.strip()), number


def test_every_test_here_is_named_there() -> None:
    """What was written to prove a fault is on the page."""
    here = {name for file in Path(__file__).parent.glob("test_*.py") if file != Path(__file__) for name in defined_in(file)}
    page = PAGE.read_text(encoding="utf-8")

    assert {name for name in here if f"::{name}`" not in page} == set()
