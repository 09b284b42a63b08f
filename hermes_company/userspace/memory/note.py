"""A note: one Markdown file below `memory/<agent>/`, with front matter that says where it comes from."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from hermes_company.ports.files import ParseYaml
from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.wording import say

# Larger than this is no note but something to mislead us with; it is never read.
MAX_NOTE_BYTES = 65_536 + 8_192
_FRONT = re.compile(r"\A---[ \t]*\r?\n(?P<front>.*?)^---[ \t]*\r?(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class Kind(StrEnum):
    """What a note is, and which folder it lies in."""

    EXPERIENCE = "experience"
    LESSON = "lesson"
    PATTERN = "pattern"

    @property
    def folder(self) -> str:
        return f"{self.value}s"


class Status(StrEnum):
    """How far a note is trusted. Only `approved` ones ever reach a prompt."""

    PENDING = "pending"
    APPROVED = "approved"
    EXPIRED = "expired"
    QUARANTINED = "quarantined"
    # A summary without shape: kept, never injected.
    THIN = "thin"


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A note as its file says it. Agent and kind come from the folder it lies in, which its text cannot change."""

    id: str
    kind: Kind
    agent: str
    path: Path
    title: str
    body: str
    status: Status
    # Ticket that it was first learned in; all tickets it was seen in, and those of them that were accepted.
    ticket: str = ""
    seen_in: tuple[str, ...] = ()
    accepted_in: tuple[str, ...] = ()
    outcome: str = ""
    project: str | None = None
    engine: str = ""
    # ISO dates.
    created: str = ""
    expires: str | None = None
    supersedes: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    # How often it helped or was blamed by a reviewer, and in which tickets (so that no ticket counts twice).
    helpful: int = 0
    harmful: int = 0
    helpful_in: tuple[str, ...] = ()
    harmful_in: tuple[str, ...] = ()
    # Made by a ticket marked `trust: untrusted`: never shown to another agent.
    untrusted: bool = False
    source_sha256: str = ""
    # Experience only: ids that its agent was told, those of them that it says it used, lessons and patterns that came of it.
    injected: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    # Attempts that distilled it.
    distilled_in: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    # Pattern only: the skill that was drafted from it.
    drafted: str = ""


def read_note(path: Path, kind: Kind, agent: str, parse_yaml: ParseYaml) -> Note:
    """The note in a file.

    Raises:
        FileNotFoundError: it is gone.
        Unreadable: not a regular UTF-8 file of bearable size, or its front matter is not one.
    """
    text = read_text(path, MAX_NOTE_BYTES)
    front, body = split_front_matter(text)
    try:
        fields = parse_yaml(front) if front else {}
    except ValueError as problem:
        raise Unreadable(say("its front matter cannot be read: {problem}", problem=problem)) from None
    if not isinstance(fields, Mapping):
        raise Unreadable(say("its front matter is not a list of `key: value` lines"))
    return _note(path, kind, agent, fields, body)


def split_front_matter(text: str) -> tuple[str, str]:
    """Front matter (without its fences; empty where there is none) and body."""
    match = _FRONT.match(text)
    return (match["front"], text[match.end() :]) if match else ("", text)


def _note(path: Path, kind: Kind, agent: str, fields: Mapping[str, Any], body: str) -> Note:
    status = str(fields.get("status") or Status.PENDING)
    if status not in tuple(Status):
        raise Unreadable(say("its status is `{status}`, not one of {known}", status=status, known=", ".join(Status)))
    title, rest = _heading(body)
    ticket = str(fields.get("task") or "")
    return Note(
        id=str(fields.get("id") or path.stem),
        kind=kind,
        agent=agent,
        path=path,
        title=str(fields.get("title") or title or ""),
        body=rest.strip(),
        status=Status(status),
        ticket=ticket,
        seen_in=_words(fields, "seen_in") or ((ticket,) if ticket else ()),
        accepted_in=_words(fields, "accepted_in"),
        outcome=str(fields.get("outcome") or ""),
        project=str(fields["project"]) if fields.get("project") else None,
        engine=str(fields.get("engine") or ""),
        created=str(fields.get("created") or "")[:10],
        expires=str(fields["expires"])[:10] if fields.get("expires") else None,
        supersedes=_words(fields, "supersedes"),
        conflicts_with=_words(fields, "conflicts_with"),
        helpful=_count(fields, "helpful"),
        harmful=_count(fields, "harmful"),
        helpful_in=_words(fields, "helpful_in"),
        harmful_in=_words(fields, "harmful_in"),
        untrusted=fields.get("trust") == "untrusted",
        source_sha256=str(fields.get("source_sha256") or ""),
        injected=_words(fields, "injected"),
        used=_words(fields, "used"),
        distilled_in=_words(fields, "distilled_in"),
        lessons=_words(fields, "lessons"),
        drafted=str(fields.get("drafted") or ""),
    )


def _heading(body: str) -> tuple[str, str]:
    first, _, rest = body.lstrip().partition("\n")
    return (first.removeprefix("# ").strip(), rest) if first.startswith("# ") else ("", body)


def _words(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = fields.get(key)
    if not value:
        return ()
    return tuple(str(v) for v in (value if isinstance(value, list) else [value]) if v)


def _count(fields: Mapping[str, Any], key: str) -> int:
    value = str(fields.get(key) or "0")
    return int(value) if value.isdecimal() and len(value) < 6 else 0


def render_note(fields: Mapping[str, object], body: str) -> str:
    """A new note's text. Values are written as JSON, which is YAML; empty ones are left out."""
    front = "".join(f"{key}: {_scalar(value)}\n" for key, value in fields.items() if value not in (None, "", (), []))
    return f"---\n{front}---\n\n{body.strip()}\n"


def with_fields(text: str, changes: Mapping[str, object]) -> str:
    """The note's text with these front matter keys set (None: removed); every other line stays as it is."""
    front, body = split_front_matter(text)
    lines = front.splitlines(keepends=True)
    for key, value in changes.items():
        new = [] if value in (None, "", (), []) else [f"{key}: {_scalar(value)}\n"]
        at = next((i for i, line in enumerate(lines) if line.startswith(f"{key}:")), len(lines))
        lines[at : at + _extent(lines, at)] = new
    return f"---\n{''.join(lines)}---\n{body}" if front else f"---\n{''.join(lines)}---\n\n{body}"


def _extent(lines: list[str], at: int) -> int:
    """How many lines the value at `at` takes: a person may have written it as a list below its key."""
    end = at + 1
    while end < len(lines) and lines[end].startswith((" ", "\t", "- ")):
        end += 1
    return end - at


def _scalar(value: object) -> str:
    import json  # what only reads gets by without

    if isinstance(value, str):
        plain = re.fullmatch(r"[A-Za-z0-9_][\w.:/+-]*", value) and value.isascii() and not value.endswith(":")
        return value if plain else json.dumps(one_line(value), ensure_ascii=False)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_scalar(item) for item in value) + "]"
    return json.dumps(value)


def one_line(text: str) -> str:
    """`text` on one line, without control and other invisible characters (which YAML refuses and readers can't see)."""
    visible = "".join(
        " " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs")
    )
    return re.sub(r" +", " ", visible).strip()
