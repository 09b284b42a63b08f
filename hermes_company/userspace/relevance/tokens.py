"""Words that can be compared: light English stems, whole and split identifiers, Chinese bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

# Changes whenever the same text would give other tokens: an index made by another number is rebuilt.
TOKENS_VERSION = 2

_RUN = re.compile(r"\w+(?:[.\-]\w+)*[+#]{0,2}")
_CJK = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+)")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
# Function characters: a bigram over one of them says nothing. Only those that hardly ever are part of a content word.
_FUNCTION = re.compile("[的了在是和与或及也都就而但被把吗呢吧啊呀哦这那我你他她它们很之其若且]")
_BIGRAMS = """
    可以 需要 进行 一个 一些 使用 通过 如果 因为 没有 不能 不要 已经 以及 或者 然后 之后 之前 时候 问题 情况 方式
    方法 内容 相关 要求 任务 完成 实现 支持 提供 包括 包含 确保 保证 请把 请在 以下 以上 如下 其中 对于 关于 根据
    按照 为了 由于 同时 目前 当前 直接 可能 应该 必须 不会 不是 还是 只有 只要 一下 一次 第一 第二 这个 那个 哪些
    什么 怎么 如何 为什 多个 每个 所有 全部 部分 记得 注意 出现 发现 导致 工作 做好 处理 负责 希望 开始 结束 写一
    做一 一份 一篇 个新 新的 我司 公司
"""
_STOP_BIGRAMS = frozenset(_BIGRAMS.split())
_WORDS = """
    a about above after again all also an and any are as at be because been before being below between both but by
    can could did do does doing done down during each every few for from further get got had has have having he her
    here his how i if in into is it its itself just let like made make makes may me might more most must my need
    needs new no nor not now of off on once one only or other our out over own per please same she should show so
    some such than that the their them then there these they this those through to too under until up upon us use
    used uses using very via was we were what when where which while who why will with within without would you your
    task ticket todo etc e.g i.e
"""
_STOP_WORDS = frozenset(_WORDS.split())


class Token(NamedTuple):
    """One comparable word and the stretch of the normalised text that it covers."""

    text: str
    start: int
    end: int


def normalise(text: str) -> str:
    """NFKC: full-width letters, compatibility forms and composed accents become one spelling."""
    return unicodedata.normalize("NFKC", text)


def tokens(text: str) -> list[str]:
    """Every token of `text`, in order, repeated ones included."""
    return [token.text for token in located(normalise(text))]


def located(text: str) -> Iterator[Token]:
    """The tokens of an already normalised text with their places."""
    for run in _RUN.finditer(text):
        at = run.start()
        # Split at the captured group: Chinese at every second place.
        for number, piece in enumerate(_CJK.split(run.group()) if not run.group().isascii() else [run.group()]):
            if number % 2:
                yield from _bigrams(piece, at)
            else:
                for word in _words(piece.strip(".-")):
                    yield Token(word, at, at + len(piece))
            at += len(piece)


def _bigrams(run: str, offset: int) -> Iterator[Token]:
    start = 0
    for end in [*(m.start() for m in _FUNCTION.finditer(run)), len(run)]:
        for i in range(start, end - 1):
            pair = run[i : i + 2]
            if pair not in _STOP_BIGRAMS:
                yield Token(pair, offset + i, offset + i + 2)
        start = end + 1


@lru_cache(maxsize=20_000)
def _words(piece: str) -> tuple[str, ...]:
    whole = piece.casefold().strip("_")
    parts = [part.casefold() for part in _CAMEL.findall(piece)]
    found = [stem(part) for part in parts if _counts(part)] if len(parts) > 1 else []
    if _counts(whole):
        found.insert(0, stem(whole))
    return tuple(dict.fromkeys(found))


def _counts(word: str) -> bool:
    return word not in _STOP_WORDS and (len(word) > 1 or not word.isascii())


def stem(word: str) -> str:
    """A light English stem: plural, -ing and -ed go, so that caching, cached and caches meet. Identifiers stay whole."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zes")) else word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) >= len(ending) + 3 and any(c in "aeiouy" for c in word[: -len(ending)]):
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word
