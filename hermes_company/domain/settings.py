"""`company.yaml` as values: every setting has a safe default; unknown keys are refused with a did-you-mean."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hermes_company.errors import Refusal
from hermes_company.wording import Lang, say


@dataclass(frozen=True, kw_only=True, slots=True)
class TmuxSettings:
    """The company's own tmux server and session."""

    socket: str = ""  # empty: hermes-<folder>, decided by `hc init`
    session: str = "hermes"
    width: int = 220
    height: int = 50
    history_lines: int = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineSettings:
    """What a person allows one engine to do unattended."""

    command: str = ""  # empty: the engine's usual program name on PATH
    sandboxed: bool = False  # the person says: this machine is a sandbox (Claude's bypass mode as root)
    accept: tuple[str, ...] = ()  # start-up dialogs the person has agreed to: trust, bypass, api-key
    max_running: int = 0  # 0: no cap of its own


@dataclass(frozen=True, kw_only=True, slots=True)
class Price:
    """What a million tokens of one model cost."""

    input: float
    cached: float
    output: float  # thinking too
    cache_write: float = 0.0  # 0: as input


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The most that may be used; 0: no limit."""

    tokens: int = 0
    money: float = 0.0
    at_limit: Literal["hold", "end"] = "hold"  # used up: only hold what would start, or end what is at work too


@dataclass(frozen=True, kw_only=True, slots=True)
class Budgets:
    """What may be used for one ticket, by one agent on one day, by the company on one day."""

    ticket: Budget = field(default_factory=Budget)
    agent_day: Budget = field(default_factory=Budget)
    company_day: Budget = field(default_factory=Budget)


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningSettings:
    """What is learned besides what summaries say."""

    distill: bool = False  # whether an engine reads the summary of each accepted ticket once more, as a ticket of its own
    distill_owner: str = ""  # … and whose engine; empty: that of the agent who did it
    scanner: Literal["", "kingfisher"] = ""  # who looks for secrets besides our own rules, before anything is stored
    failure_days: int = 30  # how long the lesson of an attempt that failed is shown; 0: it leaves none


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """All of `company.yaml`."""

    name: str = ""
    lang: Lang = "en"
    tmux: TmuxSettings = field(default_factory=TmuxSettings)
    max_running: int = 0  # 0: the number of cores, at most 8
    ageing_hours: float = 24.0  # a waiting ticket counts as one priority higher for each such span; 0: never
    retries: int = 2
    retry_delay_seconds: float = 30.0
    settle_seconds: float = 1.0  # a hand-dropped file is left alone until it is this old
    done_grace_seconds: float = 20.0  # after DONE, how long the engine may still finish its turn
    stop_grace_seconds: float = 5.0  # between SIGTERM and SIGKILL
    submit_seconds: float = 60.0  # an attempt whose engine has not reported the prompt by then is ended; 0: never
    start_seconds: float = 180.0  # … and one whose model has not answered so long after the prompt; 0: never
    quiet_minutes: float = 10.0  # an attempt in which nothing moves for so long is pointed out; 0: never
    stuck_minutes: float = 45.0  # … and ended after so long: no output, report, file or processor time; 0: never
    lease_seconds: float = 120.0
    poll_seconds: float = 1.0
    timeout_minutes: float = 30.0
    draft_skill_after: int = 3  # accepted tickets that taught one pattern; 0: never
    projects: Mapping[str, str] = field(default_factory=dict)
    engines: Mapping[str, EngineSettings] = field(default_factory=dict)
    learning: LearningSettings = field(default_factory=LearningSettings)
    currency: str = "USD"  # of `prices` and of the money in `budgets`
    prices: Mapping[str, Price] = field(default_factory=dict)  # by the model's name as transcripts have it
    budgets: Budgets = field(default_factory=Budgets)


def parse_settings(raw: object) -> Settings:
    """Settings from the mapping in `company.yaml` (scalars may be strings, as our YAML reader leaves them).

    Raises:
        Refusal: `settings-unknown-key`, `settings-wrong-type`.
    """
    settings: Settings = _build(Settings, {} if raw is None else raw, "")
    return settings


def _build(kind: type[Any], raw: object, where: str) -> Any:
    if not isinstance(raw, Mapping):
        raise _wrong_type(where or "company.yaml", raw, "a mapping")
    hints = get_type_hints(kind)
    known = {f.name: f for f in fields(kind)}
    built: dict[str, Any] = {}
    for key, value in raw.items():
        name = str(key).replace("-", "_")
        path = f"{where}.{key}" if where else str(key)
        if name not in known:
            raise _unknown_key(path, str(key), [*known])
        if value is None or value == "":
            continue
        built[name] = _convert(hints[name], value, path)
    for name, f in known.items():
        if name not in built and f.default is MISSING and f.default_factory is MISSING:
            raise _wrong_type(f"{where}.{name}", None, "a value")
    return kind(**built)


def _convert(hint: Any, value: object, path: str) -> Any:
    origin = get_origin(hint)
    if hint is bool:
        return _bool(value, path)
    if hint in (int, float):
        return _number(hint, value, path)
    if hint is str:
        return _string(value, path)
    if origin is Literal:
        if value not in get_args(hint):
            raise _wrong_type(path, value, " | ".join(get_args(hint)))
        return value
    if origin is tuple:
        return tuple(_string(v, path) for v in (value if isinstance(value, list | tuple) else [value]))
    if origin is not None and get_args(hint) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise _wrong_type(path, value, "a mapping")
        return {str(k): _convert(get_args(hint)[1], v, f"{path}.{k}") for k, v in value.items()}
    return _build(hint, value, path)


def _bool(value: object, path: str) -> bool:
    word = str(value).casefold()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    raise _wrong_type(path, value, "true | false")


def _number(kind: type[int] | type[float], value: object, path: str) -> int | float:
    try:
        number = kind(str(value).replace("_", ""))
    except ValueError:
        raise _wrong_type(path, value, "a number") from None
    if not 0 <= number <= 10**9:
        raise _wrong_type(path, value, "0 … 1000000000")
    return number


def _string(value: object, path: str) -> str:
    if isinstance(value, Mapping | list | tuple):
        raise _wrong_type(path, value, "text")
    return str(value)


def _unknown_key(path: str, key: str, known: list[str]) -> Refusal:
    close = difflib.get_close_matches(key, known, n=1)
    remedy = (
        say("Did you mean `{close}`?", close=close[0])
        if close
        else say("Known keys here: {known}.", known=", ".join(sorted(known)))
    )
    return Refusal(
        "settings-unknown-key",
        fact=say("company.yaml has an unknown key `{path}`.", path=path),
        cause=say("A misspelt setting would be ignored in silence."),
        remedy=remedy,
    )


def _wrong_type(path: str, value: object, wanted: str) -> Refusal:
    return Refusal(
        "settings-wrong-type",
        fact=say("company.yaml: `{path}` is {value}, not {wanted}.", path=path, value=repr(value)[:60], wanted=wanted),
        cause=say("The company would run by a setting that nobody meant."),
        remedy=say("Correct that line in company.yaml."),
    )
