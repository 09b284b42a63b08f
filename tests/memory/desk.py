"""A memory under test: real files in a temporary folder, real event log, a clock that stands still."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.ports.events import Event
from hermes_company.ports.memory import Recalled
from hermes_company.userspace.memory.archive import Archive
from hermes_company.userspace.memory.entry import NoteIndex
from hermes_company.userspace.memory.note import Kind, Note
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.memory.retriever import FtsRetriever
from tests.fakes.clock import FakeClock

LAOHUANG = Agent(name="laohuang", engine="shell")
XIAOLI = Agent(name="xiaoli", engine="shell")

SUMMARY = """# 完成总结

## 执行步骤
1. 用 Next.js 搭建知识库商品落地页
2. 部署到 Vercel

## 关键决策
- 首屏图片改用静态导出

## 踩坑
- Vercel 构建超时：图片优化要在本地先做完再上传

## 可复用模式
- 落地页按 价值主张、案例、价格、问答 四段排列
"""


class Desk:
    """One company's memory with its archive and retriever."""

    def __init__(self, root: Path, *, index: NoteIndex | None = None, clock: FakeClock | None = None, **archive: Any) -> None:
        self.root = root
        self.clock = clock or FakeClock()
        self.events = EventLog(root / "logs" / "events.jsonl", self.clock)
        self.book = NoteBook(root / "memory", parse_yaml=load_yaml, write=write_atomic)
        self.archive = Archive(self.book, self.events, lang="zh", **archive)
        self.retriever = FtsRetriever(
            self.book,
            glossary=root / "company" / "glossary.tsv",
            cache=root / ".hc" / "cache",
            clock=self.clock,
            lang="zh",
            index=index,
        )

    def event(self, kind: str, ticket: str, *, agent: str | None = None, attempt: int | None = None, **data: Any) -> Event:
        """Append an event as the kernel would and let the archive see it."""
        event = self.events.append(kind, ticket=ticket, agent=agent, attempt=attempt, data=data)
        self.archive.handle(event)
        return event

    def finish(self, ticket: str, title: str, summary: str | bytes, *, agent: str = "laohuang", **data: Any) -> Event:
        """A finished attempt with this summary in its outbox."""
        outbox = self.root / "outbox" / agent / ticket
        outbox.mkdir(parents=True, exist_ok=True)
        (outbox / "summary.md").write_bytes(summary.encode() if isinstance(summary, str) else summary)
        facts: Mapping[str, Any] = {"outcome": "finished", "title": title, "engine": "shell", "outbox": str(outbox), **data}
        return self.event("attempt.closed", ticket, agent=agent, attempt=1, **facts)

    def approve(self, ticket: str) -> Event:
        """The person accepts the ticket."""
        return self.event("ticket.approved", ticket, to="done", **{"from": "review"})

    def note(self, note_id: str, *, kind: Kind = Kind.EXPERIENCE, agent: str = "laohuang") -> Note:
        """A note that is there."""
        note = self.book.get(agent, kind, note_id)
        assert note is not None, f"no {kind} {note_id}"
        return note

    def notes(self, kind: Kind, agent: str = "laohuang") -> list[Note]:
        """The agent's notes of that kind."""
        return sorted(self.book.of(agent, kind), key=lambda note: note.id)

    def write(self, path: str, text: str | bytes) -> Path:
        """A file below `memory/`, as somebody could put it there."""
        file = self.root / "memory" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def recall(self, title: str, body: str = "", *, agent: Agent = LAOHUANG, project: str | None = None) -> list[Recalled]:
        """What a new ticket with this text would be told."""
        return list(self.retriever.recall(Ticket(id="TASK-900", title=title, body=body), agent, project=project))
