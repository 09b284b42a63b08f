"""`company/policy.yaml`: what agents may do."""

from __future__ import annotations

import json
from contextlib import suppress

from hermes_company.domain.policy import Policy, parse_policy
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.people_file import UnreadableFile, read_people_file
from hermes_company.folders.safe_read import read_head
from hermes_company.folders.yaml_text import BadYaml, load_yaml
from hermes_company.wording import Text, say

_MOST_CACHED = 262_144


class PolicyFile:
    """The company's policy as it is now; read again only when its file has changed."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._read: tuple[object, Policy] | None = None

    def __call__(self) -> Policy:
        """See `read_policy`."""
        try:
            status = self._layout.policy_file.stat()
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        except OSError:
            stamp = None
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, read_policy(self._layout)
        return self._read[1]


def read_policy(layout: Layout) -> Policy:
    """The company's policy. Without the file the defaults hold, which are what `hc init` writes into it.

    Raises:
        Refusal: `policy-unreadable`, `policy-unknown-key`, `policy-wrong-value`.
    """
    text = _text(layout)
    return Policy() if text is None else _parsed(text)


def glance_at_policy(layout: Layout) -> Policy:
    """The same for those who only look: what was once read of this very text is not read again, which saves the YAML library.

    Nothing is started by it: what agents are held to doesn't come out of a cache.
    """
    text = _text(layout)
    if text is None:
        return Policy()
    cached = layout.cache / "policy.json"
    try:
        known = json.loads(read_head(cached, _MOST_CACHED) or b"{}")
    except ValueError:
        known = None
    if isinstance(known, dict) and known.get("text") == text and "raw" in known:
        return parse_policy(known["raw"])
    policy = _parsed(text)
    # A fresh clone has no such folder yet, and looking makes none.
    with suppress(OSError):
        cached.parent.mkdir(exist_ok=True)
        write_atomic(cached, json.dumps({"text": text, "raw": load_yaml(text)}), durable=False)
    return policy


def _text(layout: Layout) -> str | None:
    try:
        return read_people_file(layout.root, layout.policy_file)
    except FileNotFoundError:
        return None
    except UnreadableFile as problem:
        raise _unreadable(problem.reason, problem.line) from None


def _parsed(text: str) -> Policy:
    try:
        return parse_policy(load_yaml(text))
    except BadYaml as problem:
        raise _unreadable(say("{problem}", problem=problem.problem), problem.line) from None


def _unreadable(problem: Text, line: int | None) -> Refusal:
    if line is None:
        fact = say("company/policy.yaml was not read: {problem}.", problem=problem)
    else:
        fact = say("company/policy.yaml, line {line}: {problem}.", line=line, problem=problem)
    return Refusal(
        "policy-unreadable",
        fact=fact,
        cause=say("Agents would work by rules that nobody meant."),
        remedy=say("Correct that line in company/policy.yaml."),
    )
