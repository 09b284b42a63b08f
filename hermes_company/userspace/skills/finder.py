"""Which of the company's skills fit a ticket."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket
from hermes_company.ports.files import ParseYaml
from hermes_company.ports.memory import SkillEntry
from hermes_company.userspace.relevance.glossary import read_glossary
from hermes_company.userspace.relevance.ranking import Corpus, Rater, build_query, document, relevant
from hermes_company.userspace.relevance.tokens import tokens
from hermes_company.userspace.skills.skill_file import Skill, read_skills

MOST = 5
_MAX_SHOWN = 300
# Of a skill's text, its beginning says what it is about.
_BODY_CHARS = 2_000


class CompanySkills:
    """`SkillFinder` over `company/skills`.

    Args:
        folder: `<company>/company/skills`.
        glossary: `company/glossary.tsv`.
        parse_yaml: reads front matter.
    """

    def __init__(self, folder: Path, *, glossary: Path, parse_yaml: ParseYaml) -> None:
        self._folder = folder
        self._glossary = glossary
        self._parse_yaml = parse_yaml

    def skills_for(self, ticket: Ticket, agent: Agent) -> Sequence[SkillEntry]:
        """See `SkillFinder.skills_for`."""
        skills, _ = read_skills(self._folder, self._parse_yaml)
        named = [
            skill for word in (*ticket.skills, *agent.skills) for skill in skills if _spelling(skill.name) == _spelling(word)
        ]
        best = [*dict.fromkeys(s.name for s in named), *self._fitting(skills, ticket)]
        by_name = {skill.name: skill for skill in skills}
        return [_entry(by_name[name]) for name in dict.fromkeys(best)][:MOST]

    def _fitting(self, skills: list[Skill], ticket: Ticket) -> list[str]:
        """Names of the skills that pass the gate, best first."""
        if not skills:
            return []
        documents = {s.name: document(tokens(f"{s.name} {s.description}"), tokens(s.body[:_BODY_CHARS])) for s in skills}
        frequency = Counter(word for doc in documents.values() for word in doc.counts)
        mean = sum(doc.length for doc in documents.values()) / max(1, len(documents))
        corpus = Corpus(len(documents), max(mean, 1.0), frequency)
        rater = Rater(build_query(ticket.title, ticket.body, read_glossary(self._glossary)), corpus)
        rated = sorted(((rater.rate(doc), name) for name, doc in documents.items()), key=lambda r: (-r[0].score, r[1]))
        top = rated[0][0].score if rated else 0.0
        return [name for rating, name in rated if relevant(rating, top)]


def _spelling(word: str) -> str:
    """`api_design` and `API-Design` name one skill."""
    return word.casefold().replace("_", "-")


def _entry(skill: Skill) -> SkillEntry:
    shown = skill.description if len(skill.description) <= _MAX_SHOWN else skill.description[: _MAX_SHOWN - 1] + "…"
    return SkillEntry(name=skill.name, description=shown, path=str(skill.path))
