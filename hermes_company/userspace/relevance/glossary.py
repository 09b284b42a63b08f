"""The company's bilingual glossary: what a word is called in the other language. People edit `company/glossary.tsv`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.userspace.relevance.tokens import Token, located, normalise, tokens

MAX_BYTES = 1_048_576
_HAN = re.compile(r"[\u3400-\u9fff]")
_LONGEST_PHRASE = 4

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A stretch of text that the glossary knows, with the tokens of what it is called elsewhere."""

    start: int
    end: int
    others: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Glossary:
    """Looks words up both ways. Chinese entries are found anywhere in a run of characters, English ones as whole words."""

    chinese: dict[str, tuple[Words, ...]] = field(default_factory=dict)
    english: dict[Words, tuple[Words, ...]] = field(default_factory=dict)

    def matches(self, text: str) -> Iterator[Match]:
        """Every entry that a normalised text mentions; the longest wins where entries overlap."""
        yield from self._chinese_matches(text)
        yield from self._english_matches([t for t in located(text) if not _HAN.match(t.text)])

    def _chinese_matches(self, text: str) -> Iterator[Match]:
        longest = max(map(len, self.chinese), default=0)
        at = 0
        while at < len(text):
            if not _HAN.match(text[at]):
                at += 1
                continue
            for length in range(min(longest, len(text) - at), 0, -1):
                others = self.chinese.get(text[at : at + length])
                if others:
                    yield Match(at, at + length, others)
                    at += length
                    break
            else:
                at += 1

    def _english_matches(self, words: list[Token]) -> Iterator[Match]:
        at = 0
        while at < len(words):
            for length in range(min(_LONGEST_PHRASE, len(words) - at), 0, -1):
                others = self.english.get(tuple(t.text for t in words[at : at + length]))
                if others:
                    yield Match(words[at].start, words[at + length - 1].end, others)
                    at += length
                    break
            else:
                at += 1


def read_glossary(path: Path) -> Glossary:
    """The glossary in a file of lines `chinese, chinese<TAB>english, english`; `#` starts a comment.

    A missing or unreadable file is an empty glossary: recall across languages is then weaker, and nothing else changes. A
    file that has not changed since is not read again.
    """
    try:
        info = path.stat()
    except OSError:
        return Glossary()
    return _read(path, (info.st_ino, info.st_mtime_ns, info.st_size))


@lru_cache(maxsize=4)
def _read(path: Path, signature: tuple[int, int, int]) -> Glossary:
    try:
        text = read_text(path, MAX_BYTES)
    except (FileNotFoundError, Unreadable):
        return Glossary()
    glossary = Glossary()
    for line in normalise(text).splitlines():
        left, tab, right = line.partition("\t")
        if tab and not left.lstrip().startswith("#"):
            _add(glossary, _cells(left), _cells(right))
    return glossary


def _cells(column: str) -> list[str]:
    return [cell for cell in (c.strip() for c in re.split(r"[,、;|]", column)) if cell]


def _add(glossary: Glossary, chinese: list[str], english: list[str]) -> None:
    english_words = [words for words in (tuple(tokens(cell)) for cell in english) if words]
    chinese_words = [words for words in (tuple(tokens(cell)) for cell in chinese) if words]
    for cell in chinese:
        others = [*english_words, *(w for w, c in zip(chinese_words, chinese, strict=False) if c != cell)]
        glossary.chinese[cell] = tuple(dict.fromkeys((*glossary.chinese.get(cell, ()), *others)))
    for words in english_words:
        others = [*chinese_words, *(w for w in english_words if w != words)]
        glossary.english[words] = tuple(dict.fromkeys((*glossary.english.get(words, ()), *others)))
