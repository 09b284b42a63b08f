"""The Messages API, as far as Claude Code uses it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_company.domain.usage import Tokens
from tests.scripted_model.events import encode
from tests.scripted_model.script import Answer, Fail, Run, Say, Turn, Use, Write

# What each answer is said to have used.
USED = Tokens(input=100, cached=3_000, cache_write=40, output=20)
TITLE = '{"title": "Scripted"}'
_KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
_numbers = itertools.count(1)


def parse(body: Mapping[str, Any]) -> Turn:
    """The request that Claude Code posts to `/v1/messages`."""
    blocks = [(message["role"], block) for message in body["messages"] for block in _blocks(message["content"])]
    said = [block["text"] for role, block in blocks if role == "user" and block["type"] == "text"]
    return Turn(
        api="anthropic",
        model=body["model"],
        conversation=json.loads(body.get("metadata", {}).get("user_id", "{}")).get("session_id", ""),
        prompts=tuple(text for text in said if not text.startswith("<system-reminder>")),
        answers=tuple(block["text"] for role, block in blocks if role == "assistant" and block["type"] == "text"),
        results=tuple(_result(block) for _, block in blocks if block["type"] == "tool_result"),
        replies=sum(message["role"] == "assistant" for message in body["messages"]),
        tools=tuple(tool["name"] for tool in body.get("tools", ())),
        body=body,
    )


def answer(step: Answer) -> bytes:
    """The step as Claude Code expects it: a stream of events."""
    return encode(_events(step))


def failure(step: Fail) -> dict[str, Any]:
    """The body of an error."""
    kind = step.kind or _KINDS.get(step.status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": step.message, **step.fields}}


def _blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _result(block: Mapping[str, Any]) -> str:
    return "\n".join(part.get("text", "") for part in _blocks(block.get("content", "")))


def _events(step: Answer) -> Iterator[dict[str, Any]]:
    number = next(_numbers)
    usage = {
        "input_tokens": USED.input,
        "cache_read_input_tokens": USED.cached,
        "cache_creation_input_tokens": USED.cache_write,
        "output_tokens": 1,
    }
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    if isinstance(step, Say):
        yield _start({"type": "text", "text": ""})
        yield _delta({"type": "text_delta", "text": step.text})
    else:
        name, given = _tool(step)
        yield _start({"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}})
        yield _delta({"type": "input_json_delta", "partial_json": json.dumps(given)})
    yield {"type": "content_block_stop", "index": 0}
    reason = "end_turn" if isinstance(step, Say) else "tool_use"
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": USED.output}}
    yield {"type": "message_stop"}


def _tool(step: Run | Write | Use) -> tuple[str, Mapping[str, object]]:
    if isinstance(step, Use):
        return step.tool, step.arguments
    if isinstance(step, Run):
        return "Bash", {"command": step.command, "description": "scripted"}
    return "Write", {"file_path": step.path, "content": step.content}


def _start(block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def _delta(delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": 0, "delta": delta}
