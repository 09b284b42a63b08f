"""Strict rules for the company's own skills: what both engines load without surprises (Agent Skills standard)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hermes_company.ports.files import ParseYaml
from hermes_company.userspace.files import Finding, Unreadable, read_head, read_text
from hermes_company.userspace.memory.note import split_front_matter
from hermes_company.userspace.skills.skill_file import FILE_NAME, MAX_BYTES, MAX_DESCRIPTION, skill_files
from hermes_company.wording import Text, say

MAX_NAME = 64
MAX_COMPATIBILITY = 500
MAX_LINES = 500
_BOM = b"\xef\xbb\xbf"
_FLOW = re.compile(r"^metadata:[ \t]*\{", re.MULTILINE)
FIELDS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


def lint_skills(folder: Path, parse_yaml: ParseYaml) -> list[Finding]:
    """What is wrong with the skills of `company/skills`; empty when everything is as it should be."""
    findings = [found for path in skill_files(folder) for found in lint_skill(path, parse_yaml)]
    with_file = {path.parent.name for path in skill_files(folder) if path.name == FILE_NAME and path.exists()}
    empty = [p for p in sorted(folder.iterdir()) if p.is_dir() and p.name not in with_file] if folder.is_dir() else []
    return [*findings, *(Finding(str(p), say("there is no {name} in it", name=FILE_NAME)) for p in empty)]


def lint_skill(path: Path, parse_yaml: ParseYaml) -> list[Finding]:
    """What is wrong with one skill file; a folder without one is nothing."""
    try:
        text = read_text(path, MAX_BYTES)
    except FileNotFoundError:
        return []
    except Unreadable as problem:
        return [Finding(str(path), problem.reason)]
    if path.name != FILE_NAME:
        return [Finding(str(path), say("it is a flat file, which no engine loads; `hc skill migrate` makes a folder of it"))]
    begins = read_head(path, len(_BOM))[0]
    marked = [say("it begins with a byte order mark; other readers see no front matter then")] if begins == _BOM else []
    return [Finding(str(path), problem) for problem in (*marked, *_problems(path, text, parse_yaml))]


def _problems(path: Path, text: str, parse_yaml: ParseYaml) -> Iterator[Text]:
    front, body = split_front_matter(text)
    if not front:
        yield say("it has no front matter; Codex skips it in silence")
        return
    if "---" in front:
        yield say("its front matter has `---` in it; other readers take that for its end")
    if _FLOW.search(front):
        yield say("its `metadata` is written in braces, which other readers refuse; put each key on a line of its own")
    try:
        fields = parse_yaml(front)
    except ValueError as problem:
        yield say("its front matter cannot be read: {problem}", problem=problem)
        return
    if not isinstance(fields, Mapping):
        yield say("its front matter is not a list of `key: value` lines")
        return
    for key in fields:
        if key not in FIELDS:
            yield say("its key `{key}` is not one of {known}; own keys go below `metadata`", key=key, known=", ".join(FIELDS))
    yield from _name_problems(fields.get("name"), path.parent.name)
    yield from _text_problems(fields)
    if not body.strip():
        yield say("it says nothing")
    elif len(body.strip().splitlines()) > MAX_LINES:
        yield say("it has more than {most} lines; move details to files in `references/`", most=MAX_LINES)


def _name_problems(name: Any, folder: str) -> Iterator[Text]:
    if not isinstance(name, str) or not name:
        yield say("it has no `name`")
        return
    name = unicodedata.normalize("NFKC", name)
    if len(name) > MAX_NAME:
        yield say("its name has more than {most} characters", most=MAX_NAME)
    if name != name.lower() or not all(c.isalnum() or c == "-" for c in name):
        yield say("its name `{name}` is not made of lower-case letters, digits and hyphens", name=name)
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield say("its name `{name}` begins or ends with a hyphen, or has two in a row", name=name)
    if name != unicodedata.normalize("NFKC", folder):
        yield say(
            "its name `{name}` is not its folder's, `{folder}`: the engines would know it by two names",
            name=name,
            folder=folder,
        )


def _text_problems(fields: Mapping[str, Any]) -> Iterator[Text]:
    description = fields.get("description")
    if not isinstance(description, str) or not description.strip():
        yield say("it has no `description`: what it does and when to use it")
    elif len(description) > MAX_DESCRIPTION:
        yield say("its description has more than {most} characters", most=MAX_DESCRIPTION)
    compatibility = fields.get("compatibility")
    if isinstance(compatibility, str) and len(compatibility) > MAX_COMPATIBILITY:
        yield say("its `compatibility` has more than {most} characters", most=MAX_COMPATIBILITY)
    for key in ("license", "compatibility", "allowed-tools"):
        if fields.get(key) is not None and not isinstance(fields[key], str):
            yield say("its `{key}` is not text", key=key)
    metadata = fields.get("metadata")
    if metadata is not None and not (isinstance(metadata, Mapping) and all(isinstance(v, str) for v in metadata.values())):
        yield say("its `metadata` is not a list of `key: text` lines")
