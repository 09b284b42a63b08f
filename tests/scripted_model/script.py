"""What a scripted model may do, what it was asked, and which step comes next."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Api = Literal["anthropic", "openai", "gemini"]


@dataclass(frozen=True)
class Say:
    """Answer with text: the turn ends."""

    text: str


@dataclass(frozen=True)
class Run:
    """Call the engine's shell tool. The command sees the run's HC_ variables."""

    command: str


@dataclass(frozen=True)
class Write:
    """Write a file: with Claude's tool of that name, in Codex through the shell."""

    path: str
    content: str

    def as_command(self) -> str:
        return f"printf %s {shlex.quote(self.content)} > {shlex.quote(self.path)}"


@dataclass(frozen=True)
class Use:
    """Call a tool of the engine by its own name."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Fail:
    """Answer with an HTTP error, `times` times (None: for ever), then go on with the next step."""

    status: int
    message: str = "scripted failure"
    # The API's name for it; a fitting one is chosen where it is empty.
    kind: str = ""
    times: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    # Further fields of the error object, e.g. `resets_at`.
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """Don't answer until the server ends."""


Answer = Say | Run | Write | Use
Plain = Answer | Fail | Hang
Step = Plain | Callable[["Turn"], Plain]
Script = Sequence[Step]
Plan = Script | Mapping[str, Script]


def hand_in(summary: str = "# Steps\n\n1. done", then: str = "Handed in.") -> list[Step]:
    """Write summary.md, then DONE with the attempt's token, then end the turn."""
    return [
        Run(
            f'printf "%s\\n" {shlex.quote(summary)} > "$HC_OUTBOX/summary.md" && '
            'printf "%s\\n" "$HC_RUN_TOKEN" > "$HC_OUTBOX/DONE"'
        ),
        Say(then),
    ]


@dataclass(frozen=True)
class Turn:
    """One request of an engine, parsed."""

    api: Api
    model: str
    # The engine's id of the conversation.
    conversation: str
    # What people and hooks said, oldest first, byte for byte; the engine's own additions are left out.
    prompts: tuple[str, ...]
    # What the model said so far, and what its tools gave back.
    answers: tuple[str, ...]
    results: tuple[str, ...]
    # How often the model has answered in this conversation.
    replies: int
    tools: tuple[str, ...]
    body: Mapping[str, Any] = field(repr=False)

    @property
    def prompt(self) -> str:
        """The first prompt of the conversation."""
        return self.prompts[0]

    @property
    def side(self) -> bool:
        """Whether the engine asks for something on the side (a title): it offers no tools then."""
        return not self.tools

    def find(self, pattern: str) -> str:
        """The first group of a regular expression's first match in the prompts, e.g. the outbox's path.

        Raises:
            LookupError: the prompts don't say it.
        """
        match = re.search(pattern, "\n".join(self.prompts))
        if match is None:
            raise LookupError(f"no {pattern!r} in the prompts")
        return match[1]


class ScriptProblem(Exception):
    """The engine asked for something that the plan doesn't foresee."""


class Director:
    """Finds the step for a request. Keeps count of failures only: they leave no trace in the next request."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._failed: dict[tuple[str, int], int] = {}

    def step(self, turn: Turn) -> Plain:
        """The next step of the conversation's script.

        Raises:
            ScriptProblem: no script for it, or its script is over.
        """
        to_skip = turn.replies
        for index, step in enumerate(self._script(turn)):
            if isinstance(step, Fail):
                if to_skip == 0 and self._fails_again(turn, index, step):
                    return step
            elif to_skip == 0:
                return step(turn) if callable(step) else step
            else:
                to_skip -= 1
        raise ScriptProblem(f"the script is over after {turn.replies} replies; last prompt: {turn.prompts[-1][:200]!r}")

    def _script(self, turn: Turn) -> Script:
        if not isinstance(self._plan, Mapping):
            return self._plan
        said = "\n".join(turn.prompts)
        for marker, script in self._plan.items():
            if marker in said:
                return script
        raise ScriptProblem(f"none of {[*self._plan]} occurs in {said[:200]!r}")

    def _fails_again(self, turn: Turn, index: int, step: Fail) -> bool:
        key = (turn.conversation, index)
        before = self._failed.get(key, 0)
        self._failed[key] = before + 1
        return step.times is None or before < step.times
