"""Transcripts as the engines write them: each token once, torn lines later, and what we don't know is said."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_company.domain.usage import Tokens
from hermes_company.userspace.cost import claude_transcript, codex_transcript
from hermes_company.userspace.cost.transcript import Mark, Reader, Reading

AT = "2026-05-01T09:00:00.123Z"


def answer(identity: str, output: int = 20, **changes: Any) -> dict[str, Any]:
    """A line of Claude Code about one answer, or a part of it."""
    usage = {"input_tokens": 100, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4, "output_tokens": output}
    message = {"id": identity, "role": "assistant", "model": "opus", "content": [], "usage": usage}
    return {"type": "assistant", "timestamp": AT, "message": {**message, **changes}}


def totals(input: int, cached: int, output: int, reasoning: int) -> dict[str, int]:
    """A running total as Codex tells it."""
    total = {"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output}
    return {**total, "reasoning_output_tokens": reasoning, "total_tokens": input + output}


def context(model: str = "gpt-5") -> dict[str, Any]:
    """Codex: the model at work from here on."""
    return {"timestamp": AT, "type": "turn_context", "payload": {"model": model}}


def count(*numbers: int) -> dict[str, Any]:
    """Codex: the conversation's running total, as all versions tell it."""
    info = {"total_token_usage": totals(*numbers), "last_token_usage": totals(1, 0, 1, 0)}
    return {"timestamp": AT, "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def record(*numbers: int) -> dict[str, Any]:
    """Codex: the same, told earlier by newer versions."""
    return {"timestamp": AT, "type": "token_usage_record", "payload": {"thread_token_usage": totals(*numbers)}}


def write(path: Path, *lines: Mapping[str, Any]) -> Path:
    """A transcript."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def tokens(reading: Reading) -> Tokens:
    """All that was read."""
    return sum((used.tokens for used in reading.used), Tokens())


CLAUDE = [
    {"type": "user", "message": {"content": 'he said "assistant"'}},
    answer("m1"),
    answer("m2", 3),
    answer("m2", 50),
    answer("m2", 50),
    {"type": "system", "subtype": "turn_duration"},
    answer("m3", model="haiku"),
    answer("m4", model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0}),
]
CODEX = [
    {"timestamp": AT, "type": "session_meta", "payload": {"cli_version": "0.171.0"}},
    context(),
    record(100, 30, 20, 5),
    count(100, 30, 20, 5),
    {"timestamp": AT, "type": "event_msg", "payload": {"type": "token_count", "info": None, "rate_limits": {}}},
    count(100, 30, 20, 5),
    {"timestamp": AT, "type": "response_item", "payload": {"type": "message", "content": "token_count"}},
    context("gpt-5-mini"),
    count(300, 130, 50, 5),
]


def test_claude_counts_each_answer_once(tmp_path: Path) -> None:
    """Several lines of one answer count once, with the fullest; what an error message cost is nothing."""
    reading = claude_transcript.read(write(tmp_path / "t.jsonl", *CLAUDE), Mark())

    assert [(used.model, used.tokens.output) for used in reading.used] == [("opus", 20), ("opus", 50), ("haiku", 20)]
    assert reading.used[0].tokens == Tokens(input=100, cached=30, cache_write=4, output=20)
    assert reading.used[0].at.isoformat() == "2026-05-01T09:00:00.123000+00:00"
    assert reading.problem is None


def test_claude_sub_agents_lie_beside(tmp_path: Path) -> None:
    """A session's sub-agents have transcripts of their own in its folder."""
    (tmp_path / "s" / "subagents").mkdir(parents=True)
    for name in ("agent-2.jsonl", "agent-1.jsonl", "agent-1.meta.json"):
        (tmp_path / "s" / "subagents" / name).touch()

    assert [path.name for path in claude_transcript.beside(tmp_path / "s.jsonl")] == ["agent-1.jsonl", "agent-2.jsonl"]


def test_codex_counts_what_the_total_grows_by(tmp_path: Path) -> None:
    """Totals that are told twice, by one kind of line or by both, count once; each step belongs to the model at work."""
    reading = codex_transcript.read(write(tmp_path / "t.jsonl", *CODEX), Mark())

    assert [(used.model, used.tokens) for used in reading.used] == [
        ("gpt-5", Tokens(input=70, cached=30, output=15, reasoning=5)),
        ("gpt-5-mini", Tokens(input=100, cached=100, output=30)),
    ]
    assert reading.problem is None


def test_codex_counts_an_answer_whose_tool_never_ended(tmp_path: Path) -> None:
    """An attempt that is ended while a tool runs has paid for the answer that called it."""
    reading = codex_transcript.read(write(tmp_path / "t.jsonl", context(), record(100, 0, 20, 0)), Mark())

    assert tokens(reading) == Tokens(input=100, output=20)


BOTH = pytest.mark.parametrize(
    ("read", "lines"), [(claude_transcript.read, CLAUDE), (codex_transcript.read, CODEX)], ids=["claude", "codex"]
)


@BOTH
@given(cuts=st.lists(st.integers(min_value=0, max_value=4_000), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
def test_reading_on_is_reading_once(read: Reader, lines: list[dict[str, Any]], tmp_path: Path, cuts: list[int]) -> None:
    """However often a growing transcript is read on, and wherever it ends meanwhile, the sum is that of the whole."""
    # An attempt ends behind an answer, never between two lines of one: that one is left out.
    whole = write(tmp_path / "whole.jsonl", *[line for line in lines if line.get("message", {}).get("id") != "m2"])
    data = whole.read_bytes()
    growing, mark, sums = tmp_path / "growing.jsonl", Mark(), Tokens()
    for cut in [*sorted(cuts), len(data)]:
        growing.write_bytes(data[:cut])
        reading = read(growing, mark)
        assert reading.problem is None
        mark, sums = reading.mark, sums + tokens(reading)

    assert sums == tokens(read(whole, Mark()))
    assert mark.offset == len(data)


@BOTH
def test_torn_line_waits_for_its_end(read: Reader, lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """A last line without its end is no line yet, and no problem."""
    path = write(tmp_path / "t.jsonl", *lines)
    whole = read(path, Mark())
    with path.open("a") as file:
        file.write(json.dumps(lines[-1])[:-20])

    assert read(path, Mark()) == whole


@pytest.mark.parametrize(
    "strange",
    [
        {**answer("x"), "message": None},
        answer("x", usage=None),
        answer("x", usage={"inputTokens": 1, "outputTokens": 2}),
        answer("x", usage={"input_tokens": "100", "output_tokens": 2}),
        answer("x", usage={"input_tokens": -1, "output_tokens": 2}),
        answer("x", model=None),
        answer("x", model="a\x1b[31m"),
        {**answer("x"), "timestamp": None},
        {**answer("x"), "timestamp": "yesterday"},
        {**answer("x"), "timestamp": "2026-05-01T09:00:00"},
    ],
)
def test_claude_says_what_it_does_not_know(tmp_path: Path, strange: dict[str, Any]) -> None:
    """An answer whose usage is told in another way is not guessed at: it is said, and the others count."""
    path = write(tmp_path / "t.jsonl", answer("m1"), strange, answer("m2"))
    reading = claude_transcript.read(path, Mark())

    assert tokens(reading).output == 40
    assert reading.problem
    assert str(len(json.dumps(answer("m1"))) + 1) in str(reading.problem)
    assert str(path) in str(reading.problem)


@pytest.mark.parametrize(
    "strange",
    [
        {"type": "turn_context", "payload": {"model_name": "x"}},
        {"type": "token_usage_record", "payload": {"usage": {}}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"totals": {}}}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": []}},
        count(100, 200, 20, 0),
        {**count(110, 30, 20, 5), "timestamp": 17},
    ],
)
def test_codex_says_what_it_does_not_know(tmp_path: Path, strange: dict[str, Any]) -> None:
    """A line about tokens in another form is said; the running total makes up for what it would have told."""
    path = write(tmp_path / "t.jsonl", context(), count(100, 30, 20, 5), strange, count(300, 130, 50, 5))
    reading = codex_transcript.read(path, Mark())

    assert reading.problem
    assert tokens(reading).total == 350


def test_codex_total_that_shrinks_is_said(tmp_path: Path) -> None:
    """A running total that went back tells nothing of what was used meanwhile; it is counted on from there."""
    path = write(tmp_path / "t.jsonl", context(), count(100, 0, 20, 0), count(50, 0, 10, 0), count(60, 0, 10, 0))
    reading = codex_transcript.read(path, Mark())

    assert reading.problem
    assert tokens(reading) == Tokens(input=110, output=20)


def test_codex_tokens_without_a_model_are_said(tmp_path: Path) -> None:
    """Tokens that no model was named for are not put on any."""
    reading = codex_transcript.read(write(tmp_path / "t.jsonl", count(100, 0, 20, 0)), Mark())

    assert (reading.used, reading.problem is None) == ((), False)


@BOTH
@pytest.mark.parametrize(
    "raw", [b'{"type": "assistant", "token_count"\n', b'["assistant", "token_count"]\n', b'"assistant" "token_count"\n']
)
def test_what_is_no_json_is_said(read: Reader, lines: list[dict[str, Any]], tmp_path: Path, raw: bytes) -> None:
    """A line that concerns us and can't be parsed is said, and what follows is read."""
    path = write(tmp_path / "t.jsonl", *lines)
    path.write_bytes(raw + path.read_bytes())

    assert read(path, Mark()).problem
    assert tokens(read(path, Mark())).total > 0


@BOTH
def test_shorter_than_it_was(read: Reader, lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """A transcript that was cut or replaced is said; nothing is counted twice."""
    path = write(tmp_path / "t.jsonl", *lines)
    reading = read(path, Mark(offset=10**6))

    assert (reading.used, reading.mark.offset) == ((), 10**6)
    assert reading.problem


@BOTH
def test_only_files_are_read(read: Reader, lines: list[dict[str, Any]], tmp_path: Path) -> None:
    """A path that an agent may have made up leads to no pipe that never ends, no folder and through no link."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(write(tmp_path / "t.jsonl", *lines))

    for path in (tmp_path / "pipe", tmp_path, tmp_path / "link", tmp_path / "gone"):
        with pytest.raises(OSError, match=path.name):
            read(path, Mark())
