"""Where skills lie: drafted, approved, rejected. Their folder says which, and one rename changes it."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hermes_company.domain.names import SKILL_TICKET, is_skill_name
from hermes_company.ports.files import ParseYaml
from hermes_company.userspace.files import Finding, Unreadable
from hermes_company.userspace.skills.lint import lint_skill
from hermes_company.userspace.skills.skill_file import FILE_NAME, Skill, read_skill, read_skills
from hermes_company.wording import say

_REJECTED = ".rejected"
_LOCK_SECONDS = 10.0
_REASON = "REJECTED.md"


class Place(StrEnum):
    """What a person has decided on a skill so far."""

    DRAFT = "draft"
    APPROVED = "approved"
    REJECTED = "rejected"


class NameTaken(Exception):
    """A skill of that name lies there already; both are untouched."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelved:
    """A skill and where it lies."""

    name: str
    place: Place
    # Its SKILL.md.
    path: Path

    @property
    def ticket(self) -> str:
        """The ticket that it was filed with, if it was drafted by us."""
        return f"{SKILL_TICKET}{self.name}"


class Shelf:
    """The skills of one company.

    Args:
        skills: `company/skills`, the approved ones.
        drafts: `company/skills-drafts`; rejected ones lie in a hidden folder of it.
        lock: a file in a folder of ours.
        parse_yaml: reads front matter.
        changed: told of the places that were changed here.
    """

    def __init__(
        self,
        skills: Path,
        drafts: Path,
        *,
        lock: Path,
        parse_yaml: ParseYaml,
        changed: Callable[[Iterable[Path]], None] = lambda places: None,
    ) -> None:
        self._folders = {Place.DRAFT: drafts, Place.APPROVED: skills, Place.REJECTED: drafts / _REJECTED}
        self._lock = lock
        self._parse_yaml = parse_yaml
        self._changed = changed

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Nobody else moves a skill until its ticket lies where it belongs too: whoever looks in between would undo it.

        Raises:
            TimeoutError: somebody else has been at it for long.
        """
        from filelock import FileLock

        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._lock, timeout=_LOCK_SECONDS):
            yield

    def folder(self, name: str, place: Place) -> Path:
        """Where a skill of that name lies, or would."""
        return self._folders[place] / name

    def find(self, name: str) -> Shelved | None:
        """The skill of that name, a draft before an approved one before a rejected one; None where there is none."""
        if not is_skill_name(name):
            return None
        for place in Place:
            folder = self.folder(name, place)
            if (folder / FILE_NAME).is_file() and not folder.is_symlink():
                return Shelved(name=name, place=place, path=folder / FILE_NAME)
        return None

    def of_ticket(self, ticket: str) -> Shelved | None:
        """The skill that a ticket is about. An approved one counts only where its own text says that it came by that ticket."""
        if not ticket.startswith(SKILL_TICKET):
            return None
        found = self.find(ticket.removeprefix(SKILL_TICKET))
        if found is None or found.place is not Place.APPROVED or self.metadata(found).get("hc-ticket") == ticket:
            return found
        return None

    def metadata(self, skill: Shelved) -> Mapping[str, str]:
        """What its front matter says below `metadata`; nothing where it can't be read."""
        try:
            return metadata_of(read_skill(skill.path, self._parse_yaml))
        except (FileNotFoundError, Unreadable):
            return {}

    def listed(self, place: Place) -> tuple[list[Skill], list[Finding]]:
        """The readable skills of one place by name, and what was passed over."""
        return read_skills(self._folders[place], self._parse_yaml)

    def origins(self, place: Place) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Name and `metadata` of every readable skill of one place."""
        return ((skill.name, metadata_of(skill)) for skill in self.listed(place)[0])

    def problems(self, skill: Shelved) -> list[Finding]:
        """What keeps it from being approved: what the strict lint finds."""
        return lint_skill(skill.path, self._parse_yaml)

    def move(self, skill: Shelved, to: Place, *, reason: str = "") -> Shelved:
        """Put a skill's folder, with everything in it, to another place. A reason for a rejection is kept beside it.

        Raises:
            NameTaken: one of its name lies there.
            OSError: it is where it was.
        """
        target = self.folder(skill.name, to)
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            skill.path.parent.rename(target)
        except OSError as problem:
            if problem.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                raise NameTaken(skill.name) from None
            raise
        if to is Place.REJECTED and reason.strip():
            (target / _REASON).write_text(f"{reason.strip()}\n", encoding="utf-8")
        elif to is not Place.REJECTED:
            (target / _REASON).unlink(missing_ok=True)
        self._changed((skill.path.parent, target))
        return Shelved(name=skill.name, place=to, path=target / FILE_NAME)

    def write_into(self, name: str) -> Path:
        """The SKILL.md of a draft to be written; its folder is made.

        Raises:
            Unreadable: the drafts' folder is a link.
        """
        folder = self.folder(name, Place.DRAFT)
        folder.mkdir(parents=True, exist_ok=True)
        if folder.parent.is_symlink() or folder.is_symlink():
            raise Unreadable(say("its folder {path} is a link", path=folder))
        return folder / FILE_NAME


def metadata_of(skill: Skill) -> Mapping[str, str]:
    """The `metadata` of a skill that was read."""
    found = skill.fields.get("metadata")
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, Mapping) else {}
