"""`profile.json`: strict JSON with known keys only, so that a misspelt wish is not ignored in silence."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, NoReturn

from hermes_company.domain.agent import DEFAULT_TIMEOUT_MINUTES, Agent
from hermes_company.domain.custom import PLACEHOLDERS, CustomCommand, DoneRule, placeholders
from hermes_company.domain.names import is_agent_name, is_skill_name
from hermes_company.wording import Text, say

MAX_CAPACITY = 64
CUSTOM = "custom"
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
    values = _read(_load(text), _FIELDS, _REQUIRED, text)
    if values["name"] != folder:
        raise BadProfile(
            "agent-name-differs",
            say("The folder is called {folder}, but the profile says {name}.", folder=folder, name=values["name"]),
            say("Rename the folder or correct `name`."),
            _line_of(text, "name"),
        )
    given: dict[str, Any] = {"timeout_minutes": default_timeout, **_frozen(values)}
    if CUSTOM in given or given["engine"] == CUSTOM:
        given[CUSTOM] = _custom(given, text)
    return Agent(**given)


def render_profile(agent: Agent) -> str:
    """The profile of `agent`: what every profile has, and what differs from the defaults."""
    shown: dict[str, object] = {}
    for field in fields(Agent):
        value = getattr(agent, field.name)
        if field.name in ("name", "role", "engine", "skills") or (field.name in _FIELDS and value != field.default):
            shown[field.name] = _shape(value)
    return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"


def _shape(value: object) -> object:
    """A value as JSON has it; of a command only what differs from the defaults."""
    if isinstance(value, CustomCommand):
        pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: _shape(part) for name, part in pairs if part and part != DoneRule.FILE}
    return list(value) if isinstance(value, tuple) else value


def _read(raw: Mapping[str, Any], known: _Fields, required: tuple[str, ...], text: str, where: str = "") -> dict[str, Any]:
    """The values that are given, each as its field wants it. `where` is the key of the object that `raw` is, with a dot."""
    for key in raw:
        if key not in known:
            raise _unknown_key(where, key, known, text)
    values = {key: value for key, value in raw.items() if value is not None}
    for key in required:
        if key not in values:
            raise BadProfile("agent-bad-value", say("`{key}` is missing.", key=where + key), _correct())
    for key, value in values.items():
        allowed, wanted = known[key]
        if not allowed(value):
            reason = say("`{key}` is {value}, not {wanted}.", key=where + key, value=_shown(key, value), wanted=wanted)
            raise BadProfile("agent-bad-value", reason, _correct(), _line_of(text, key, where))
    return values


def _frozen(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}


def _custom(given: Mapping[str, Any], text: str) -> CustomCommand:
    """The command of an agent with engine `custom`."""
    if given["engine"] != CUSTOM:
        raise _bad_custom(say("`custom` is given, but the engine is {engine}.", engine=given["engine"]), text)
    if CUSTOM not in given:
        raise BadProfile("agent-bad-value", say("`{key}` is missing.", key=CUSTOM), _correct(), _line_of(text, "engine"))
    if given.get("args"):
        raise _bad_custom(say("`args` adds nothing to a custom command: put these words into `custom.command`."), text)
    values = _frozen(_read(given[CUSTOM], _CUSTOM_FIELDS, ("command",), text, f"{CUSTOM}."))
    for key in ("command", "resume"):
        _check_words(key, values.get(key, ()), text)
    named = {key: {name for word in values.get(key, ()) for name in placeholders(word)} for key in ("command", "resume")}
    if not named["command"] & {"prompt", "prompt_file"}:
        raise _bad_custom(say("`custom.command` tells it nothing: neither {{prompt}} nor {{prompt_file}}."), text)
    if "session_id" in named["resume"] and "session_id" not in named["command"]:
        raise _bad_custom(say("`custom.resume` names {{session_id}}, which `custom.command` never told the program."), text)
    if ("model" in named["command"]) != bool(given.get("model")):
        raise _bad_custom(say("`model` and {{model}} in `custom.command` need each other."), text)
    return CustomCommand(**{**values, "done": DoneRule(values.get("done", DoneRule.FILE))})


def _check_words(key: str, words: tuple[str, ...], text: str) -> None:
    where = f"{CUSTOM}.{key}"
    for word in words:
        for name in placeholders(word):
            if name not in PLACEHOLDERS:
                reason = say("`{key}` has {word}, which stands for nothing.", key=where, word=f"{{{name}}}")
                raise BadProfile("agent-bad-value", reason, _near(name, PLACEHOLDERS), _line_of(text, key, f"{CUSTOM}."))
    if words and placeholders(words[0]):
        raise _bad_custom(say("`{key}` begins with {word}, not with a program.", key=where, word=words[0]), text)


def _bad_custom(reason: Text, text: str) -> BadProfile:
    return BadProfile("agent-bad-value", reason, _correct(), _line_of(text, CUSTOM))


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


def _unknown_key(where: str, key: str, known: _Fields, text: str) -> BadProfile:
    reason = say("It has an unknown key `{key}`.", key=where + key)
    return BadProfile("agent-unknown-key", reason, _near(key, known), _line_of(text, key, where))


def _near(word: str, known: Iterable[str]) -> Text:
    close = difflib.get_close_matches(word, known, n=1)
    if close:
        return say("Did you mean `{close}`?", close=close[0])
    return say("Known keys here: {known}.", known=", ".join(known))


def _correct() -> Text:
    return say("Correct agents/<name>/profile.json there.")


def _line_of(text: str, key: str, where: str = "") -> int | None:
    """The line of a key; `where` is the object that it is looked for behind, with a dot."""
    behind = re.search(rf'"{re.escape(where.rstrip("."))}"\s*:', text) if where else None
    found = re.compile(rf'"{re.escape(key)}"\s*:').search(text, behind.end() if behind else 0)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _shown(key: str, value: object) -> str:
    # These are where people put secrets by mistake, and reasons end up in logs.
    return "[…]" if key in ("env", "args", "command", "resume", CUSTOM) else json.dumps(value, ensure_ascii=True)[:60]


def _is_line(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 500 and not any(unicodedata.category(c) in _UNPRINTABLE for c in value)


# Control characters, halves of surrogate pairs, line and paragraph separators.
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


def _list_of(allowed: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(isinstance(item, str) and allowed(item) for item in value)


def _can_be_passed(text: str) -> bool:
    """Whether a process can be given it: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not any(unicodedata.category(c) == "Cs" for c in text)


_is_command = _list_of(lambda word: word != "" and _can_be_passed(word))


def _is_capacity(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_CAPACITY


def _is_minutes(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 100_000


def _is_settings(value: object) -> bool:
    """Variables with their values. Secrets have no place in a file: what looks like one is refused."""
    from hermes_company.domain.redaction import redact  # its rules take 10 ms to load, and few profiles set variables

    return isinstance(value, Mapping) and all(
        _VARIABLE.fullmatch(name)
        and not name.startswith("HC_")
        and isinstance(given, str)
        and _can_be_passed(given)
        and not redact(f"{name}={given}").count
        for name, given in value.items()
    )


# Key → whether a value will do, and what would.
_Fields = Mapping[str, tuple[Callable[[Any], bool], Text]]
_FIELDS: _Fields = {
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
    "sandbox": (lambda value: value == "workspace-write", say("workspace-write")),
    CUSTOM: (lambda value: isinstance(value, Mapping), say("an object: {{ … }}")),
}
_CUSTOM_FIELDS: _Fields = {
    "command": (lambda value: _is_command(value) and value != [], say("a list of words, the program first")),
    "resume": (_is_command, say("a list of words, the program first")),
    "env": (_is_settings, say("variables with their values as text: no secrets, and none that begins with HC_")),
    "done": (lambda value: isinstance(value, str) and value in [*DoneRule], say("DONE or exit")),
}
