"""What a new company is copied from."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.folders.templates import template_files, template_source
from hermes_company.wording import LANGS, Lang


def test_a_checkout_is_its_own_template() -> None:
    """In a checkout the repository's top level is the one source of the templates."""
    assert template_source() == Path(__file__).parents[2]


@pytest.mark.parametrize("lang", LANGS)
def test_every_language_gets_the_same_files(lang: Lang) -> None:
    """A company in any language has every rule and every runner, under the plain names."""
    places = {place.as_posix() for place in template_files(template_source(), lang, samples=True)}

    assert places >= {
        "company/COMPANY.md",
        "company/AGENT_WORK_RULES.md",
        "company/SECURITY_RULES.md",
        "runners/base.md",
        "runners/claude_runner.md",
        "runners/codex_runner.md",
        "runners/shell_runner.md",
        "runners/custom_runner.md",
        "runners/feedback.md",
        "agents/laohuang/profile.json",
        "agents/worker/profile.md",
    }
    assert not [place for place in places if ".zh." in place]


def test_each_english_text_of_ours_has_a_chinese_one() -> None:
    """No text of a Chinese company is left in English because somebody forgot to translate it."""
    source = template_source()
    chosen = template_files(source, "zh", samples=True)

    assert [file.name for file in chosen.values() if file.suffix == ".md" and not file.stem.endswith(".zh")] == []


def test_samples_come_only_when_asked_for() -> None:
    """A new company has no agents unless somebody wants the samples."""
    places = template_files(template_source(), "en", samples=False)

    assert not [place for place in places if place.parts[0] == "agents"]


def test_what_runs_left_behind_is_not_copied(tmp_path: Path) -> None:
    """Placeholders and a sample agent's runtime.json stay where they are."""
    for part in ("company", "runners", "agents/worker"):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / ".gitkeep").touch()
    (tmp_path / "agents/worker/runtime.json").touch()
    (tmp_path / "agents/worker/profile.json").touch()

    places = template_files(tmp_path, "en", samples=True)

    assert [place.as_posix() for place in places] == ["agents/worker/profile.json"]
