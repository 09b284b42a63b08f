"""The part of a note that goes into a prompt."""

from __future__ import annotations

from hermes_company.userspace.memory.note import Kind, Note, one_line
from hermes_company.userspace.memory.summary import Block, Section, parse_summary
from hermes_company.userspace.relevance.tokens import tokens

MAX_CHARS = 400
# What helps the next one most comes first; what was done step by step only where there is nothing else.
_ORDER = (
    Section.PITFALLS,
    Section.PATTERNS,
    Section.DECISIONS,
    Section.OPEN,
    Section.NEXT,
    Section.STEPS,
    Section.DELIVERABLES,
)


def excerpt(note: Note, words: frozenset[str]) -> str:
    """At most `MAX_CHARS` characters of the note: its lesson, or of an experience the items that share most of `words`."""
    if note.kind is not Kind.EXPERIENCE:
        return _cut(one_line(note.body), MAX_CHARS)
    blocks = parse_summary(note.body).blocks
    parts: list[str] = []
    left = MAX_CHARS
    for section in _ORDER:
        for block in (b for b in blocks if b.section is section and b.items):
            if left > len(block.heading) + 20 and (not parts or section not in (Section.STEPS, Section.DELIVERABLES)):
                parts.append(_told(block, words, left))
                left -= len(parts[-1]) + 1
    return "\n".join(parts)[:MAX_CHARS]


def _told(block: Block, words: frozenset[str], room: int) -> str:
    """A section on one line: its heading and as many items as there is room for, those that fit the ticket best first."""
    items = sorted(block.items, key=lambda item: -len(words & set(tokens(item))))
    told = f"{block.heading}: {_cut(one_line(items[0]), room - len(block.heading) - 2)}"
    for item in items[1:]:
        longer = f"{told}; {one_line(item)}"
        if len(longer) <= room:
            told = longer
    return told


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def prompt_tokens(text: str) -> int:
    """A cautious count of a model's tokens: one for a Chinese character, one for four Latin ones."""
    wide = sum(1 for c in text if ord(c) >= 0x2E80)
    return wide + (len(text) - wide + 3) // 4
