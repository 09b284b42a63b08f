"""Codex's transcripts, `rollout-….jsonl`: running totals of the conversation, some of them told more than once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from hermes_company.domain.usage import Tokens
from hermes_company.userspace.cost.transcript import (
    Line,
    Mark,
    NotAsKnown,
    Reading,
    Used,
    model_name,
    moment,
    number,
    part,
    read_on,
)

# `token_count` is told when a tool has ended; newer versions tell `token_usage_record` as soon as an answer is there.
_WORDS = (b'"token_count"', b'"token_usage_record"', b'"turn_context"')


def read(path: Path, mark: Mark) -> Reading:
    """See `Reader`."""
    used: list[Used] = []
    mark, problem = read_on(path, mark, _WORDS, partial(_take, used))
    return Reading(tuple(used), mark, problem)


def beside(path: Path) -> Iterable[Path]:
    """None: a Codex sub-agent is a conversation of its own."""
    return ()


def _take(used: list[Used], line: Line, mark: Mark) -> Mark:
    kind = line.get("type")
    if kind == "turn_context":
        return replace(mark, model=model_name(part(line, "payload")))
    total = _total(kind, line)
    if total is None or total == mark.total:
        return mark
    then = replace(mark, total=total)
    if not total.at_least(mark.total) or not mark.model:
        raise NotAsKnown(then)
    used.append(Used(at=moment(line), model=mark.model, tokens=total - mark.total))
    return then


def _total(kind: object, line: Line) -> Tokens | None:
    """The running total that a line tells; None for one that tells none."""
    if kind == "token_usage_record":
        return _tokens(part(part(line, "payload"), "thread_token_usage"))
    if kind != "event_msg" or part(line, "payload").get("type") != "token_count":
        return None
    payload = part(line, "payload")
    # Without `info` it is about limits only.
    return None if payload.get("info") is None else _tokens(part(part(payload, "info"), "total_token_usage"))


def _tokens(usage: Line) -> Tokens:
    cached = number(usage, "cached_input_tokens", 0)
    written = number(usage, "cache_write_input_tokens", 0)
    reasoning = number(usage, "reasoning_output_tokens", 0)
    new, answered = number(usage, "input_tokens") - cached - written, number(usage, "output_tokens") - reasoning
    if new < 0 or answered < 0:
        raise NotAsKnown
    return Tokens(input=new, cached=cached, cache_write=written, output=answered, reasoning=reasoning)
