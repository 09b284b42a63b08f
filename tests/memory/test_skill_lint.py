"""Strictness for the company's own skills, held against the standard's validator, and the way out of the flat form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from skills_ref import validate

from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.userspace.skills.lint import lint_skill, lint_skills
from hermes_company.userspace.skills.migrate import migrate, plan_migration, standard_name
from hermes_company.userspace.skills.skill_file import read_skills

GOOD = "name: landing-page\ndescription: Builds landing pages. Use for product pages."
# folder name, front matter
STRICT: dict[str, tuple[str, str]] = {
    "good": ("landing-page", GOOD),
    "all fields": (
        "landing-page",
        GOOD + "\nlicense: MIT\ncompatibility: needs node\nallowed-tools: Bash Read\nmetadata:\n  hc-source: TASK-001",
    ),
    "chinese name": ("落地页模板", "name: 落地页模板\ndescription: 搭建落地页时使用"),
    "longest description": ("a", "name: a\ndescription: " + "d" * 1024),
    "no name": ("landing-page", "description: Builds pages"),
    "no description": ("landing-page", "name: landing-page"),
    "empty description": ("landing-page", "name: landing-page\ndescription: ''"),
    "other folder": ("pages", GOOD),
    "upper case": ("Landing-Page", "name: Landing-Page\ndescription: x"),
    "underscore": ("landing_page", "name: landing_page\ndescription: x"),
    "two hyphens": ("landing--page", "name: landing--page\ndescription: x"),
    "leading hyphen": ("-page", "name: -page\ndescription: x"),
    "long name": ("a" * 65, f"name: {'a' * 65}\ndescription: x"),
    "long description": ("a", "name: a\ndescription: " + "d" * 1025),
    "long compatibility": ("a", "name: a\ndescription: x\ncompatibility: " + "c" * 501),
    "unknown field": ("landing-page", GOOD + "\nversion: 1.0.0"),
    "quoted, commented": ("landing-page", "# ours\nname: 'landing-page' # pages\ndescription: \"Use when: pages\""),
    "folded description": ("landing-page", "name: landing-page\ndescription: >\n  Builds\n  pages"),
    "numbers": ("1", "name: 1\ndescription: 2\nmetadata:\n  version: 1.0"),
    "composed name": ("ﬁ", "name: fi\ndescription: x"),
    "name of a sign": ("🚀", "name: 🚀\ndescription: x"),
    "name with marks": ("हिन्दी", "name: हिन्दी\ndescription: x"),
    "title case": ("ǅ", "name: ǅ\ndescription: x"),
    "trailing hyphen": ("page-", "name: page-\ndescription: x"),
    "blank description": ("landing-page", "name: landing-page\ndescription: '  '"),
    "list of tools": ("landing-page", GOOD + "\nallowed-tools: [Bash, Read]"),
    "list as compatibility": ("landing-page", GOOD + "\ncompatibility:\n  - node"),
    "metadata in braces": ("landing-page", GOOD + "\nmetadata: {a: b}"),
    "key twice": ("landing-page", GOOD + "\nname: landing-page"),
    "anchor": ("landing-page", GOOD + "\nlicense: &l MIT"),
    "tab": ("landing-page", GOOD + "\nmetadata:\n\tv: '1'"),
    "fence inside": ("landing-page", 'name: landing-page\ndescription: "Pages --- that sell"'),
    "empty front matter": ("landing-page", "# nothing"),
    "front matter of a list": ("landing-page", "- name"),
    "broken yaml": ("landing-page", "name: landing-page\ndescription: Use when: pages"),
}


def skill(folder: Path, name: str, front: str, body: str = "# Steps\n\nDo it.\n") -> Path:
    """A skill folder below `folder`."""
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\n{front}\n---\n\n{body}")
    return path


@pytest.mark.parametrize("case", STRICT)
def test_the_lint_agrees_with_the_reference_validator(tmp_path: Path, case: str) -> None:
    """What it passes we pass, what it refuses we refuse."""
    path = skill(tmp_path, *STRICT[case])
    assert bool(lint_skill(path, load_yaml)) == bool(validate(path.parent))


@pytest.mark.parametrize("mark", ["\ufeff", "", "\n"])
def test_the_lint_agrees_on_how_a_file_begins(tmp_path: Path, mark: str) -> None:
    """A byte order mark or a blank line before the front matter hides it from others."""
    path = skill(tmp_path, "landing-page", GOOD)
    path.write_text(mark + path.read_text(), encoding="utf-8")

    assert bool(lint_skill(path, load_yaml)) == bool(validate(path.parent)) == bool(mark)


# What the specification's table of fields says, and the validator (skills-ref 0.1.1) does not look at.
STRICTER = {
    "metadata that is text": GOOD + "\nmetadata: all mine",
    "metadata that is nested": GOOD + "\nmetadata:\n  hc:\n    source: TASK-001",
    "a description that is null": "name: landing-page\ndescription: ~",
}


@pytest.mark.parametrize("case", STRICTER)
def test_where_the_lint_is_stricter(tmp_path: Path, case: str) -> None:
    """Only where the specification itself says so."""
    path = skill(tmp_path, "landing-page", STRICTER[case])

    assert (bool(lint_skill(path, load_yaml)), validate(path.parent)) == (True, [])


_NAMES = st.text(st.sampled_from("aZz09-_. é落ﬁǅ１🚀"), min_size=1, max_size=8) | st.text(min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    _NAMES.filter(lambda name: name.strip(".") and "/" not in name and name.isprintable()),
    st.text(max_size=20).filter(str.isprintable),
)
def test_the_lint_agrees_on_any_name_and_description(tmp_path_factory: pytest.TempPathFactory, name: str, use: str) -> None:
    """Whatever letters, signs and spaces they are made of."""
    front = "".join(
        f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in (("name", name), ("description", use))
    )
    try:
        path = skill(tmp_path_factory.mktemp("s"), name, front.rstrip("\n"))
    except (OSError, UnicodeEncodeError):
        assume(False)

    assert bool(lint_skill(path, load_yaml)) == bool(validate(path.parent)), (name, use)


@pytest.mark.parametrize(("body", "fine"), [("", False), ("one line\n", True), ("line\n" * 500, True), ("line\n" * 501, False)])
def test_a_skill_says_something_and_not_too_much(tmp_path: Path, body: str, fine: bool) -> None:
    """An empty body helps nobody; a long one fills the context of every ticket."""
    assert (lint_skill(skill(tmp_path, "landing-page", GOOD, body), load_yaml) == []) is fine


def test_all_findings_of_a_folder_are_told_with_their_paths(tmp_path: Path) -> None:
    """A flat file, an empty folder, a file without front matter and one that is not UTF-8."""
    skill(tmp_path, "landing-page", GOOD)
    (tmp_path / "old_one.md").write_text("# Old\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "SKILL.md").write_text("# Bare\n")
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "SKILL.md").write_bytes(b"---\nname: latin\n---\n\xff")
    told = sorted(Path(f.path).relative_to(tmp_path).as_posix() for f in lint_skills(tmp_path, load_yaml))
    assert told == ["bare/SKILL.md", "empty", "latin/SKILL.md", "old_one.md"]


def test_a_flat_skill_becomes_a_standard_folder(tmp_path: Path) -> None:
    """Its text is kept, its description comes from `适用场景`, its name is as the standard wants, and the lint is content."""
    flat = tmp_path / "landing_page_template.md"
    flat.write_text("# 落地页模板\n\n## 适用场景\n- 制作：产品落地页\n\n## 步骤\n1. 写首屏\n")
    plan, findings = plan_migration(tmp_path, load_yaml)
    assert (findings, flat.exists()) == ([], True)
    migrate(plan, write_atomic)
    (moved,) = read_skills(tmp_path, load_yaml)[0]
    assert (moved.name, moved.description, moved.flat) == ("landing-page-template", "落地页模板: 制作：产品落地页", False)
    assert "1. 写首屏" in moved.body
    assert lint_skills(tmp_path, load_yaml) == []
    assert validate(tmp_path / "landing-page-template") == []
    assert not flat.exists()


def test_a_migration_overwrites_nothing(tmp_path: Path) -> None:
    """Where the folder is there already, the flat file stays and is told."""
    skill(tmp_path, "landing-page", GOOD)
    flat = tmp_path / "landing_page.md"
    flat.write_text("# other\n")
    plan, findings = plan_migration(tmp_path, load_yaml)
    assert (plan, [f.path for f in findings]) == ([], [str(flat)])


@pytest.mark.parametrize(
    ("old", "new"),
    [("landing_page", "landing-page"), ("API Design v2", "api-design-v2"), ("落地页模板", "落地页模板"), ("__", "")],
)
def test_names_are_spelt_as_the_standard_wants(old: str, new: str) -> None:
    """Lower case, digits and single hyphens; other scripts stay."""
    assert standard_name(old) == new
