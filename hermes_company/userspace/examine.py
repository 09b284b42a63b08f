"""Examining what the company has learned: notes and skills that can't be read are passed over at every recall."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hermes_company.errors import Refusal
from hermes_company.ports.doctor import Finding, Severity, gather, well
from hermes_company.ports.files import ParseYaml
from hermes_company.userspace.files import Finding as Passed
from hermes_company.userspace.files import Unreadable
from hermes_company.userspace.memory.history import History
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.skills.skill_file import read_skills
from hermes_company.wording import say


class MemoryExaminer:
    """`Examiner` of `memory/` and `company/skills/`.

    Args:
        root: the company's folder; paths are told relative to it.
        notes: the memory.
        skills: the skills' folder.
        history: whether changes of them are commits; that there is no git at all is found by the folders' examiner.
        parse_yaml: reads their front matter.
        scanner: tells why the scanner for secrets that was asked for can't be had, if that is so.
    """

    def __init__(
        self,
        root: Path,
        notes: NoteBook,
        skills: Path,
        history: History,
        *,
        parse_yaml: ParseYaml,
        scanner: Callable[[], Refusal | None],
    ) -> None:
        self._root = root
        self._notes = notes
        self._skills = skills
        self._history = history
        self._parse_yaml = parse_yaml
        self._scanner = scanner

    def examine(self) -> Sequence[Finding]:
        """See `Examiner.examine`."""
        return gather(self._check)

    def _check(self) -> Iterator[Finding]:
        files, passed = self._notes.files()
        for file in files:
            try:
                self._notes.read(file)
            except FileNotFoundError:
                continue
            except Unreadable as problem:
                passed.append(Passed(file.path, problem.reason))
        lacking = self._scanner()
        if lacking:
            yield Finding(code=lacking.code, severity=Severity.BAD, seen=lacking.fact, remedy=lacking.remedy)
        skills, passed_skills = read_skills(self._skills, self._parse_yaml)
        yield from map(self._unreadable, (*passed, *passed_skills))
        if self._history.in_a_foreign_repository():
            yield Finding(
                code="memory-history-copies",
                severity=Severity.WARN,
                seen=say(
                    "The repository around the company is not its own: only copies of the latest changes of memory are kept."
                ),
                remedy=say("Make it one: git init {root}", root=self._root),
            )
        if not passed and not passed_skills:
            seen = say("All {notes} notes and {skills} skills can be read.", notes=len(files), skills=len(skills))
            yield well("memory", seen)

    def _unreadable(self, passed: Passed) -> Finding:
        where = Path(passed.path)
        place = where.relative_to(self._root) if where.is_relative_to(self._root) else where
        return Finding(
            code="memory-unreadable",
            severity=Severity.WARN,
            seen=say("{place} is passed over: {reason}.", place=place.as_posix(), reason=passed.problem),
            remedy=say("Correct the file, or move it away."),
        )
