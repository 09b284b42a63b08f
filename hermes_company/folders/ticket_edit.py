"""Changing single keys of a ticket's front matter: every other byte stays as the person wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from hermes_company.domain.ticket import Approval
from hermes_company.folders.ticket_file import ADDED, BadTicket, Parts, parse_ticket, scalar, split_ticket, without_runtime
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.wording import say

_Loader: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
# Older spellings that are read as well.
_ALSO = {"skill_pack": "skills_pack"}
# What takes a key out.
_NOTHING: tuple[object, ...] = (None, "", (), [])

# From, to, and what comes instead, in characters of the front matter.
_Edit = tuple[int, int, str]


def with_fields(raw: bytes, changes: Mapping[str, object]) -> bytes:
    """`raw` with these front matter keys set; None, an empty text or an empty list takes the key out.

    A key that is there keeps its place and its comment, a new one comes at the head. What says the same already stays as it
    is spelt. Front matter that would be left empty goes; where there was none, it is made.

    Raises:
        BadTicket: the ticket can't be read, a value is none that may stand there, or the front matter is not written in lines.
    """
    before = parse_ticket("check", raw)
    parts = split_ticket(raw)
    # From now on the front matter is not ours alone, so it must not go when our block goes.
    front = parts.front.replace(b"  " + ADDED, b"", 1).decode()
    edited = _edited(front, changes, parts.newline.decode()).encode()
    changed = _joined(parts, edited)
    _check(raw, changed, changes)
    after = parse_ticket("check", changed)
    return raw if replace(after, digest=before.digest) == before else changed


def with_hold(raw: bytes, held: bool) -> bytes:
    """`raw` with `hold: true`, or without `hold`; see `with_fields`."""
    return with_fields(raw, {"hold": True if held else None})


def with_approval(raw: bytes) -> bytes:
    """`raw` with `approve: given`; see `with_fields`."""
    return with_fields(raw, {"approve": Approval.GIVEN.value})


def _joined(parts: Parts, front: bytes) -> bytes:
    if not front:
        return parts.bom + parts.body
    fence = b"---" + parts.newline
    return parts.bom + (parts.opening or fence) + front + (parts.closing or fence) + parts.body


def _edited(front: str, changes: Mapping[str, object], newline: str) -> str:
    keys = _keys(front)
    indent = next((_indent(front, key) for key, _ in keys.values()), "")
    edits: list[_Edit] = []
    added = ""
    for key, value in changes.items():
        found = keys.get(key) or keys.get(_ALSO.get(key, ""))
        if found and value in _NOTHING:
            edits.append(_removed(front, *found))
        elif found:
            edits += _replaced(front, *found, scalar(value))
        elif value not in _NOTHING:
            added += f"{indent}{key}: {scalar(value)}{newline}"
    for start, end, text in sorted(edits, reverse=True):
        front = front[:start] + text + front[end:]
    return added + front


def _keys(front: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
    """The nodes of each key and its value.

    Raises:
        BadTicket: the front matter is something else than lines of keys.
    """
    node = yaml.compose(front, Loader=_Loader)
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        raise _not_editable()
    return {key.value: (key, value) for key, value in node.value}


def _indent(front: str, key: yaml.Node) -> str:
    start = key.start_mark.index
    return front[front.rfind("\n", 0, start) + 1 : start]


def _removed(front: str, key: yaml.Node, value: yaml.Node) -> _Edit:
    """All lines from the key's to the one in which its value ends."""
    start = front.rfind("\n", 0, key.start_mark.index) + 1
    end = front.find("\n", max(_end(front, value), key.end_mark.index))
    return start, len(front) if end < 0 else end + 1, ""


def _replaced(front: str, key: yaml.Node, value: yaml.Node, text: str) -> list[_Edit]:
    behind_colon = front.index(":", key.end_mark.index) + 1
    start, end = value.start_mark.index, _end(front, value)
    if start >= end:
        return [(behind_colon, behind_colon, f" {text}")]
    if "\n" not in front[behind_colon:start]:
        return [(start, end, text)]
    # The value begins below its key, where a comment may stand.
    line_end = front.index("\n", behind_colon)
    line_end -= front[line_end - 1] == "\r"
    return [(behind_colon, behind_colon, f" {text}"), (line_end, end, "")]


def _end(front: str, node: yaml.Node) -> int:
    """Where the last character of a value is; what YAML counts to it of blank lines and comments below is not."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(front, last[1] if isinstance(last, tuple) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(front[start:end].rstrip())


def _check(raw: bytes, changed: bytes, changes: Mapping[str, object]) -> None:
    """That the change says what was wanted, and nothing else changed its meaning."""
    wanted = {key: value for key, value in _fields(raw).items() if key not in changes}
    wanted |= {key: load_yaml(scalar(value)) for key, value in changes.items() if value not in _NOTHING}
    try:
        parse_ticket("check", changed)
        said = _fields(changed) == wanted
    except BadTicket as problem:
        if problem.code == "ticket-bad-value":
            raise
        said = False
    if not said:
        raise _not_editable()


def _fields(raw: bytes) -> dict[str, Any]:
    """What a person's front matter says, by the keys that we use for it."""
    fields = load_yaml(split_ticket(without_runtime(raw)).front.decode())
    usual = {also: key for key, also in _ALSO.items()}
    return {usual.get(str(key), str(key)): value for key, value in fields.items()} if isinstance(fields, dict) else {}


def _not_editable() -> BadTicket:
    reason = say("The front matter is not written as `key: value` lines.")
    return BadTicket("ticket-not-editable", reason, say("Change it in the file yourself."))
