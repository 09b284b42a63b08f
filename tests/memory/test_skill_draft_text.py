"""What a draft is called and says: valid for both judges, whatever a pattern holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from skills_ref import validate

from hermes_company.folders.yaml_text import load_yaml
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.skills.draft import Draft, draft_text, skill_name
from hermes_company.userspace.skills.lint import lint_skill
from hermes_company.userspace.skills.patterns import Evidence, Sighting


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("Lay out landing pages as value, cases, price", "lay-out-landing-pages-as-value"),
        ("先在本地优化图片，再上传 Vercel", "先在本地优化图片"),
        ("Use `rename(2)`: it is atomic", "use-rename"),
        ("FTS5 全文检索（中文用二元组）", "fts5-全文检索"),
        ("!!!", "p-00000001"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ words", "full-width-words"),
        ("İstanbul deploys at night", "i-stanbul-deploys-at-night"),
        ("一" * 90, "一" * 40),
    ],
)
def test_names_come_from_how_a_pattern_begins(pattern: str, name: str) -> None:
    """Chinese, English or both; what has no letters is called by its note."""
    assert skill_name(evidence(pattern), lambda _: False) == name


@settings(max_examples=60, deadline=None)
@example("a --- b: 'c' \"d\" # e", "--- x", "en")
@example("a\u0085b\u2028c\x00d", "\ud800", "zh")
@given(st.text(min_size=1, max_size=80), st.text(max_size=60), st.sampled_from(["en", "zh"]))
def test_whatever_a_pattern_says_its_draft_is_valid(
    tmp_path_factory: pytest.TempPathFactory, text: str, title: str, lang: str
) -> None:
    """Quotes, dashes, colons, emoji, control characters, any script: both judges pass the file."""
    found = evidence(text, title)
    name = skill_name(found, lambda _: False)
    draft = Draft(name=name, ticket=f"SKILL-{name}", drafted="2026-04-26", evidence=found)
    path = tmp_path_factory.mktemp("draft") / name / "SKILL.md"
    path.parent.mkdir()
    path.write_text(draft_text(draft, lang), encoding="utf-8")  # type: ignore[arg-type]

    assert lint_skill(path, load_yaml) == []
    assert validate(path.parent) == []


def evidence(text: str, title: str = "落地页") -> Evidence:
    """What is known of a pattern with this text."""
    note = Note(id="P-00000001", kind=Kind.PATTERN, agent="ann", path=Path("p"), title=title, body=text, status=Status.APPROVED)
    return Evidence(notes=(note,), sightings=(Sighting(ticket="TASK-001", agent="ann", date="2026-04-26", title=title),))
