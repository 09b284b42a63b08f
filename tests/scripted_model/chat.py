"""The Chat Completions API, as far as OpenCode uses it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hermes_company.domain.usage import Tokens
from tests.scripted_model.events import encode_data
from tests.scripted_model.script import Answer, Fail, Run, Say, Turn, Use

# What each answer is said to have used.
USED = Tokens(input=100, output=20)
TITLE = "Scripted"
_KINDS = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_numbers = itertools.count(1)


def parse(body: Mapping[str, Any]) -> Turn:
    """The request that a program posts to `/v1/chat/completions`."""
    messages = body["messages"]
    prompts = tuple(_text(message) for message in messages if message["role"] == "user")
    return Turn(
        api="openai",
        model=body["model"],
        # The API has no name for a conversation: its beginning tells it from others.
        conversation=prompts[0],
        prompts=prompts,
        answers=tuple(text for message in messages if message["role"] == "assistant" and (text := _text(message))),
        results=tuple(_text(message) for message in messages if message["role"] == "tool"),
        replies=sum(message["role"] == "assistant" for message in messages),
        tools=tuple(tool["function"]["name"] for tool in body.get("tools", ())),
        body=body,
    )


def answer(step: Answer) -> bytes:
    """The step as a stream of chunks."""
    return encode_data(_chunks(step), end="[DONE]")


def failure(step: Fail) -> dict[str, Any]:
    """The body of an error."""
    kind = step.kind or _KINDS.get(step.status, "server_error")
    return {"error": {"type": kind, "code": kind, "message": step.message, **step.fields}}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _chunks(step: Answer) -> Iterator[dict[str, Any]]:
    number = next(_numbers)
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    reason = "stop" if isinstance(step, Say) else "tool_calls"
    for delta, finished in ((_delta(step, number), None), ({}, reason)):
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finished}]}
    usage = {"prompt_tokens": USED.input, "completion_tokens": USED.output, "total_tokens": USED.total}
    yield {**head, "choices": [], "usage": usage}


def _delta(step: Answer, number: int) -> dict[str, Any]:
    if isinstance(step, Say):
        return {"role": "assistant", "content": step.text}
    if isinstance(step, Use):
        name, given = step.tool, step.arguments
    else:
        command = step.command if isinstance(step, Run) else step.as_command()
        name, given = "bash", {"command": command, "description": "scripted"}
    function = {"name": name, "arguments": json.dumps(given)}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}
