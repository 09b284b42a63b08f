"""The Responses API, as far as Codex uses it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from typing import Any

from hermes_company.domain.usage import Tokens
from tests.scripted_model.events import encode
from tests.scripted_model.script import Answer, Fail, Run, Say, Turn, Use

# What each answer is said to have used.
USED = Tokens(input=100, cached=3_000, cache_write=40, output=20, reasoning=7)
TITLE = '{"title":"Scripted"}'
_KINDS = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
# How Codex begins what it adds to a conversation in the user's name.
_OWN = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>")
_numbers = itertools.count(1)


def parse(body: Mapping[str, Any]) -> Turn:
    """The request that Codex posts to `/v1/responses`."""
    items = body["input"]
    said = [text for item in items if item.get("role") == "user" for text in _texts(item)]
    answered = [item for item in items if item["type"] == "function_call" or item.get("role") == "assistant"]
    return Turn(
        api="openai",
        model=body["model"],
        conversation=body.get("prompt_cache_key", ""),
        prompts=tuple(text for text in said if not text.startswith(_OWN)),
        answers=tuple(text for item in items if item.get("role") == "assistant" for text in _texts(item)),
        results=tuple(str(item["output"]) for item in items if item["type"] == "function_call_output"),
        replies=len(answered),
        tools=tuple(tool.get("name", tool["type"]) for tool in body.get("tools", ())),
        body=body,
    )


def answer(step: Answer) -> bytes:
    """The step as Codex expects it: a stream of events."""
    number = next(_numbers)
    item = _item(step, number)
    usage = {
        "input_tokens": USED.input + USED.cached + USED.cache_write,
        "input_tokens_details": {"cached_tokens": USED.cached, "cache_write_tokens": USED.cache_write},
        "output_tokens": USED.output + USED.reasoning,
        "output_tokens_details": {"reasoning_tokens": USED.reasoning},
        "total_tokens": USED.total,
    }
    return encode(
        [
            {"type": "response.created", "response": {"id": f"resp_{number}"}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}},
        ]
    )


def failure(step: Fail) -> dict[str, Any]:
    """The body of an error."""
    kind = step.kind or _KINDS.get(step.status, "server_error")
    return {"error": {"type": kind, "code": kind, "message": step.message, **step.fields}}


def _texts(item: Mapping[str, Any]) -> list[str]:
    content = item["content"]
    return [content] if isinstance(content, str) else [part["text"] for part in content if "text" in part]


def _item(step: Answer, number: int) -> dict[str, Any]:
    if isinstance(step, Say):
        text = {"type": "output_text", "text": step.text, "annotations": []}
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [text]}
    if isinstance(step, Use):
        name, given = step.tool, step.arguments
    else:
        name, given = "exec_command", {"cmd": step.command if isinstance(step, Run) else step.as_command()}
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": json.dumps(given),
    }
