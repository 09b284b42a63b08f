"""The Gemini API, as far as Gemini CLI uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hermes_company.domain.usage import Tokens
from tests.scripted_model.events import encode_data
from tests.scripted_model.script import Answer, Fail, Run, Say, Turn, Use

# What each answer is said to have used.
USED = Tokens(input=100, output=20)
TITLE = "{}"
_KINDS = {401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED"}
# How Gemini CLI begins what it adds to a conversation in the user's name.
_OWN = ("<session_context>",)


def parse(body: Mapping[str, Any]) -> Turn:
    """The request that Gemini CLI posts to `/v1beta/models/<model>:streamGenerateContent`; `body` names the model too."""
    contents = body["contents"]
    parts = [(content["role"], part) for content in contents for part in content["parts"]]
    said = [part["text"] for role, part in parts if role == "user" and "text" in part]
    prompts = tuple(text for text in said if not text.startswith(_OWN))
    tools = [function["name"] for tool in body.get("tools", ()) for function in tool.get("functionDeclarations", ())]
    return Turn(
        api="gemini",
        model=body["model"],
        # The API has no name for a conversation: its beginning tells it from others.
        conversation=prompts[0],
        prompts=prompts,
        answers=tuple(part["text"] for role, part in parts if role == "model" and "text" in part),
        results=tuple(str(part["functionResponse"]["response"]) for _, part in parts if "functionResponse" in part),
        replies=sum(content["role"] == "model" for content in contents),
        tools=tuple(tools),
        body=body,
    )


def answer(step: Answer) -> bytes:
    """The step as a stream of answers."""
    return encode_data(_answers(step))


def failure(step: Fail) -> dict[str, Any]:
    """The body of an error."""
    kind = step.kind or _KINDS.get(step.status, "INTERNAL")
    return {"error": {"code": step.status, "status": kind, "message": step.message, **step.fields}}


def _answers(step: Answer) -> Iterator[dict[str, Any]]:
    usage = {"promptTokenCount": USED.input, "candidatesTokenCount": USED.output, "totalTokenCount": USED.total}
    content = {"role": "model", "parts": [_part(step)]}
    yield {"candidates": [{"index": 0, "content": content, "finishReason": "STOP"}], "usageMetadata": usage}


def _part(step: Answer) -> dict[str, Any]:
    if isinstance(step, Say):
        return {"text": step.text}
    if isinstance(step, Use):
        return {"functionCall": {"name": step.tool, "args": step.arguments}}
    command = step.command if isinstance(step, Run) else step.as_command()
    return {"functionCall": {"name": "run_shell_command", "args": {"command": command, "description": "scripted"}}}
