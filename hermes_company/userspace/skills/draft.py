"""The text of a drafted skill: what agents wrote, quoted, with where it comes from."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count

from hermes_company.domain.redaction import redact
from hermes_company.userspace.memory.note import one_line
from hermes_company.userspace.skills.migrate import standard_name
from hermes_company.userspace.skills.patterns import Evidence, Sighting
from hermes_company.wording import Lang, Text, say

_MAX_NAME = 40
_MAX_WORDS = 6
_MAX_TITLE = 80
_MAX_TEXT = 600
_MOST_WORDINGS = 10
_MOST_TICKETS = 50
_MOST_TITLES = 5
# Behind the first clause a pattern gives reasons and details.
_CLAUSE = re.compile(r"[，。；：！？、,;:!?()（）\[\]]|\.(?:\s|$)|\s[-–—]+\s|——")
_DIGEST = re.compile(r"^  hc-digest: .*\n", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A skill to be drafted.

    Args:
        drafted: the ISO date on which it was drafted first.
    """

    name: str
    ticket: str
    drafted: str
    evidence: Evidence


def skill_name(evidence: Evidence, taken: Callable[[str], bool]) -> str:
    """A name for the skill from the beginning of its pattern, as the standard spells names, and not in use.

    Chinese stays Chinese: the standard and both engines take it.
    """
    note = evidence.notes[0]
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", note.body).lower()).strip()
    clause = next((part for part in _CLAUSE.split(text) if part.strip()), "")
    words = standard_name(clause).split("-")[:_MAX_WORDS]
    name = "-".join(words)[:_MAX_NAME].strip("-") or note.id.lower()
    numbered = (name if number == 1 else f"{name}-{number}" for number in count(1))
    return next(candidate for candidate in numbered if not taken(candidate))


def draft_text(draft: Draft, lang: Lang) -> str:
    """The whole SKILL.md. What agents wrote goes in on single lines, without secrets."""
    wordings = [_quoted(note.body)[:_MAX_TEXT] for note in draft.evidence.notes]
    wordings = list(dict.fromkeys(wordings))[:_MOST_WORDINGS]
    sightings = draft.evidence.sightings[-_MOST_TICKETS:]
    titles = list(dict.fromkeys(_quoted(s.title)[:_MAX_TITLE] for s in reversed(sightings)))[:_MOST_TITLES]
    description = say(
        "{pattern} Use for tickets such as: {titles}.",
        pattern=_sentence(wordings[0]),
        titles=("；" if lang == "zh" else "; ").join(titles),
    )
    front = {"name": draft.name, "description": description.in_lang(lang).replace("---", "—")}
    lines = [f"{key}: {_scalar(value)}" for key, value in front.items()]
    lines += ["metadata:", *(f"  {key}: {_scalar(value)}" for key, value in _provenance(draft, sightings).items())]
    body = [
        f"# {wordings[0][:_MAX_TITLE]}",
        _section(say("When to use"), titles, lang),
        _section(say("What worked"), wordings, lang),
        _section(say("Where it comes from"), [_source(s) for s in sightings], lang),
    ]
    text = "---\n" + "".join(f"{line}\n" for line in lines) + "---\n\n" + "\n\n".join(body) + "\n"
    return text.replace("metadata:\n", f"metadata:\n  hc-digest: {digest(text)}\n", 1)


def digest(text: str) -> str:
    """What a draft's text is known by, its own digest left out."""
    return hashlib.sha256(_DIGEST.sub("", text, count=1).encode()).hexdigest()


def untouched(text: str, metadata: Mapping[str, str]) -> bool:
    """Whether a draft is still as we wrote it."""
    return metadata.get("hc-digest") == digest(text)


def ticket_fields(draft: Draft, lang: Lang) -> dict[str, object]:
    """The front matter of the ticket that a draft is filed with. It is on hold, so no agent ever starts it."""
    title = say("Drafted skill: {name}", name=draft.name).in_lang(lang)
    return {"title": title, "hold": True, "memory": "off", "created": draft.drafted, "created_by": "hc"}


def ticket_body(draft: Draft, lang: Lang) -> str:
    """What the ticket says: what was seen where, and the ways to answer."""
    tickets = ", ".join(sighting.ticket for sighting in draft.evidence.sightings)
    seen: Text = say("Accepted tickets taught the same pattern: {tickets}.", tickets=tickets)
    ways = say(
        "The draft is company/skills-drafts/{name}/SKILL.md. No agent is told of it before you approve it.\n\n"
        "- `hc skill show {name}` shows it, `hc skill edit {name}` changes it.\n"
        "- `hc review approve {ticket}`, or this file moved to done: later tickets that it fits are told to read it.\n"
        "- `hc review reject {ticket} -m …`: it is not drafted again.",
        name=draft.name,
        ticket=draft.ticket,
    )
    return f"{seen.in_lang(lang)}\n\n> {_quoted(draft.evidence.notes[0].body)[:_MAX_TEXT]}\n\n{ways.in_lang(lang)}"


def _provenance(draft: Draft, sightings: tuple[Sighting, ...]) -> dict[str, str]:
    return {
        "hc-ticket": draft.ticket,
        "hc-drafted": draft.drafted,
        "hc-patterns": " ".join(dict.fromkeys(note.id for note in draft.evidence.notes)),
        "hc-tickets": " ".join(sighting.ticket for sighting in sightings),
        "hc-agents": " ".join(sorted({sighting.agent for sighting in sightings})),
        "hc-dates": " ".join(sighting.date for sighting in sightings),
    }


def _section(heading: Text, items: list[str], lang: Lang) -> str:
    return "\n".join([f"## {heading.in_lang(lang)}", "", *(f"- {item}" for item in items)])


def _source(sighting: Sighting) -> str:
    return f"{sighting.ticket}, {sighting.agent}, {sighting.date}: {_quoted(sighting.title)[:_MAX_TITLE]}"


def _quoted(text: str) -> str:
    return one_line(redact(text).text)


def _sentence(text: str) -> str:
    return text if text.endswith(tuple(".。!！?？…")) else f"{text}." if text[-1:].isascii() else f"{text}。"


def _scalar(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
