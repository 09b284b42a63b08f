"""`docs/reference/talking.md` says what the code does: every table is held against it."""

from __future__ import annotations

import re
from pathlib import Path

import hermes_company
from hermes_company.cli.saying import Said
from hermes_company.engines import screens
from tests.unit.test_reference_docs import rows

PACKAGE = Path(hermes_company.__file__).parent
PAGE = "reference/talking.md"
SOURCES = ("terminal/follow_up.py", "cli/saying.py", "cli/chatting.py", "folders/chats.py", "cli/proving.py")


def refusals() -> dict[str, set[int]]:
    """Every code that is refused with there → its exit statuses."""
    found: dict[str, set[int]] = {}
    for source in SOURCES:
        for call in re.findall(r"Refusal\((.*?)\)\n", (PACKAGE / source).read_text(encoding="utf-8") + "\n", re.DOTALL):
            code, status = re.search(r'"([a-z-]+)"', call), re.search(r"status=(\d+)", call)
            if code:
                found.setdefault(code[1], set()).add(int(status[1]) if status else 2)
    return found


def test_every_refusal_is_explained_with_its_status() -> None:
    """The page has each code, and the status that it ends with."""
    explained = rows(PAGE, "code | when | status")

    assert {code: {int(cells[-1])} for code, cells in explained.items() if code.count("-")} == refusals()


def test_every_dialog_is_explained() -> None:
    """The page has each name with what it asks, as people are told it."""
    explained = rows(PAGE, "name | it asks")
    known = {name: str(asks) for name, _, asks in screens._DIALOGS}

    assert {name: cells[0] for name, cells in explained.items()} == {**known, "unknown": str(screens._UNKNOWN_DIALOG)}


def test_every_field_of_the_answer_is_explained() -> None:
    """The page has each field of `hc say --json`."""
    answer = Said(ticket="T-1", attempt=1, how="kept", says=()).to_json()
    fields = {
        f"{name}.{inner}" if isinstance(value, dict) else name for name, value in answer.items() for inner in _inner(value)
    }

    assert fields == set(rows(PAGE, "field | what it says"))


def _inner(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, dict) else [""]


def test_every_live_finding_is_explained() -> None:
    """The page has each code that a live examination finds, and no other."""
    source = (PACKAGE / "cli/proving.py").read_text(encoding="utf-8")
    found = set(re.findall(r'"(live(?:-[a-z-]+)?)"', source))

    assert set(rows(PAGE, "code | what it means")) == found
