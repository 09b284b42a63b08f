"""`profile.json`: strict JSON with known keys only, so that a misspelt wish is not ignored in silence."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NoReturn

from hermes_company.domain.agent import DEFAULT_TIMEOUT_MINUTES, Agent
from hermes_company.domain.names import is_agent_name, is_skill_name
from hermes_company.wording import Text, say

MAX_CAPACITY = 64
_ENGINE = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_REQUIRED = ("name", "engine")


class BadProfile(Exception):
    """What is wrong with a profile, the way out, and the line (1-based) where it is known."""

    def __init__(self, code: str, reason: Text, remedy: Text, line: int | None = None) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.line = line


def parse_profile(folder: str, text: str, *, default_timeout: float = DEFAULT_TIMEOUT_MINUTES) -> Agent:
    """The agent that `text` describes; its identity is empty. `default_timeout` is in minutes.

    Raises:
        BadProfile: `agent-bad-json`, `agent-unknown-key`, `agent-bad-value`, `agent-name-differs`.
    """
    raw = _load(text)
    for key in raw:
        if key not in _FIELDS:
            raise _unknown_key(key, text)
    values = {key: value for key, value in raw.items() if value is not None}
    for key in _REQUIRED:
        if key not in values:
            raise BadProfile("agent-bad-value", say("`{key}` is missing.", key=key), _correct())
    for key, value in values.items():
        allowed, wanted = _FIELDS[key]
        if not allowed(value):
            reason = say("`{key}` is {value}, not {wanted}.", key=key, value=_shown(key, value), wanted=wanted)
            raise BadProfile("agent-bad-value", reason, _correct(), _line_of(text, key))
    if values["name"] != folder:
        raise BadProfile(
            "agent-name-differs",
            say("The folder is called {folder}, but the profile says {name}.", folder=folder, name=values["name"]),
            say("Rename the folder or correct `name`."),
            _line_of(text, "name"),
        )
    given: dict[str, Any] = {"timeout_minutes": default_timeout}
    given |= {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return Agent(**given)


def render_profile(agent: Agent) -> str:
    """The profile of `agent`: what every profile has, and what differs from the defaults."""
    shown: dict[str, object] = {}
    for field in fields(Agent):
        value = getattr(agent, field.name)
        if field.name in ("name", "role", "engine", "skills") or (field.name in _FIELDS and value != field.default):
            shown[field.name] = list(value) if isinstance(value, tuple) else value
    return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"


def _load(text: str) -> Mapping[str, Any]:
    try:
        raw = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except json.JSONDecodeError as problem:
        raise _bad_json(problem.msg, problem.lineno) from None
    except (ValueError, RecursionError) as problem:
        raise _bad_json(str(problem), None) from None
    if not isinstance(raw, Mapping):
        raise _bad_json("the file must hold one object: { … }", 1)
    return raw


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key `{key}` occurs twice")
    return dict(pairs)


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _bad_json(problem: str, line: int | None) -> BadProfile:
    return BadProfile("agent-bad-json", say("It is not readable JSON: {problem}.", problem=problem), _correct(), line)


def _unknown_key(key: str, text: str) -> BadProfile:
    close = difflib.get_close_matches(key, _FIELDS, n=1)
    remedy = (
        say("Did you mean `{close}`?", close=close[0]) if close else say("Known keys here: {known}.", known=", ".join(_FIELDS))
    )
    return BadProfile("agent-unknown-key", say("It has an unknown key `{key}`.", key=key), remedy, _line_of(text, key))


def _correct() -> Text:
    return say("Correct agents/<name>/profile.json there.")


def _line_of(text: str, key: str) -> int | None:
    found = re.search(rf'"{re.escape(key)}"\s*:', text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _shown(key: str, value: object) -> str:
    # These two are where people put secrets by mistake, and reasons end up in logs.
    return "[…]" if key in ("env", "args") else json.dumps(value, ensure_ascii=True)[:60]


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 500 and not any(unicodedata.category(c) in _UNPRINTABLE for c in value)


# Control characters, halves of surrogate pairs, line and paragraph separators.
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


def _list_of(allowed: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(item, str) and allowed(item) for item in value)


def _is_capacity(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_CAPACITY


def _is_minutes(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100_000


_FIELDS: dict[str, tuple[Callable[[Any], bool], Text]] = {
    "name": (lambda value: isinstance(value, str) and is_agent_name(value), say("an agent's name")),
    "role": (_is_line, say("one line of text")),
    "engine": (_matches(_ENGINE), say("an engine's name such as claude-code, codex or shell")),
    "skills": (_list_of(is_skill_name), say("a list of skill names")),
    "skills_pack": (_list_of(is_skill_name), say("a list of skill pack names")),
    "model": (lambda value: _is_line(value) and value != "", say("a model's name")),
    "capacity": (_is_capacity, say("a whole number from 1 to {most}", most=MAX_CAPACITY)),
    "timeout_minutes": (_is_minutes, say("a number of minutes above 0")),
    "env": (_list_of(lambda value: bool(_VARIABLE.fullmatch(value))), say("a list of variable names (never their values)")),
    "args": (_list_of(_is_line), say("a list of words")),
    "memory": (lambda value: isinstance(value, bool), say("true or false")),
}
