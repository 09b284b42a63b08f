"""Which language a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.cli.language import language

ZH_LOCALE = {"LANG": "zh_CN.UTF-8"}


def company(root: Path, lang: str) -> Path:
    """A folder with a company.yaml that says its language."""
    root.mkdir(parents=True)
    (root / "company.yaml").write_text(f"# lang: xx\nname: acme\nlang: {lang}\n")
    return root


def test_what_is_told_counts_first(tmp_path: Path) -> None:
    """`--lang` beats the company, the company HC_LANG, HC_LANG the locale, and English is the last resort."""
    root = company(tmp_path / "acme", "zh")

    assert language(["status", "--lang", "en"], {"HC_LANG": "zh", **ZH_LOCALE}, root) == "en"
    assert language(["status"], {"HC_LANG": "en", "LANG": "en_US"}, root) == "zh"
    assert language(["status"], {"HC_LANG": "zh", "LANG": "en_US"}, tmp_path) == "zh"
    assert language(["status"], ZH_LOCALE, tmp_path) == "zh"
    assert language(["status"], {"LC_ALL": "C", **ZH_LOCALE}, tmp_path) == "en"
    assert language([], {"LANG": "fr_FR.UTF-8"}, tmp_path) == "en"


def test_company_is_found_as_everywhere(tmp_path: Path) -> None:
    """The company is the one of `--root`, else of HC_ROOT, else the nearest around the person."""
    chinese, english = company(tmp_path / "a", "'zh'"), company(tmp_path / "b", '"en"')
    deep = chinese / "tasks/todo"
    deep.mkdir(parents=True)

    assert language([], {}, deep) == "zh"
    assert language([], {"HC_ROOT": str(english), **ZH_LOCALE}, deep) == "en"
    assert language(["why", f"--root={english}"], ZH_LOCALE, deep) == "en"
    assert language(["why", "--root", "../../b"], ZH_LOCALE, chinese / "tasks") == "en"


@pytest.mark.parametrize("text", ["lang: klingon\n", "", "\xff\xfe", "name: x\n  lang: zh\n"])
def test_a_strange_company_file_decides_nothing(tmp_path: Path, text: str) -> None:
    """A company.yaml without a usable `lang:` leaves the choice to the environment."""
    (tmp_path / "company.yaml").write_text(text)

    assert language([], ZH_LOCALE, tmp_path) == "zh"
    assert language([], {}, tmp_path) == "en"


def test_words_behind_two_dashes_are_no_options(tmp_path: Path) -> None:
    """What stands behind `--` is text, not an option."""
    assert language(["task", "new", "--", "--lang", "zh"], {}, tmp_path) == "en"
