"""`company/policy.yaml` as values: what agents may do in unattended mode, with a safe default for everything."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from hermes_company.errors import Refusal
from hermes_company.wording import Text, say


class Level(StrEnum):
    """What a rule says to what it is about."""

    ALLOW = "allow"
    ASK = "ask"  # a person has to say yes
    REFUSE = "refuse"


# The rules that a person can loosen, and what they say by themselves.
RULES: Mapping[str, Level] = {
    "disks": Level.REFUSE,
    "power": Level.REFUSE,
    "users": Level.REFUSE,
    "services": Level.REFUSE,
    "privileges": Level.REFUSE,
    "processes": Level.REFUSE,
    "company": Level.REFUSE,
    "engines": Level.REFUSE,
    "force-push": Level.REFUSE,
    "push": Level.ASK,
    "publish": Level.ASK,
    "download-and-run": Level.REFUSE,
    "unseen": Level.REFUSE,
}
# Words in `write` that stand for folders of the attempt.
WORKDIR, OUTBOX, TEMP = "workdir", "outbox", "temp"
_WORDS = (WORKDIR, OUTBOX, TEMP)

# Engines wait no longer than ten for a hook unless they are told to.
LONGEST_ASK_MINUTES = 9

_WRITE = (WORKDIR, OUTBOX, TEMP)
_PROTECT = (".", "company", "company.yaml", "agents", "runners", "tasks", "memory", "outbox", "logs", ".hc")
_SECRETS = (
    "~/.ssh",
    "~/.gnupg",
    "~/.aws",
    "~/.azure",
    "~/.config/gcloud",
    "~/.config/gh",
    "~/.kube",
    "~/.docker/config.json",
    "~/.netrc",
    "~/.git-credentials",
    "~/.npmrc",
    "~/.pypirc",
    "~/.cargo/credentials*",
    "~/.password-store",
    "~/.local/share/keyrings",
    "~/.claude/.credentials.json",
    "~/.codex/auth.json",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/proc/*/environ",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """What a person allows agents to do. Paths are as written: absolute, from `~`, or from the company's root."""

    # Refuse what can't be understood, too.
    strict: bool = False
    # Whether agents may use the network, where the engine can hold them to it.
    network: bool = True
    # Where agents write and delete; everything else is left as it is.
    write: tuple[str, ...] = _WRITE
    # What agents never change, even inside of those.
    protect: tuple[str, ...] = _PROTECT
    # What agents never look into; `*` stands for anything within one name.
    secrets: tuple[str, ...] = _SECRETS
    rules: Mapping[str, Level] = field(default_factory=lambda: dict(RULES))
    # Commands of the person's own: a program and words that occur in this order.
    refuse: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    # How long a call that needs a person's yes waits for it before the ticket is parked.
    ask_minutes: float = 5.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Grounds:
    """The folders of one attempt that a policy's words and relative paths stand for, and the company's tmux server."""

    root: str
    home: str
    workdir: str
    outbox: str
    temp: tuple[str, ...]
    # Name of the company's tmux server.
    socket: str = ""
    # What is protected whatever the policy says.
    kept: tuple[str, ...] = ()


def frozen(policy: Policy, grounds: Grounds, resolve: Callable[[str], str]) -> dict[str, object]:
    """The policy as the guard reads it during an attempt: nothing in it depends on what happens later.

    Args:
        resolve: follows the links in an absolute path.
    """
    protect = (*policy.protect, f"{grounds.outbox}/.attempts", *grounds.kept)
    secrets = [_absolute(path, grounds) for path in policy.secrets]
    return {
        "strict": policy.strict,
        "network": policy.network,
        "write": writable(policy, grounds, resolve),
        # What earlier attempts of the ticket left is put aside in its outbox, and stays.
        "protect": sorted({resolve(_absolute(path, grounds)) for path in protect}),
        "secrets": sorted({*secrets, *(resolve(path) for path in secrets if "*" not in path)}),
        "rules": {name: level.value for name, level in policy.rules.items()},
        "refuse": list(policy.refuse),
        "ask": list(policy.ask),
        "socket": grounds.socket,
    }


def writable(policy: Policy, grounds: Grounds, resolve: Callable[[str], str]) -> list[str]:
    """The folders that agents may write to, links followed."""
    places = {WORKDIR: (grounds.workdir,), OUTBOX: (grounds.outbox,), TEMP: grounds.temp}
    found = [place for path in policy.write for place in places.get(path, (_absolute(path, grounds),))]
    return sorted({resolve(place) for place in found})


def _absolute(path: str, grounds: Grounds) -> str:
    if path == "~" or path.startswith("~/"):
        return f"{grounds.home}{path[1:]}"
    return path if path.startswith("/") else f"{grounds.root}/{path}"


def parse_policy(raw: object) -> Policy:
    """A policy from the mapping in `policy.yaml` (scalars may be strings, as our YAML reader leaves them).

    Raises:
        Refusal: `policy-unknown-key`, `policy-wrong-value`.
    """
    raw = {} if raw is None else raw
    if not isinstance(raw, Mapping):
        raise _wrong_value("policy.yaml", raw, say("a mapping"))
    known = {f.name for f in fields(Policy)}
    for key in raw:
        if key not in known:
            raise _unknown_key(str(key), known)
    given = {key: value for key, value in raw.items() if value is not None}
    return Policy(**{key: _PARSERS[key](key, value) for key, value in given.items()})


def _switch(key: str, value: object) -> bool:
    word = str(value).casefold()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    raise _wrong_value(key, value, say("true or false"))


def _words(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise _wrong_value(key, value, say("a list of words"))
    return tuple(value)


def _paths(key: str, value: object) -> tuple[str, ...]:
    paths = _words(key, value)
    for path in paths:
        # Almost one of our words, and no path that anybody would write like that.
        close = difflib.get_close_matches(path, _WORDS, n=1, cutoff=0.7) if key == "write" and path not in _WORDS else []
        if close and "/" not in path:
            raise _wrong_value(key, path, say("`{close}`, or a path", close=close[0]))
    return paths


def _levels(key: str, value: object) -> Mapping[str, Level]:
    if not isinstance(value, Mapping):
        raise _wrong_value(key, value, say("a mapping"))
    levels = dict(RULES)
    for name, level in value.items():
        if name not in RULES:
            raise _unknown_key(f"{key}.{name}", RULES)
        if level not in (*Level,):
            raise _wrong_value(f"{key}.{name}", level, say("allow, ask or refuse"))
        levels[name] = Level(level)
    return levels


def _minutes(key: str, value: object) -> float:
    try:
        minutes = float(str(value))
    except ValueError:
        minutes = -1.0
    if not 0 <= minutes <= LONGEST_ASK_MINUTES:
        raise _wrong_value(key, value, say("a number of minutes from 0 to {most}", most=LONGEST_ASK_MINUTES))
    return minutes


_PARSERS: Mapping[str, Callable[[str, object], Any]] = {
    "strict": _switch,
    "network": _switch,
    "write": _paths,
    "protect": _paths,
    "secrets": _paths,
    "rules": _levels,
    "refuse": _words,
    "ask": _words,
    "ask_minutes": _minutes,
}


def _unknown_key(path: str, known: Iterable[str]) -> Refusal:
    close = difflib.get_close_matches(path.rsplit(".", 1)[-1], list(known), n=1)
    remedy: Text = (
        say("Did you mean `{close}`?", close=close[0])
        if close
        else say("Known keys here: {known}.", known=", ".join(sorted(known)))
    )
    return Refusal(
        "policy-unknown-key",
        fact=say("company/policy.yaml has an unknown key `{path}`.", path=path),
        cause=say("A rule that is misspelt would not hold, and nobody would notice."),
        remedy=remedy,
    )


def _wrong_value(path: str, value: object, wanted: Text) -> Refusal:
    return Refusal(
        "policy-wrong-value",
        fact=say("company/policy.yaml: `{path}` is {value}, not {wanted}.", path=path, value=repr(value)[:60], wanted=wanted),
        cause=say("Agents would work by rules that nobody meant."),
        remedy=say("Correct that line in company/policy.yaml."),
    )
