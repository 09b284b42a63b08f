"""Reading an agent's `summary.md`: sections by their headings, in Chinese or English, however they are decorated."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

MAX_BYTES = 65_536


class Section(StrEnum):
    """What a section of a summary is about."""

    TASK = "task"
    STEPS = "steps"
    DELIVERABLES = "deliverables"
    DECISIONS = "decisions"
    PITFALLS = "pitfalls"
    PATTERNS = "patterns"
    OPEN = "open"
    NEXT = "next"
    USED = "used"


_SYNONYMS: dict[Section, str] = {
    Section.TASK: "任务 任务名称 任务标题 任务概述 任务描述 标题 概述 概要 摘要 task|title|overview|summary|ticket",
    Section.STEPS: """步骤 执行步骤 执行过程 实施步骤 实施过程 过程 做了什么 工作内容 完成内容 完成情况
        steps|steps taken|what was done|what i did|process|work done|implementation|execution|actions|approach""",
    Section.DELIVERABLES: """产出 产出物 交付物 交付 输出 成果 产物 文件清单 输出文件 修改的文件
        deliverables|deliverable|artifacts|artefacts|outputs|output|results|files|files changed|changed files""",
    Section.DECISIONS: """决策 关键决策 重要决策 技术决策 设计决策 关键决定 决定 取舍 技术选型 选型
        decisions|key decisions|design decisions|technical decisions|decisions made|trade-offs|tradeoffs|choices|rationale""",
    Section.PITFALLS: """踩坑 踩坑记录 踩过的坑 坑 坑点 遇到的问题 问题与解决 问题及解决方案 遇到的坑 遇到的困难
        困难 教训 经验教训 注意事项 注意点 避坑
        pitfalls|pitfall|gotchas|gotcha|lessons|lessons learned|lesson|problems|problems encountered|issues encountered
        |challenges|caveats|watch out|what went wrong|mistakes""",
    Section.PATTERNS: """可复用模式 可复用经验 复用模式 可复用 可复用的模式 模式 最佳实践 可沉淀经验 经验沉淀 经验 经验总结
        patterns|reusable patterns|reusable pattern|best practices|reusable|takeaways|learnings|what worked""",
    Section.OPEN: """遗留问题 遗留 未解决 未完成 待解决 未解决的问题 待办 已知问题 风险
        open|open issues|open questions|open points|remaining|remaining issues|known issues|left open|unresolved|todo|risks""",
    Section.NEXT: """建议下一步 下一步 后续 后续建议 后续步骤 下一步建议 下一步计划 建议
        next|next steps|suggested next steps|follow-up|follow up|followups|recommendations|suggestions""",
    Section.USED: """参考的经验 参考经验 使用的经验 用到的经验 引用的经验
        experience used|experiences used|memories used|memory used|used experience|references to memory""",
}
_FENCE = re.compile(r"^\s*(```|~~~)")
_HASHES = re.compile(r"^\s{0,3}#{1,6}\s+(?P<label>.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^\s{0,3}(?:=+|-{3,})\s*$")
_BOLD = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)、]\s*)?(?:\*\*|__)(?P<label>[^*_]{1,40}?)(?:\*\*|__)\s*(?P<rest>[:：]?.*)$")
_LABEL = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)、]\s*)?(?P<label>[^\s:：][^:：]{0,39}?)\s*[:：](?P<rest>.*)$")
_NUMBER = re.compile(
    r"^(?:第?[\d一二三四五六七八九十]+(?:[.、)）:：]|\s|部分|章|步)\s*|[（(][\d一二三四五六七八九十]+[)）]\s*)+"
)
_TAIL = re.compile(r"(?:记录|总结|说明|清单|列表|部分|汇总|梳理)$")
_SPLIT = re.compile(r"\s*(?:与|和|及|以及|/|、|&|\+| and | or |\(|（)\s*")
_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•·]|\d+[.)、])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)$")
_NOTHING = re.compile(r"^(?:无|暂无|没有|无。|none|n/?a|nothing|no|-|—|nil|not applicable)[.。!！]?$", re.IGNORECASE)


def _headings() -> dict[str, Section]:
    table: dict[str, Section] = {}
    for section, words in _SYNONYMS.items():
        chinese = [w for w in words.split() if not w.isascii()]
        english = " ".join(w for w in words.split() if w.isascii()).split("|")
        table.update({word.strip(): section for word in [*chinese, *english] if word.strip()})
    return table


HEADINGS: Mapping[str, Section] = _headings()


@dataclass(frozen=True, slots=True)
class Block:
    """One section as written: its heading's words, what it is (None: unknown to us) and its items without list marks."""

    heading: str
    section: Section | None
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary's sections in their order."""

    blocks: tuple[Block, ...]

    def items(self, *sections: Section) -> tuple[str, ...]:
        """All items of these sections, in the order of the text."""
        return tuple(item for block in self.blocks if block.section in sections for item in block.items)

    @property
    def thin(self) -> bool:
        """Whether there is nothing in it that we would know what to do with."""
        return not any(b.items for b in self.blocks if b.section not in (None, Section.TASK, Section.USED))


def parse_summary(text: str) -> Summary:
    """The sections of a Markdown summary. Any text is parsed; one without shape is `thin`."""
    blocks: list[Block] = []
    lines: list[str] = []
    heading: str = ""
    section: Section | None = None
    for title, found, rest in _lines(text):
        if title is None:
            lines.append(rest)
            continue
        blocks.append(Block(heading, section, tuple(_items(lines))))
        heading, section, lines = title, found, [rest]
    blocks.append(Block(heading, section, tuple(_items(lines))))
    return Summary(tuple(b for b in blocks if b.heading or b.items))


def section_of(label: str) -> Section | None:
    """Which section a heading names, whatever numbering, emoji or emphasis surrounds it; None when we don't know it."""
    plain = _plain(label)
    for candidate in (plain, _TAIL.sub("", plain)):
        if candidate in HEADINGS:
            return HEADINGS[candidate]
    first = _TAIL.sub("", _SPLIT.split(plain, maxsplit=1)[0].strip())
    return HEADINGS.get(first)


def _plain(label: str) -> str:
    text = unicodedata.normalize("NFKC", label)
    text = "".join(c for c in text if c.isalnum() or c.isspace() or c in "-/&+、.()（）:与").strip(" :.-*_")
    return re.sub(r"\s+", " ", _NUMBER.sub("", text).strip(" :.-")).casefold()


def _lines(text: str) -> Iterator[tuple[str | None, Section | None, str]]:
    """Each line as (heading, section, rest of the line); an ordinary line has no heading."""
    fenced = False
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            following = lines[number + 1] if number + 1 < len(lines) else ""
            found = _heading(line, following)
            if found:
                yield found
                continue
            if _UNDERLINE.match(line):
                continue
        yield None, None, line


def _heading(line: str, following: str) -> tuple[str, Section | None, str] | None:
    hashes = _HASHES.match(line)
    if hashes:
        label, _, rest = hashes["label"].replace("：", ":").partition(":")
        section = section_of(hashes["label"]) or section_of(label)
        return hashes["label"].strip("*_ "), section, rest if section and rest.strip() else ""
    if line.strip() and _UNDERLINE.match(following) and section_of(line):
        return line.strip(), section_of(line), ""
    for pattern in (_BOLD, _LABEL):
        match = pattern.match(line)
        if match and section_of(match["label"].strip(":： ")) is not None:
            label = match["label"].strip(":： ")
            return label, section_of(label), match["rest"].lstrip(":： ").removeprefix("**").strip()
    # A bare line such as `踩坑` counts as a heading; a bare English word would be prose too often.
    if not line.isascii() and section_of(line) and not _BULLET.match(line):
        return line.strip(), section_of(line), ""
    return None


def _items(lines: list[str]) -> Iterator[str]:
    """List items with their continuation lines, or paragraphs; `none` and its like are no items."""
    current: list[str] = []
    for line in [*lines, ""]:
        bullet = _BULLET.match(line)
        if bullet and not bullet["indent"].replace("\t", "    ")[2:]:
            yield from _item(current)
            current = [bullet["text"]]
        elif not line.strip():
            yield from _item(current)
            current = []
        else:
            current.append(bullet["text"] if bullet else line.strip())
    yield from _item(current)


def _item(parts: list[str]) -> Iterator[str]:
    text = re.sub(r"\s+", " ", " ".join(part for part in parts if not _FENCE.match(part))).strip()
    if text and not _NOTHING.match(text):
        yield text
