"""`company.yaml`, and which folder is the company."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hermes_company.domain.settings import EngineSettings, Price, Settings, TmuxSettings, parse_settings
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.settings_file import find_root, first_settings, read_settings, socket_name
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.wording import LANGS, Lang


def company(root: Path, text: str | bytes = "") -> Layout:
    """A folder with this company.yaml."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "company.yaml").write_bytes(text.encode() if isinstance(text, str) else text)
    return Layout(root)


def refused(layout: Layout) -> Refusal:
    """The refusal of reading the settings."""
    with pytest.raises(Refusal) as caught:
        read_settings(layout)
    return caught.value


# Which folder is the company


def test_nearest_ancestor_is_the_company(tmp_path: Path) -> None:
    """From anywhere inside, the nearest folder above with a company.yaml is the company."""
    company(tmp_path / "outer")
    inner = company(tmp_path / "outer/inner").root
    deep = inner / "tasks/todo"
    deep.mkdir(parents=True)

    assert find_root(None, {}, deep) == inner


def test_root_option_beats_environment_beats_folder(tmp_path: Path) -> None:
    """`--root` counts before HC_ROOT, and HC_ROOT before the current folder."""
    one, two, three = (company(tmp_path / name).root for name in ("one", "two", "three"))

    assert find_root(one, {"HC_ROOT": str(two)}, three) == one
    assert find_root(None, {"HC_ROOT": str(two)}, three) == two
    assert find_root(None, {"HC_ROOT": ""}, three) == three


def test_relative_root_counts_from_the_current_folder(tmp_path: Path) -> None:
    """A relative `--root` is seen from where the person stands."""
    root = company(tmp_path / "acme").root

    assert find_root(Path("acme"), {}, tmp_path) == root


def test_root_is_free_of_links(tmp_path: Path) -> None:
    """The root is resolved, so that paths below it can be compared with it."""
    root = company(tmp_path / "real").root
    (tmp_path / "link").symlink_to(root)

    assert find_root(tmp_path / "link", {}, tmp_path) == root


def test_named_folder_that_is_no_company_is_refused(tmp_path: Path) -> None:
    """A folder named by `--root` is never replaced by another company that happens to be near."""
    inside = company(tmp_path / "acme").root / "tasks"
    inside.mkdir()

    with pytest.raises(Refusal) as caught:
        find_root(inside, {}, inside)

    assert caught.value.code == "company-not-found"
    assert str(inside) in str(caught.value.fact)


def test_no_company_anywhere_is_refused(tmp_path: Path) -> None:
    """Outside of any company the refusal names the three ways to say which one is meant."""
    with pytest.raises(Refusal) as caught:
        find_root(None, {}, tmp_path)

    assert caught.value.code == "company-not-found"
    assert all(word in str(caught.value.remedy) for word in ("--root", "HC_ROOT", "hc init"))


# Reading


def test_settings_are_read(tmp_path: Path) -> None:
    """What company.yaml says arrives as values, the rest as defaults."""
    text = "name: 阿克米\nlang: zh\ntmux: {socket: hermes-acme}\nengines:\n  claude-code:\n    accept: [trust]\n"

    settings = read_settings(company(tmp_path, text))

    assert (settings.name, settings.lang, settings.tmux.socket) == ("阿克米", "zh", "hermes-acme")
    assert settings.engines["claude-code"].accept == ("trust",)
    assert settings.retries == Settings().retries


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"name: acme\nretries: [1\n", "line 3"),
        (b"name: acme\nname: other\n", "line 2"),
        (b"name: acme\nlang: &a zh\n", "line 2"),
        (b"name: acme\nlang: \xff\xfe\n", "line 2"),
        (b"#" * 70_000, "larger than 65536 bytes"),
    ],
)
def test_unreadable_settings_name_the_line(tmp_path: Path, text: bytes, line: str) -> None:
    """A company.yaml that can't be read is refused with its line, whatever is wrong with it."""
    refusal = refused(company(tmp_path, text))

    assert refusal.code == "settings-unreadable"
    assert line in str(refusal.fact)


def test_misspelt_key_is_refused_with_a_guess(tmp_path: Path) -> None:
    """A misspelt key is not ignored; the refusal says which one was probably meant."""
    refusal = refused(company(tmp_path, "retrys: 3\n"))

    assert refusal.code == "settings-unknown-key"
    assert "`retries`" in str(refusal.remedy)


def test_unknown_language_is_refused(tmp_path: Path) -> None:
    """`lang` is one of the languages that there are."""
    assert refused(company(tmp_path, "lang: fr\n")).code == "settings-wrong-type"


def test_company_that_vanished_is_refused(tmp_path: Path) -> None:
    """Reading the settings of a folder that is no company any more says so."""
    assert refused(Layout(tmp_path)).code == "company-not-found"


# The first company.yaml


def uncommented(text: str) -> str:
    """The file as it is when a person takes the comment mark off every setting."""
    return re.sub(r"^(\s*)# (\s*[a-z0-9_-]+:)(?=\s|$)(?!.*[.。]$)", r"\1\2", text, flags=re.MULTILINE)


@pytest.mark.parametrize("lang", LANGS)
def test_first_settings_mean_what_they_say(lang: Lang) -> None:
    """A new company.yaml sets three values; everything else is at its default."""
    text = first_settings(name="Acme: 一号 #1", lang=lang, socket="hermes-acme")

    wanted = Settings(name="Acme: 一号 #1", lang=lang, tmux=TmuxSettings(socket="hermes-acme"))
    assert parse_settings(load_yaml(text)) == wanted


@pytest.mark.parametrize("lang", LANGS)
def test_first_settings_show_every_key_with_its_default(lang: Lang) -> None:
    """Taking the comment marks off changes nothing but the examples: every key is there, at its default."""
    text = uncommented(first_settings(name="acme", lang=lang, socket="hermes-acme"))

    raw = load_yaml(text)
    assert set(raw) == {field.name for field in fields(Settings)}
    assert set(raw["tmux"]) == {field.name for field in fields(TmuxSettings)}
    assert set(raw["engines"]["claude-code"]) == {field.name for field in fields(EngineSettings)}
    assert parse_settings(raw) == Settings(
        name="acme",
        lang=lang,
        tmux=TmuxSettings(socket="hermes-acme"),
        projects={"site": "~/src/site"},
        engines={"claude-code": EngineSettings()},
        prices={"claude-opus-4-5-20251101": Price(input=5, cached=0.5, output=25, cache_write=6.25)},
    )


def test_first_settings_are_commented_in_the_company_s_language() -> None:
    """A Chinese company's file is explained in Chinese."""
    assert "# 公司名" in first_settings(name="acme", lang="zh", socket="hermes-acme")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1))
@example("null")
def test_any_name_comes_back(name: str) -> None:
    """Whatever a company is called, its company.yaml reads back with that name."""
    text = first_settings(name=name, lang="en", socket="hermes-x")

    assert parse_settings(load_yaml(text)).name == name


# The tmux socket


@pytest.mark.parametrize(
    ("folder", "socket"),
    [
        ("acme", "hermes-acme"),
        ("My_Site-2", "hermes-My_Site-2"),
        ("公司", "hermes-0123abcd"),
        ("a.b", "hermes-0123abcd"),
        ("#(reboot)", "hermes-0123abcd"),
        ("", "hermes-0123abcd"),
        ("x" * 41, "hermes-0123abcd"),
        ("acme\n", "hermes-0123abcd"),
    ],
)
def test_socket_is_made_of_harmless_characters(folder: str, socket: str) -> None:
    """Only whitelisted words reach tmux: a folder with any other character is named by the company's id."""
    assert socket_name(folder, "0123abcd" + "f" * 24) == socket
