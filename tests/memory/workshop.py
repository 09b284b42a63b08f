"""A company in which patterns become skills: real folders, the archive, and the program that drafts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hermes_company.domain.ticket import State
from hermes_company.folders.atomic import replace_text, write_atomic
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.ticket_desk import BoardDesk
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.ports.events import Event
from hermes_company.ports.files import ReplaceText
from hermes_company.userspace.skills.program import SkillDrafts
from hermes_company.userspace.skills.shelf import Shelf
from hermes_company.wording import Lang
from tests.memory.desk import Desk
from tests.support.companies import new_company

PATTERN = "落地页按 价值主张、案例、价格、问答 四段排列，首屏只放一个按钮"
NAME = "落地页按-价值主张"


class Workshop:
    """One company's memory and skills."""

    def __init__(self, root: Path, *, least: int = 3, lang: Lang = "zh") -> None:
        self.layout = new_company(root, lang=lang)
        self.desk = Desk(root)
        self.shelf = Shelf(
            self.layout.skills, self.layout.skill_drafts, lock=self.layout.cache / "skills.lock", parse_yaml=load_yaml
        )
        self.board = FolderBoard(self.layout, self.desk.clock, 0.0)
        self.tickets = BoardDesk(self.board)
        self.least, self.lang = least, lang
        self.program = self.again()

    def again(self, replace: ReplaceText = replace_text) -> SkillDrafts:
        """The program as a new process builds it."""
        book, events = self.desk.book, self.desk.events
        return SkillDrafts(
            book, self.shelf, self.tickets, events, lang=self.lang, least=self.least, write=write_atomic, replace=replace
        )

    def accept(self, ticket: str, pattern: str = PATTERN, *, agent: str = "laohuang", **data: Any) -> Event:
        """A ticket whose summary has this pattern is handed in and accepted."""
        title = data.pop("title", f"开发产品落地页 {ticket}")
        self.desk.finish(ticket, title, f"## 可复用模式\n- {pattern}\n", agent=agent, **data)
        event = self.desk.approve(ticket)
        self.program.handle(event)
        return event

    def happen(self, kind: str, ticket: str, **data: Any) -> None:
        """Something else becomes known of a ticket."""
        self.program.handle(self.desk.event(kind, ticket, **data))

    def move(self, ticket: str, source: State, target: State, kind: str) -> None:
        """A person moves a ticket's file, and the loop tells of it."""
        self.layout.ticket(ticket, source).rename(self.layout.ticket(ticket, target))
        self.board.view(fresh=True)
        self.happen(kind, ticket, **{"from": source.value, "to": target.value})

    def draft(self, name: str = NAME) -> Path:
        """The draft's file."""
        return self.layout.skill_drafts / name / "SKILL.md"

    def approved(self, name: str = NAME) -> Path:
        """The approved skill's file."""
        return self.layout.skills / name / "SKILL.md"

    def rejected(self, name: str = NAME) -> Path:
        """The rejected skill's file."""
        return self.layout.skill_drafts / ".rejected" / name / "SKILL.md"

    def drafts(self) -> list[str]:
        """The names of all drafts."""
        folder = self.layout.skill_drafts
        return sorted(path.parent.name for path in folder.glob("[!.]*/SKILL.md")) if folder.exists() else []

    def told(self, kind: str) -> list[Event]:
        """The events of one kind."""
        return [event for event in self.desk.events.after(0) if event.kind == kind]
