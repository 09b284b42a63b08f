"""The scripted model itself: a fake that other tests stand on must be right and must complain."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_model import Fail, Hang, Run, Say, ScriptedModel, Turn, Write, hand_in
from tests.scripted_model.script import ScriptProblem

Messages = list[dict[str, Any]]
BASH = [{"name": "Bash", "input_schema": {}}]


def user(*texts: str) -> dict[str, Any]:
    """A message of a person, a block each text."""
    return {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}


def assistant(text: str) -> dict[str, Any]:
    """An answer of the model."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def ask(model: ScriptedModel, *messages: dict[str, Any], tools: Any = BASH, conversation: str = "c1") -> str:
    """Post what Claude Code would, and return the stream."""
    metadata = {"user_id": json.dumps({"session_id": conversation})}
    body = {"model": "m", "messages": list(messages), "tools": tools, "metadata": metadata, "stream": True}
    return post(f"{model.url}/v1/messages?beta=true", body)


def ask_codex(model: ScriptedModel, *items: dict[str, Any]) -> str:
    """Post what Codex would, and return the stream."""
    tools = [{"type": "function", "name": "exec_command"}]
    return post(f"{model.url}/v1/responses", {"model": "m", "input": list(items), "tools": tools, "prompt_cache_key": "t1"})


def post(url: str, body: dict[str, Any]) -> str:
    """The answer's text."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        text: str = answer.read().decode()
        return text


def events(stream: str) -> list[dict[str, Any]]:
    """The events of a stream."""
    return [json.loads(line.removeprefix("data: ")) for line in stream.splitlines() if line.startswith("data: ")]


def test_step_follows_from_the_request() -> None:
    """How often the model has answered in a request tells the step: a retry gets the same one, a resumed one the next."""
    with ScriptedModel([Say("one"), Say("two")]) as model:
        assert '"one"' in ask(model, user("go"))
        assert '"one"' in ask(model, user("go"))
        assert '"two"' in ask(model, user("go"), assistant("one"), user("again"))


def test_script_is_chosen_by_its_marker() -> None:
    """Several agents at once: each conversation plays the script whose marker its prompts hold, the first one that fits."""
    with ScriptedModel({"outbox/ann/TASK-2": [Say("second")], "TASK-1": [Say("first")]}) as model:
        assert '"first"' in ask(model, user("do TASK-1"))
        assert '"second"' in ask(model, user("write to outbox/ann/TASK-2; learned in TASK-1"))
        assert [turn.prompt for turn in model.turns_with("outbox/ann")] == ["write to outbox/ann/TASK-2; learned in TASK-1"]


def test_tool_calls_of_both_apis() -> None:
    """A command becomes the engine's own shell tool, a file its own way of writing."""
    with ScriptedModel([Run("ls"), Write("/x y", "it's")]) as model:
        call = events(ask(model, user("go")))[1]["content_block"]
        assert (call["type"], call["name"]) == ("tool_use", "Bash")
        written = events(ask(model, user("go"), assistant("x"), user("y")))
        assert json.loads(written[2]["delta"]["partial_json"]) == {"file_path": "/x y", "content": "it's"}

        said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
        item = events(ask_codex(model, said))[2]["item"]
        assert (item["name"], json.loads(item["arguments"])) == ("exec_command", {"cmd": "ls"})
        then = [said, item, {"type": "function_call_output", "output": "a.txt"}]
        item = events(ask_codex(model, *then))[2]["item"]
        assert json.loads(item["arguments"]) == {"cmd": """printf %s 'it'"'"'s' > '/x y'"""}
        assert model.turns[-1].results == ("a.txt",)


def test_step_may_read_the_prompt() -> None:
    """A step can be made from what the prompt says, e.g. the outbox's path."""

    def write(turn: Turn) -> Write:
        return Write(turn.find(r"`(/\S+)/DONE`") + "/DONE", "x")

    with ScriptedModel([write]) as model:
        assert "/c/outbox/ann/T/DONE" in ask(model, user("Write `/c/outbox/ann/T/DONE` last."))


def test_engines_own_words_are_no_prompts() -> None:
    """What the engine adds in the user's name is left out; what people say is kept byte for byte, in order."""
    with ScriptedModel([Say("a"), Say("b")]) as model:
        ask(model, user("<system-reminder>x</system-reminder>", " go \n"), assistant("a"), user("再来"))

        assert model.turns[0].prompts == (" go \n", "再来")
        assert model.turns[0].answers == ("a",)


def test_titles_are_asked_on_the_side() -> None:
    """A request without tools uses up no step and is recorded apart."""
    with ScriptedModel([Say("one")]) as model:
        assert "Scripted" in ask(model, user("<session>go</session>"), tools=[])
        assert '"one"' in ask(model, user("go"))

        assert (len(model.sides), len(model.turns)) == (1, 1)


def test_fails_as_often_as_it_should() -> None:
    """A failure carries status, kind, headers and further fields, and gives way to the next step."""
    failure = Fail(429, "slow down", times=2, headers={"retry-after": "7"}, fields={"resets_at": 99})
    with ScriptedModel([failure, Say("one")]) as model:
        for _ in range(2):
            with pytest.raises(urllib.error.HTTPError) as raised:
                ask(model, user("go"))
            with raised.value as answer:
                assert (answer.code, answer.headers["retry-after"]) == (429, "7")
                error = json.loads(answer.read())["error"]
                assert error == {"type": "rate_limit_error", "message": "slow down", "resets_at": 99}
        assert '"one"' in ask(model, user("go"))


def test_hangs_until_the_end() -> None:
    """A request that hangs is let go when the server ends, so that nothing is left behind."""
    answers: list[int] = []

    def wait(model: ScriptedModel) -> None:
        try:
            ask(model, user("go"))
        except urllib.error.HTTPError as problem:
            with problem:
                answers.append(problem.code)

    with ScriptedModel([Hang()]) as model:
        asking = threading.Thread(target=wait, args=(model,))
        asking.start()
        model.wait_for(lambda turns: len(turns) == 1)
        assert answers == []
    asking.join(10)

    assert answers == [503]


@pytest.mark.parametrize(
    ("plan", "messages"),
    [
        ([Say("one")], [user("go"), assistant("one"), user("more")]),
        ({"TASK-1": [Say("one")]}, [user("TASK-2")]),
    ],
)
def test_unforeseen_requests_fail_the_test(plan: Any, messages: Messages) -> None:
    """A script that is over, and a conversation that has none, are errors for the engine and for the test."""

    def play() -> None:
        with ScriptedModel(plan) as model:
            with pytest.raises(urllib.error.HTTPError) as raised:
                ask(model, *messages)
            raised.value.close()

    with pytest.raises(ScriptProblem):
        play()


def test_mistake_in_a_plan_fails_the_test() -> None:
    """A step that raises is not lost in the server's thread."""

    def wrong(turn: Turn) -> Say:
        return Say(turn.find("(not there)"))

    def play() -> None:
        with ScriptedModel([wrong]) as model, pytest.raises((urllib.error.URLError, ConnectionError)):
            ask(model, user("go"))

    with pytest.raises(ScriptProblem, match="not there"):
        play()


def test_waiting_has_an_end() -> None:
    """Waiting for a request that never comes is an error that shows what came."""
    with ScriptedModel([]) as model, pytest.raises(TimeoutError):
        model.wait_for(lambda turns: bool(turns), seconds=0.05)


def test_nothing_is_left_listening() -> None:
    """After the end nobody listens at its port."""
    with ScriptedModel(hand_in()) as model:
        url = model.url

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=5)


def test_homes_hold_no_other_key(tmp_path: Path) -> None:
    """The homes lead to this server and hold a made-up key."""
    with ScriptedModel([]) as model:
        claude, codex = model.claude_env(tmp_path / "a", [tmp_path]), model.codex_env(tmp_path / "b", [tmp_path])

        assert claude["ANTHROPIC_BASE_URL"] == model.url
        assert f'base_url = "{model.url}/v1"' in (Path(codex["CODEX_HOME"]) / "config.toml").read_text()
        assert "scripted" in claude["ANTHROPIC_API_KEY"]
