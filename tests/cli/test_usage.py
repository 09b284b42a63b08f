"""What Typer says by itself is said in our words, in the person's language."""

from __future__ import annotations

import pytest

from hermes_company.cli.usage import problem
from tests.support.person import Person

FRAME = ["Usage", "OPTIONS", "Options", "Arguments", "Commands", "Show", "required", "default"]


@pytest.mark.parametrize(
    ("line", "english", "in_chinese"),
    [
        ("task new", "'TITLE' is missing.", "缺少 'TITLE'。"),
        ("task reassign T", "'--to' is missing.", "缺少 '--to'。"),
        ("task new a b", "This is too much: b", "多余的内容：b"),
        ("task new a --zzz", "There is no option --zzz.", "没有选项 --zzz。"),
        ("run --onc", "There is no option --onc. Did you mean --once?", "没有选项 --onc。是不是指 --once？"),
        ("zzz", "There is no command 'zzz'.", "没有命令 'zzz'。"),
        ("task nw", "There is no command 'nw'. Did you mean 'new'?", "没有命令 'nw'。是不是指 'new'？"),
        ("task new a --owner", "'--owner' needs a value.", "'--owner' 需要一个值。"),
        ("task new a --hold=yes", "'--hold' takes no value.", "'--hold' 不带值。"),
        (
            "status --lang fr",
            "'--lang' can't be 'fr': it is one of 'en', 'zh'.",
            "'--lang' 不能是 'fr'，只能是 'en', 'zh' 之一。",
        ),
        ("events --after x", "'--after' must be a whole number.", "'--after' 必须是整数。"),
        ("task new a --timeout-minutes x", "'--timeout-minutes' must be a number.", "'--timeout-minutes' 必须是数字。"),
    ],
)
def test_wrong_usage(person: Person, chinese: Person, line: str, english: str, in_chinese: str) -> None:
    """Each way of wrong usage has its sentence in both languages."""
    answers = [somebody.hc(*line.split()).err.splitlines()[0] for somebody in (person, chinese)]

    assert answers == [f"✗ bad-usage: {english}", f"✗ bad-usage: {in_chinese}"]


@pytest.mark.parametrize(
    ("message", "english"),
    [
        ("No such option: --ownr Did you mean --owner?", "There is no option --ownr. Did you mean --owner?"),
        ("No such option '--ownr'. Did you mean '--owner'?", "There is no option '--ownr'. Did you mean '--owner'?"),
        ("Got unexpected extra arguments (b c)", "This is too much: b c"),
        ("Invalid value for '--lang': 'fr' is not one of 'en', 'zh'.", "'--lang' can't be 'fr': it is one of 'en', 'zh'."),
        ("Invalid value for '--after': 'x' is not a valid integer.", "'--after' must be a whole number."),
        ("Something that nobody has said before.", "Something that nobody has said before."),
    ],
)
def test_other_versions_of_typer(message: str, english: str) -> None:
    """Earlier and later versions put some of it differently; what we don't know is shown as it is."""
    assert problem(message).in_lang("en") == english


@pytest.mark.parametrize("line", ["", "--help", "task", "task new --help", "status --help"])
def test_the_frame_of_help(chinese: Person, line: str) -> None:
    """Nothing of Chinese help is English but the names of commands, options and their values."""
    answer = chinese.hc(*line.split())
    text = answer.out + answer.err

    assert text.startswith("用法：hc ")
    assert [word for word in FRAME if word in text] == []


def test_the_frame_of_english_help(person: Person) -> None:
    """English help stands in the frame that Typer gives it."""
    assert person.ok("task", "new", "--help").out.startswith("Usage: hc task new [OPTIONS] ")
