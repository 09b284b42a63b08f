"""A ticket's bytes: read what people wrote, and touch nothing but our own `runtime:` block, byte for byte."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from hermes_company.domain.expecting import is_expectation
from hermes_company.domain.names import is_agent_name, is_skill_name, is_ticket_id
from hermes_company.domain.ticket import Approval, Priority, Ticket, Trust
from hermes_company.errors import Refusal
from hermes_company.folders.yaml_text import BadYaml, load_yaml
from hermes_company.wording import Text, say

MAX_TICKET_BYTES = 1_048_576
_BOM = b"\xef\xbb\xbf"
_FENCE = re.compile(rb"^---[ \t]*\r?\n")
_CLOSING = re.compile(rb"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
# Our block: its key at the line's start and all indented lines after it, blank ones between them included.
_RUNTIME = re.compile(rb"^runtime:[^\n]*(?:\n|\Z)(?:(?:[ \t]*\r?\n)*[ \t]+[^\r\n \t][^\n]*(?:\n|\Z))*", re.MULTILINE)
ADDED = b"# front matter added by hc"
_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
KEYS = (
    "title",
    "owner",
    "priority",
    "needs",
    "skills",
    "skill_pack",
    "workdir",
    "project",
    "timeout_minutes",
    "created",
    "created_by",
    "hold",
    "approve",
    "not_before",
    "expects",
    "memory",
    "trust",
)
_KNOWN = frozenset({*KEYS, "skills_pack"})


class BadTicket(Exception):
    """Bytes that are not a ticket we can act on: what was seen, the way out, and the line where known (1-based)."""

    def __init__(self, code: str, reason: Text, remedy: Text, line: int | None = None) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.line = line


@dataclass(frozen=True, slots=True)
class Parts:
    """A ticket's bytes, taken apart; put together they are the same again."""

    bom: bytes
    # Opening fence with its line end; empty where there is no front matter.
    opening: bytes
    front: bytes
    closing: bytes
    body: bytes

    @property
    def newline(self) -> bytes:
        """How its lines end."""
        first = self.opening or self.body.split(b"\n", 1)[0] + b"\n" if b"\n" in (self.opening or self.body) else b""
        return b"\r\n" if first.endswith(b"\r\n") else b"\n"


def split_ticket(raw: bytes) -> Parts:
    """Where front matter and body of these bytes are.

    Raises:
        BadTicket: the front matter is not closed.
    """
    bom = _BOM if raw.startswith(_BOM) else b""
    rest = raw[len(bom) :]
    opened = _FENCE.match(rest)
    if not opened:
        return Parts(bom, b"", b"", b"", rest)
    closed = _CLOSING.search(rest, opened.end())
    if not closed:
        raise BadTicket(
            "ticket-front-matter-open",
            say("The front matter that begins with `---` is never closed."),
            say("Put a line `---` after the last key (or remove the first line)."),
            line=1,
        )
    return Parts(bom, opened.group(), rest[opened.end() : closed.start()], closed.group(), rest[closed.end() :])


def without_runtime(raw: bytes) -> bytes:
    """The person's bytes: `raw` without our block (and without front matter that we added for it)."""
    parts = split_ticket(raw)
    found = _RUNTIME.search(parts.front)
    if not found:
        return raw
    if ADDED in found.group().split(b"\n", 1)[0]:
        return parts.bom + parts.body
    front = parts.front[: found.start()] + parts.front[found.end() :]
    return parts.bom + parts.opening + front + parts.closing + parts.body


def with_runtime(raw: bytes, runtime: Mapping[str, object] | None) -> bytes:
    """`raw` with our `runtime:` block replaced by these values; None removes it. No other byte changes.

    Raises:
        BadTicket: the front matter is not closed.
    """
    person = without_runtime(raw)
    if not runtime:
        return person
    parts = split_ticket(person)
    newline = parts.newline
    block = _render_runtime(runtime, newline, added=not parts.opening)
    if not parts.opening:
        return parts.bom + b"---" + newline + block + b"---" + newline + parts.body
    front = parts.front if not parts.front or parts.front.endswith(b"\n") else parts.front + newline
    return parts.bom + parts.opening + front + block + parts.closing + parts.body


def _render_runtime(runtime: Mapping[str, object], newline: bytes, *, added: bool) -> bytes:
    lines = ["runtime:" + (f"  {ADDED.decode()}" if added else "")]
    for key, value in runtime.items():
        text = str(value) if not isinstance(value, int | float) else None
        if text is not None and "\n" in text:
            lines.append(f"  {key}: |2-")
            lines.extend(f"    {_printable(line)}".rstrip() for line in text.strip("\n").split("\n"))
        else:
            lines.append(f"  {key}: {value if text is None else json.dumps(_printable(text), ensure_ascii=False)}")
    return b"".join(line.encode() + newline for line in lines)


def _printable(text: str) -> str:
    """YAML allows neither control characters nor lone surrogates in a plain document."""
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in text)


def parse_ticket(ticket_id: str, raw: bytes) -> Ticket:
    """The ticket in these bytes.

    Raises:
        BadTicket: with code, reason, remedy and line.
    """
    if len(raw) > MAX_TICKET_BYTES:
        raise BadTicket(
            "ticket-too-large",
            say("The file has {size} bytes; a ticket has at most {most}.", size=len(raw), most=MAX_TICKET_BYTES),
            say("Put long material into a file of its own and name its path in the ticket."),
        )
    person = without_runtime(raw)
    parts = split_ticket(person)
    body = _decode(parts.body, person)
    if not person.strip():
        raise BadTicket("ticket-empty", say("The file is empty."), say("Write what is to be done, then save."))
    fields = _front_matter(_decode(parts.front, person))
    return _build(ticket_id, fields, body, hashlib.sha256(person).hexdigest())


def _decode(raw: bytes, whole: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = whole[: whole.index(raw[problem.start : problem.end])].count(b"\n") + 1
        raise BadTicket("ticket-not-utf8", say("The file is not UTF-8 text."), say("Save it as UTF-8."), line=line) from None
    if "\0" in text:
        raise BadTicket("ticket-not-utf8", say("The file holds NUL bytes."), say("Save it as plain UTF-8 text."))
    return text


def _front_matter(text: str) -> Mapping[str, Any]:
    try:
        fields = load_yaml(text)
    except BadYaml as problem:
        line = problem.line + 1 if problem.line else None
        raise BadTicket(
            "ticket-bad-yaml",
            say("The front matter is not readable YAML: {problem}.", problem=problem.problem),
            say("Correct that line; text with `:` or `#` in it needs quotes."),
            line=line,
        ) from None
    if fields is None:
        return {}
    if not isinstance(fields, Mapping):
        raise BadTicket("ticket-bad-yaml", say("The front matter is not a list of `key: value` lines."), _correct(), line=2)
    for key in fields:
        if key not in _KNOWN:
            _refuse_near_miss(key, text)
    return fields


def _refuse_near_miss(key: str, text: str) -> None:
    """Other tools may keep keys of their own in a ticket; what is nearly one of ours is a slip of the pen."""
    close = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.85)
    if close:
        raise BadTicket(
            "ticket-unknown-key",
            say("The front matter has an unknown key `{key}`.", key=key),
            say("Did you mean `{close}`?", close=close[0]),
            line=_line_of(text, key),
        )


def _line_of(text: str, key: str) -> int | None:
    for number, line in enumerate(text.splitlines(), start=2):
        if line.startswith(key):
            return number
    return None


def _correct() -> Text:
    return say("Correct that line, or run `hc task new` for a fresh one.")


def _bad(key: str, value: object, wanted: Text) -> BadTicket:
    reason = say("`{key}` is {value}, not {wanted}.", key=key, value=repr(value)[:60], wanted=wanted)
    return BadTicket("ticket-bad-value", reason, _correct())


def _build(ticket_id: str, fields: Mapping[str, Any], body: str, digest: str) -> Ticket:
    return Ticket(
        id=ticket_id,
        title=_text(fields, "title") or _first_heading(body) or ticket_id,
        body=body,
        owner=_owner(fields),
        priority=_priority(fields),
        needs=_words(fields, "needs", is_ticket_id),
        skills=_words(fields, "skills", is_skill_name),
        skill_pack=_words(fields, "skill_pack", is_skill_name) or _words(fields, "skills_pack", is_skill_name),
        workdir=_text(fields, "workdir"),
        project=_text(fields, "project"),
        timeout_minutes=_minutes(fields),
        created=_moment(fields, "created"),
        created_by=_text(fields, "created_by"),
        hold=_flag(fields, "hold", default=False),
        approve=_approval(fields),
        not_before=_moment(fields, "not_before"),
        expects=_words(fields, "expects", is_expectation, say("a path or a pattern below the workdir")),
        memory=_flag(fields, "memory", default=True),
        trust=_trust(fields),
        digest=digest,
    )


def _first_heading(body: str) -> str | None:
    found = _HEADING.search(body)
    return found.group(1)[:200] if found else None


def _text(fields: Mapping[str, Any], key: str) -> str | None:
    value = fields.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, str):
        raise _bad(key, value, say("text"))
    return value.strip()


def _owner(fields: Mapping[str, Any]) -> str | None:
    owner = _text(fields, "owner")
    if owner is not None and not is_agent_name(owner):
        raise _bad("owner", owner, say("an agent's name"))
    return owner


def _priority(fields: Mapping[str, Any]) -> Priority:
    word = _text(fields, "priority") or Priority.NORMAL.value
    try:
        return Priority(word.casefold())
    except ValueError:
        raise _bad("priority", word, say("urgent, high, normal or low")) from None


def _approval(fields: Mapping[str, Any]) -> Approval | None:
    word = _text(fields, "approve")
    try:
        return Approval(word.casefold()) if word else None
    except ValueError:
        raise _bad("approve", word, say("before (or given, once a person has approved it)")) from None


_A_NAME = say("a name that may stand here")


def _words(fields: Mapping[str, Any], key: str, allowed: Any, wanted: Text = _A_NAME) -> tuple[str, ...]:
    value = fields.get(key)
    if value is None:
        return ()
    items = value if isinstance(value, list) else re.split(r"[,，、]", value) if isinstance(value, str) else None
    if items is None or not all(isinstance(item, str) for item in items):
        raise _bad(key, value, say("a list of words"))
    words = tuple(dict.fromkeys(word for item in items if (word := item.strip())))
    for word in words:
        if not allowed(word):
            raise _bad(key, word, wanted)
    return words


def _minutes(fields: Mapping[str, Any]) -> float | None:
    word = _text(fields, "timeout_minutes")
    if word is None:
        return None
    try:
        minutes = float(word)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= 100_000:
        raise _bad("timeout_minutes", word, say("a number of minutes above 0"))
    return minutes


def _flag(fields: Mapping[str, Any], key: str, *, default: bool) -> bool:
    word = (_text(fields, key) or "").casefold()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    if word:
        raise _bad(key, word, say("true or false"))
    return default


def _trust(fields: Mapping[str, Any]) -> Trust:
    word = _text(fields, "trust") or Trust.TRUSTED.value
    try:
        return Trust(word.casefold())
    except ValueError:
        raise _bad("trust", word, say("trusted or untrusted")) from None


def _moment(fields: Mapping[str, Any], key: str) -> datetime | None:
    word = _text(fields, key)
    if word is None:
        return None
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise _bad(key, word, say("a date and time such as 2026-05-01T09:00")) from None
    return moment.astimezone() if moment.tzinfo is None else moment


def render_ticket(fields: Mapping[str, object], body: str) -> bytes:
    """A new ticket's bytes, in the key order given; lists in flow style, text quoted where YAML needs it.

    Raises:
        Refusal: `ticket-unwritable`: what would be written could not be read back as the same.
    """
    lines = [f"{key}: {scalar(value)}" for key, value in fields.items() if value not in (None, (), [], "")]
    raw = ("---\n" + "".join(line + "\n" for line in lines) + "---\n\n" + body.strip("\n") + "\n").encode()
    try:
        parse_ticket("check", raw)
    except BadTicket as problem:
        raise Refusal(
            "ticket-unwritable",
            fact=problem.reason,
            cause=say("The ticket could not be read back."),
            remedy=problem.remedy,
        ) from None
    return raw


def scalar(value: object) -> str:
    """A front matter value on one line; quoted where YAML would read it as something else."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(scalar(item) for item in value) + "]"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    plain = re.fullmatch(r"\w[\w ./+@-]*", text) and not text.endswith(" ")
    return text if plain and text != "null" else json.dumps(_printable(text), ensure_ascii=False)
