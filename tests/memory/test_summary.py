"""Summaries in every shape that agents give them."""

from __future__ import annotations

import pytest

from hermes_company.userspace.memory.summary import Section, parse_summary, section_of

SHAPES = {
    "plain": "## 踩坑\n- 构建超时\n- 缓存未清",
    "numbered": "## 4. 踩坑记录\n1. 构建超时\n2. 缓存未清",
    "chinese numbers": "四、踩坑\n- 构建超时\n- 缓存未清",
    "parentheses": "### （四）踩坑与解决方案\n- 构建超时\n- 缓存未清",
    "emoji": "## 🐛 踩坑\n* 构建超时\n* 缓存未清",
    "bold": "**踩坑**\n- 构建超时\n- 缓存未清",
    "bold with colon": "**踩坑：**\n- 构建超时\n- 缓存未清",
    "underlined": "踩坑\n----\n- 构建超时\n- 缓存未清",
    "bare line": "踩坑\n\n- 构建超时\n- 缓存未清",
    "full width": "＃＃ 踩坑".replace("＃", "#") + "\n• 构建超时\n• 缓存未清",
    "crlf": "## 踩坑\r\n- 构建超时\r\n- 缓存未清\r\n",
    "paragraphs": "## 踩坑\n\n构建超时\n\n缓存未清\n",
    "english heading": "## Pitfalls & gotchas\n- 构建超时\n- 缓存未清",
    "checkboxes": "## Lessons learned\n- [x] 构建超时\n- [ ] 缓存未清",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
def test_pitfalls_are_found_in_every_shape(text: str) -> None:
    """Numbering, emoji, emphasis, underlines and both languages change nothing about what a section is."""
    assert parse_summary(text).items(Section.PITFALLS) == ("构建超时", "缓存未清")


@pytest.mark.parametrize(
    ("line", "section", "item"),
    [
        ("踩坑：构建超时", Section.PITFALLS, "构建超时"),
        ("- **关键决策**: 用静态导出", Section.DECISIONS, "用静态导出"),
        ("3. 产出物：index.html", Section.DELIVERABLES, "index.html"),
        ("Next steps: add tests", Section.NEXT, "add tests"),
        ("## 遗留问题：支付未接入", Section.OPEN, "支付未接入"),
        ("参考的经验：L-1a2b3c4d", Section.USED, "L-1a2b3c4d"),
    ],
)
def test_a_label_with_its_value_on_one_line_is_a_section(line: str, section: Section, item: str) -> None:
    """`label：value` is read like a heading with one item."""
    assert parse_summary(line).items(section) == (item,)


@pytest.mark.parametrize("section", [s for s in Section if s is not Section.TASK])
def test_every_section_has_a_chinese_and_an_english_name(section: Section) -> None:
    """Agents may answer in either language."""
    names = {
        Section.STEPS: ("步骤", "Steps"),
        Section.DELIVERABLES: ("产出物", "Deliverables"),
        Section.DECISIONS: ("关键决策", "Key decisions"),
        Section.PITFALLS: ("踩坑", "Pitfalls"),
        Section.PATTERNS: ("可复用模式", "Reusable patterns"),
        Section.OPEN: ("遗留问题", "Open issues"),
        Section.NEXT: ("建议下一步", "Next steps"),
        Section.USED: ("参考的经验", "Experience used"),
    }[section]
    assert [section_of(name) for name in names] == [section, section]


def test_continuation_lines_and_nested_items_belong_to_their_item() -> None:
    """A list item is one thing, however many lines it takes."""
    text = "## Pitfalls\n- the build timed out\n  because of images\n    - resize them first\n- cache"
    assert parse_summary(text).items(Section.PITFALLS) == ("the build timed out because of images resize them first", "cache")


def test_headings_inside_code_are_not_headings() -> None:
    """A `# comment` in a fenced block does not end the section."""
    text = "## Steps\n- run it\n```sh\n# Pitfalls\nmake\n```\n- done"
    assert parse_summary(text).items(Section.PITFALLS) == ()


@pytest.mark.parametrize("nothing", ["无", "暂无", "None", "N/A", "-", "none."])
def test_nothing_is_no_item(nothing: str) -> None:
    """A section that says `none` teaches nothing."""
    assert parse_summary(f"## 踩坑\n{nothing}\n").items(Section.PITFALLS) == ()


@pytest.mark.parametrize(
    "text", ["", "done.", "# Summary\nAll good.", "Lorem ipsum: dolor\n\nsit amet", "## 参考的经验\nL-1a2b3c4d"]
)
def test_a_shapeless_summary_is_thin(text: str) -> None:
    """What has no section that we know is not pretended to be one."""
    assert parse_summary(text).thin


def test_prose_with_a_colon_is_not_a_heading() -> None:
    """Only a label that we know by heart starts a section."""
    text = "## Pitfalls\n- the server said: timeout\n- 注意：先备份"
    assert len(parse_summary(text).items(Section.PITFALLS)) == 2
