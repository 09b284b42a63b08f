"""What a person may do with notes by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.userspace.memory.curation import blame, list_notes, purge, quarantine, release
from hermes_company.userspace.memory.note import Kind, Status
from tests.memory.desk import SUMMARY, Desk

SIMILAR = "开发 AI 教育产品落地页", "用 Next.js，部署到 Vercel"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """One accepted ticket."""
    desk = Desk(tmp_path)
    desk.finish("TASK-001", "开发知识库商品落地页", SUMMARY)
    desk.approve("TASK-001")
    return desk


def test_notes_are_listed_newest_first_and_filtered(desk: Desk) -> None:
    """By agent, kind and status; a file that is no note is told."""
    desk.clock.jump(86_400)
    desk.finish("TASK-002", "另一个", "## 踩坑\n- 别的\n", agent="xiaoli")
    desk.write("laohuang/lessons/bad.md", b"\xff")
    notes, findings = list_notes(desk.book)
    assert [n.ticket for n in notes] == ["TASK-002", "TASK-002", "TASK-001", "TASK-001", "TASK-001"]
    assert [Path(f.path).name for f in findings] == ["bad.md"]
    assert {n.agent for n in list_notes(desk.book, agent="xiaoli")[0]} == {"xiaoli"}
    assert {n.kind for n in list_notes(desk.book, kind=Kind.PATTERN)[0]} == {Kind.PATTERN}
    assert {n.ticket for n in list_notes(desk.book, status=Status.PENDING)[0]} == {"TASK-002"}


def test_a_quarantined_note_is_not_shown_until_it_is_released(desk: Desk) -> None:
    """Held back and let go by id; an unknown id changes nothing."""
    ids = [note.id for note in list_notes(desk.book)[0]]
    for note_id in ids:
        assert quarantine(desk.book, note_id)
    assert desk.recall(*SIMILAR) == []
    for note_id in ids:
        release(desk.book, note_id)
    assert desk.recall(*SIMILAR)
    assert quarantine(desk.book, "L-00000000") == []


def test_blame_moves_a_note_down(desk: Desk) -> None:
    """Counted once a ticket, by whichever way it is said."""
    lesson = desk.notes(Kind.LESSON)[0].id
    for ticket in ("TASK-005", "TASK-005", "TASK-006"):
        assert [note.id for note in blame(desk.book, [lesson], ticket)] == [lesson]
    assert desk.note(lesson, kind=Kind.LESSON).harmful == 2


def test_a_purged_ticket_leaves_only_what_others_taught_too(desk: Desk) -> None:
    """Its own notes are gone; a lesson that an unaccepted ticket shares waits for that ticket."""
    desk.finish("TASK-002", "别的页面", "## 踩坑\n- Vercel 构建超时：图片优化要在本地先做完再上传\n")
    deleted = purge(desk.book, "TASK-001")
    assert sorted(path.parent.name for path in deleted) == ["experiences", "patterns"]
    (lesson,) = desk.notes(Kind.LESSON)
    assert (lesson.ticket, lesson.seen_in, lesson.status) == ("TASK-002", ("TASK-002",), Status.PENDING)
    assert desk.recall(*SIMILAR) == []
