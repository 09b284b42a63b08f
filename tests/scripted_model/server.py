"""The server: reads a request, asks the director, answers in the API's own form."""

from __future__ import annotations

import json
import re
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

from hermes_company.domain.usage import Tokens
from tests.scripted_model import anthropic, chat, gemini, homes, responses
from tests.scripted_model.script import Director, Fail, Hang, Plan, Say, ScriptProblem, Turn

_APIS: dict[str, ModuleType] = {"/v1/messages": anthropic, "/v1/responses": responses, "/v1/chat/completions": chat}
# Where the model's name is a part of the path.
_GEMINI = re.compile(r"/v1beta/models/([^:/]+):streamGenerateContent")


class ScriptedModel:
    """A model on loopback that plays `plan`. Use it as a context manager; leaving raises what the plan did not foresee."""

    def __init__(self, plan: Plan) -> None:
        self._director = Director(plan)
        self._news = threading.Condition()
        self._turns: list[Turn] = []
        self._sides: list[Turn] = []
        self._used = Tokens()
        self._problems: list[str] = []
        self._ending = threading.Event()
        self._server = _Server(self._reply, self._problems)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every request of a conversation so far, oldest first."""
        with self._news:
            return tuple(self._turns)

    @property
    def used(self) -> Tokens:
        """What the answers so far are said to have used, without those on the side."""
        with self._news:
            return self._used

    @property
    def sides(self) -> tuple[Turn, ...]:
        """What was asked on the side: titles."""
        with self._news:
            return tuple(self._sides)

    def turns_with(self, marker: str) -> tuple[Turn, ...]:
        """The requests of conversations whose prompts contain `marker`."""
        return tuple(turn for turn in self.turns if marker in "\n".join(turn.prompts))

    def wait_for(self, fits: Callable[[tuple[Turn, ...]], bool], seconds: float = 90) -> tuple[Turn, ...]:
        """The requests, as soon as `fits` says yes to them.

        Raises:
            TimeoutError: it did not within `seconds`.
        """
        with self._news:
            if not self._news.wait_for(lambda: fits(tuple(self._turns)), timeout=seconds):
                raise TimeoutError(f"after {seconds} s: {self._turns}; problems: {self._problems}")
            return tuple(self._turns)

    def claude_env(self, folder: Path, trusted: Sequence[Path] = ()) -> dict[str, str]:
        """Make a home for Claude Code in `folder`; returns the variables that lead there and to this model."""
        return {**homes.seed_claude(folder, trusted), "ANTHROPIC_BASE_URL": self.url}

    def codex_env(self, folder: Path, trusted: Sequence[Path] = ()) -> dict[str, str]:
        """Make a home for Codex in `folder`; returns the variables that lead there and to this model."""
        return homes.seed_codex(folder, self.url, trusted)

    def gemini_env(self, folder: Path) -> dict[str, str]:
        """Make a home for Gemini CLI in `folder`; returns the variables that lead there and to this model."""
        return homes.seed_gemini(folder, self.url)

    def opencode_env(self, folder: Path) -> dict[str, str]:
        """Make a home for OpenCode in `folder`; returns the variables that lead there and to this model."""
        return homes.seed_opencode(folder, self.url)

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        if self._problems and kind is None:
            raise ScriptProblem("\n".join(self._problems))

    def _reply(self, path: str, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of the answer to a request."""
        if path == "/v1/messages/count_tokens":
            return _json(200, {"input_tokens": anthropic.USED.input})
        named = _GEMINI.fullmatch(path)
        api = gemini if named else _APIS.get(path)
        if api is None:
            return _json(404, {"error": {"message": f"no {path} here"}})
        turn: Turn = api.parse({**body, "model": named[1]} if named else body)
        with self._news:
            (self._sides if turn.side else self._turns).append(turn)
            step = Say(api.TITLE) if turn.side else self._next_step(turn)
            if not turn.side and not isinstance(step, Fail | Hang):
                self._used += api.USED
            self._news.notify_all()
        if isinstance(step, Hang):
            self._ending.wait()
            step = Fail(503, "the scripted model has ended")
        if isinstance(step, Fail):
            return _json(step.status, api.failure(step), step.headers)
        return 200, {"Content-Type": "text/event-stream"}, api.answer(step)

    def _next_step(self, turn: Turn) -> Any:
        try:
            return self._director.step(turn)
        except ScriptProblem as problem:
            self._problems.append(str(problem))
            return Fail(400, str(problem), kind="invalid_request_error")


def _json(status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    return status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(body).encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, reply: Callable[..., tuple[int, Mapping[str, str], bytes]], problems: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self._problems = problems

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An engine that was killed hangs up; anything else is a mistake in a plan or in here."""
        problem = traceback.format_exc()
        if "ConnectionResetError" not in problem and "BrokenPipeError" not in problem:
            self._problems.append(problem)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self._send(200, {}, b"")

    def do_GET(self) -> None:
        self._send(*_json(200, {}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(*self.server.reply(self.path.partition("?")[0], body))

    def log_message(self, format: str, *args: Any) -> None:
        """Tests don't want a line a request."""

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
