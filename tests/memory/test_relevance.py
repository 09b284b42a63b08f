"""Words, translations and the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_company.userspace.relevance.glossary import read_glossary
from hermes_company.userspace.relevance.ranking import Corpus, Rater, build_query, document
from hermes_company.userspace.relevance.tokens import tokens

SHIPPED = Path(__file__).parents[2] / "company" / "glossary.tsv"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("caching cached caches", ["cach", "cach", "cach"]),
        ("EXDEV in os.rename()", ["exdev", "os.rename", "os", "renam"]),
        ("processOrderV2", ["processorderv2", "process", "order"]),
        ("out_request_no", ["out_request_no", "request"]),
        ("落地页", ["落地", "地页"]),
        ("订单的状态", ["订单", "状态"]),
        ("部署到Vercel.com的项目", ["部署", "署到", "vercel.com", "vercel", "com", "项目"]),
        ("ＡＰＩ　设计", ["api", "设计"]),
        ("C++ and C#", ["c++", "c#"]),
        ("the of 的 了", []),
    ],
)
def test_words_are_taken_apart_so_that_they_can_be_compared(text: str, words: list[str]) -> None:
    """Stems, whole and split identifiers, pairs of characters; function words say nothing."""
    assert tokens(text) == words


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    """Without an error, and into words that a full-text index keeps whole: no blanks, no quotes."""
    assert not any(set(word) & set(" \t\n\"'") for word in tokens(text))


def test_the_longest_entry_of_the_glossary_wins(tmp_path: Path) -> None:
    """`消息推送` is one thing, not `消息`, `推送` and what lies over the edge; comments and broken lines are passed over."""
    file = tmp_path / "glossary.tsv"
    file.write_text("# 消息\tcomment\n消息推送\tpush notification\n推送\tpush\n消息\tmessage\nno tab here\n")
    matches = list(read_glossary(file).matches("消息推送失败"))
    assert [(m.start, m.end, m.others) for m in matches] == [(0, 4, (("push", "notification"),))]


def test_an_edited_glossary_is_used_at_once(tmp_path: Path) -> None:
    """No restart, no command."""
    file = tmp_path / "glossary.tsv"
    assert list(read_glossary(file).matches("甲方")) == []
    file.write_text("甲方\tclient\n")
    assert [m.others for m in read_glossary(file).matches("甲方")] == [(("client",),)]
    file.write_text("甲方\tcustomer\n")
    assert [m.others for m in read_glossary(file).matches("甲方")] == [(("custom" + "er",),)]


def test_every_line_of_the_shipped_glossary_is_an_entry() -> None:
    """Two columns, both with words."""
    lines = [line for line in SHIPPED.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert [line for line in lines if len(line.split("\t")) != 2 or not all(map(tokens, line.split("\t")))] == []
    assert len(lines) >= 1_000


def test_a_translation_counts_half() -> None:
    """The word itself scores more than what it is called elsewhere, and that more than nothing."""
    texts = {
        "own": document([], tokens("支付失败")),
        "other": document([], tokens("payment fails")),
        "none": document([], ["x"]),
    }
    rater = Rater(build_query("支付", "", read_glossary(SHIPPED)), Corpus(3, 2.0, {"支付": 1, "payment": 1, "pay": 1}))
    own, other, none = (rater.rate(doc) for doc in texts.values())
    assert own.score > other.score > none.score == 0
    assert (own.coverage, other.coverage) == (1.0, 0.5)
