"""Bringing flat skills of older companies into the folders that the engines load."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from hermes_company.ports.files import ParseYaml, WriteText
from hermes_company.userspace.files import Finding
from hermes_company.userspace.skills.skill_file import FILE_NAME, Skill, read_skills
from hermes_company.wording import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Migration:
    """One flat file and what becomes of it."""

    old: Path
    new: Path
    # The whole text of the new file: the old text below a front matter with name and description.
    text: str


def plan_migration(folder: Path, parse_yaml: ParseYaml) -> tuple[list[Migration], list[Finding]]:
    """What `migrate` would do with the flat files of `company/skills`, and which ones it can't take over. Writes nothing."""
    skills, findings = read_skills(folder, parse_yaml)
    plan: list[Migration] = []
    taken = {path.name for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else set()
    for skill in (skill for skill in skills if skill.flat):
        name = standard_name(skill.name)
        if not name or name in taken:
            findings.append(Finding(str(skill.path), say("there is a skill `{name}` already", name=name or skill.name)))
            continue
        taken.add(name)
        plan.append(Migration(old=skill.path, new=folder / name / FILE_NAME, text=_text(name, skill)))
    return plan, findings


def migrate(plan: list[Migration], write: WriteText) -> None:
    """Carry the plan out: write the new file, then take the old one away. Broken off, it can be done again.

    Raises:
        OSError: what was not done yet is untouched.
    """
    for step in plan:
        step.new.parent.mkdir(exist_ok=True)
        write(step.new, step.text)
        step.old.unlink()


def standard_name(name: str) -> str:
    """`landing_page_template` as the standard spells it; empty where nothing is left."""
    plain = "".join(c if c.isalnum() else "-" for c in name.lower())
    return re.sub(r"-+", "-", plain).strip("-")[:64].rstrip("-")


def _text(name: str, skill: Skill) -> str:
    own = {key: value for key, value in skill.fields.items() if key in ("license", "compatibility", "allowed-tools")}
    lines = {"name": name, "description": skill.description or name, **own}
    front = "".join(f"{key}: {json.dumps(str(value), ensure_ascii=False)}\n" for key, value in lines.items())
    return f"---\n{front}---\n\n{skill.body.strip()}\n"
