"""Every sentence for people is there in Chinese, with the same values in it."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import hermes_company
from hermes_company.wording import Text, say
from hermes_company.wording.zh import CATALOGUE, cli, core, cost, custom, doctor, engines, guard, memory, terminal

PACKAGE = Path(hermes_company.__file__).parent


def said() -> Iterator[tuple[str, ast.Call]]:
    """Every `say(…)` in the package: where, and the call."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                yield f"{file.relative_to(PACKAGE)}:{node.lineno}", node


def placeholders(template: str) -> list[tuple[str, str]]:
    """Names and formats of the values in a template, in the order of the names."""
    return sorted((name, spec or "") for _, name, spec, _ in string.Formatter().parse(template) if name is not None)


def literals() -> dict[str, str]:
    """Every literal template → where it is said first."""
    found: dict[str, str] = {}
    for place, call in said():
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            found.setdefault(first.value, place)
    return found


def test_scan_sees_the_package() -> None:
    """The scan finds what it is there for: it would be green for an empty package otherwise."""
    places = {place.split("/")[0] for place in literals().values()}

    assert {"cli", "domain", "folders", "kernel", "engines", "terminal", "userspace"} <= places


def test_templates_are_literal() -> None:
    """`say` takes a literal sentence; one that is put together at run time could have no translation."""
    built = [
        place for place, call in said() if not (call.args and isinstance(call.args[0], ast.Constant) and len(call.args) == 1)
    ]

    assert built == []


def test_every_sentence_is_translated() -> None:
    """Every literal sentence in the package has a Chinese one."""
    assert [f"{place}: {template}" for template, place in literals().items() if template not in CATALOGUE] == []


def test_translations_carry_the_same_values() -> None:
    """A Chinese sentence names exactly the values that its English one names."""
    differ = [english for english, chinese in CATALOGUE.items() if set(placeholders(english)) != set(placeholders(chinese))]

    assert differ == []


def test_values_are_given() -> None:
    """Every call with values gives those that its sentence names, and no others; one without is filled in elsewhere."""
    wrong = [
        f"{place}: {call.args[0].value}"
        for place, call in said()
        if call.args
        and isinstance(call.args[0], ast.Constant)
        and call.keywords
        and all(keyword.arg for keyword in call.keywords)
        and {name for name, _ in placeholders(call.args[0].value)} != {keyword.arg for keyword in call.keywords}
    ]

    assert wrong == []


def test_no_sentence_is_translated_twice() -> None:
    """Two files that translate one sentence differently would make it a matter of luck which one is shown."""
    seen: dict[str, str] = {}
    for room in (core, engines, guard, custom, terminal, memory, cli, doctor, cost):
        for english, chinese in room.SENTENCES.items():
            assert seen.setdefault(english, chinese) == chinese, english


def test_nothing_is_translated_that_nobody_says() -> None:
    """A translation whose English sentence is gone is taken out too; the command line's help is held by its own test."""
    known = set(literals()) | set(cli.HELP) | set(doctor.HELP) | set(cost.HELP) | set(guard.HELP)

    assert [english for english in CATALOGUE if english not in known] == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (say("{ticket} runs.", ticket="T-1"), "T-1 正在运行。"),
        (say("blocked: {reason}", reason=say("Nobody answered.")), "受阻：没有人回答。"),
        (Text("not in the catalogue {x}", {"x": 1}), "not in the catalogue 1"),
    ],
)
def test_texts_speak_both(english: Text, chinese: str) -> None:
    """A text is shown in the language that is asked for, its values included; without a translation in English."""
    assert english.in_lang("zh") == chinese
    assert Text.from_json(english.to_json()) == english
