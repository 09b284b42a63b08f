"""Reading skills: `company/skills/<name>/SKILL.md`, and the flat `company/skills/<name>.md` of older companies."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.names import is_skill_name
from hermes_company.ports.files import ParseYaml
from hermes_company.userspace.files import Finding, Unreadable, read_text
from hermes_company.userspace.memory.note import one_line, split_front_matter
from hermes_company.wording import say

FILE_NAME = "SKILL.md"
MAX_BYTES = 262_144
MAX_DESCRIPTION = 1_024
_USE = re.compile(
    r"^#{1,6}\s*(?:适用场景|使用场景|何时使用|when to use|use when|purpose|用途)\s*[:：]?\s*(?P<rest>.*)$", re.IGNORECASE
)

_DESCRIPTION = re.compile(r"^description:[ \t]*(?P<text>\S.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    """One skill as its file says it."""

    name: str
    description: str
    path: Path
    body: str
    # The front matter as it stands; empty for a flat file without one.
    fields: Mapping[str, object]
    # Whether it is a flat file of an older company.
    flat: bool = False


def read_skills(folder: Path, parse_yaml: ParseYaml) -> tuple[list[Skill], list[Finding]]:
    """Every readable skill of a folder by name, a folder before a flat file of the same name, and what was passed over."""
    skills: dict[str, Skill] = {}
    findings: list[Finding] = []
    for path in skill_files(folder):
        name = path.parent.name if path.name == FILE_NAME else path.stem
        if name in skills or not is_skill_name(name):
            continue
        try:
            skills[name] = read_skill(path, parse_yaml)
        except FileNotFoundError:
            continue
        except Unreadable as problem:
            findings.append(Finding(str(path), problem.reason))
    return [skills[name] for name in sorted(skills)], findings


def read_skill(path: Path, parse_yaml: ParseYaml) -> Skill:
    """The skill in a file, read as leniently as the engines do: `hc skill lint` is for strictness.

    An unquoted `description: Use when: x` is understood, and a missing description is taken from the text.

    Raises:
        FileNotFoundError: there is no such file.
        Unreadable: not a regular UTF-8 file of bearable size, or its front matter is not one.
    """
    front, body = split_front_matter(read_text(path, MAX_BYTES))
    fields = _fields(front, parse_yaml)
    flat = path.name != FILE_NAME
    return Skill(
        name=path.stem if flat else path.parent.name,
        description=one_line(str(fields.get("description") or derived_description(body)))[:MAX_DESCRIPTION],
        path=path,
        body=body,
        fields=fields,
        flat=flat,
    )


def _fields(front: str, parse_yaml: ParseYaml) -> Mapping[str, object]:
    try:
        fields = parse_yaml(front) if front else {}
    except ValueError as problem:
        described = _DESCRIPTION.search(front)
        if described is None:
            raise Unreadable(say("its front matter cannot be read: {problem}", problem=problem)) from None
        return {"description": described["text"].strip()}
    if not isinstance(fields, Mapping):
        raise Unreadable(say("its front matter is not a list of `key: value` lines"))
    return fields


def derived_description(body: str) -> str:
    """What a skill without a description is for: its title, and what it says below `适用场景` / `when to use`."""
    lines = body.splitlines()
    title = next((line.lstrip("# ").strip() for line in lines if line.strip()), "")
    for number, line in enumerate(lines):
        match = _USE.match(line)
        if match:
            until = next((i for i in range(number + 1, len(lines)) if lines[i].startswith("#")), len(lines))
            use = " ".join([match["rest"], *(text.strip(" -*+\t") for text in lines[number + 1 : until])]).strip()
            return f"{title}: {use}" if use else title
    return title


def skill_files(folder: Path) -> list[Path]:
    """Skill files, those in folders first. Links are not followed."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    folders = [Path(e.path) / FILE_NAME for e in found if e.is_dir(follow_symlinks=False)]
    flat = [Path(e.path) for e in found if e.name.endswith(".md") and e.is_file(follow_symlinks=False)]
    return [*folders, *flat]
