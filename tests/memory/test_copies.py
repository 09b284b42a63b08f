"""Memory's history in a company without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_company.errors import Refusal
from hermes_company.folders.atomic import write_atomic
from hermes_company.userspace.memory import copies as module
from hermes_company.userspace.memory.copies import MOST_CHANGES, Copies
from hermes_company.userspace.memory.history import History
from hermes_company.userspace.memory.note import Kind
from tests.memory.desk import SUMMARY, Desk

SIMILAR = "开发 AI 教育产品落地页", "用 Next.js，部署到 Vercel"


class Shop:
    """A company without git, and its history."""

    def __init__(self, root: Path) -> None:
        self.root = root / "company-root"
        self.root.mkdir(exist_ok=True)
        self.desk = Desk(self.root)
        self.folder = self.root / ".hc" / "history"
        self.copies = Copies(self.root, self.folder, now=self.desk.clock.now, write=write_atomic)
        environ = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
        self.history = History(self.root, scratch=self.root / ".hc" / "cache", environ=environ, copies=self.copies)

    def learn(self, ticket: str = "TASK-001", *, approve: bool = True) -> None:
        """A ticket is handed in and accepted, and the history hears of everything."""
        self.history.handle(self.desk.event("ticket.added", ticket, to="todo"))
        self.history.handle(self.desk.finish(ticket, f"开发知识库商品落地页 {ticket}", SUMMARY))
        if approve:
            self.history.handle(self.desk.approve(ticket))


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """An empty company."""
    return Shop(tmp_path)


def refused(shop: Shop, target: str) -> str:
    """The code with which it is not undone."""
    with pytest.raises(Refusal) as caught:
        shop.history.revert(target)
    return caught.value.code


def test_the_latest_changes_are_listed_and_shown(shop: Shop) -> None:
    """One entry an archive and an acceptance, with the day; each is shown as a patch."""
    shop.learn()
    assert not shop.history.recording()
    assert [(c.commit, c.at[:10], c.subject) for c in shop.history.log()] == [
        ("copy-000002", "2026-05-01", "memory: accept TASK-001"),
        ("copy-000001", "2026-05-01", "memory: archive TASK-001"),
    ]
    assert "-status: pending\n" in shop.history.diff("copy-000002")
    assert "+status: approved\n" in shop.history.diff("copy-000002")


def test_what_is_undone_is_gone_from_the_next_prompt(shop: Shop) -> None:
    """Undoing the acceptance hides the notes, undoing the archive removes them, and undoing that brings them back."""
    shop.learn()
    assert shop.desk.recall(*SIMILAR)
    shop.history.revert("copy-000002")
    assert shop.desk.recall(*SIMILAR) == []
    undone = shop.history.revert("copy-000001")
    assert shop.desk.notes(Kind.EXPERIENCE) == []
    assert shop.history.log()[0].subject == "memory: revert copy-000001"
    shop.history.revert(undone)
    assert shop.desk.note("TASK-001").status == "pending"


def test_one_notes_last_change_can_be_undone_by_its_id(shop: Shop) -> None:
    """The others keep theirs."""
    shop.learn()
    lesson = shop.desk.notes(Kind.LESSON)[0]
    shop.history.revert(lesson.id)
    assert shop.desk.note(lesson.id, kind=Kind.LESSON).status == "pending"
    assert shop.desk.note("TASK-001").status == "approved"


def test_what_was_changed_since_is_not_overwritten(shop: Shop) -> None:
    """A refusal, and every file as it was; the same where the copy itself is gone, and for names that are none."""
    shop.learn()
    path = shop.desk.note("TASK-001").path
    path.write_text(path.read_text() + "\n人工补充\n")
    text = path.read_text()
    assert refused(shop, "copy-000002") == "memory-revert-conflict"
    assert path.read_text() == text
    assert refused(shop, "copy-999999") == "memory-commit-unknown"
    assert refused(shop, "--all") == "memory-commit-unknown"
    for blob in (shop.folder / "files").iterdir():
        blob.unlink()
    path.write_text(text.removesuffix("\n人工补充\n"))
    assert refused(shop, "copy-000002") == "memory-revert-conflict"


def test_nothing_is_written_through_a_link(shop: Shop, tmp_path: Path) -> None:
    """A folder that was replaced by a link is not followed out of the company, whether its notes are there or were deleted."""
    shop.learn()
    lessons = shop.root / "memory" / "laohuang" / "lessons"
    for note in lessons.iterdir():
        note.unlink()
    deleted = shop.history.record("memory: purge TASK-001")
    assert deleted is not None
    lessons.rmdir()
    (tmp_path / "outside").mkdir()
    lessons.symlink_to(tmp_path / "outside")
    assert refused(shop, deleted) == "memory-revert-conflict"
    assert refused(shop, "copy-000002") == "memory-revert-conflict"
    assert list((tmp_path / "outside").iterdir()) == []


def test_copies_are_bounded(shop: Shop) -> None:
    """The oldest changes go, and the content that only they needed; what there is now is always kept."""
    shop.copies.begin()
    note = shop.root / "memory" / "laohuang" / "lessons" / "L-1.md"
    note.parent.mkdir(parents=True)
    for number in range(MOST_CHANGES + 5):
        note.write_text(f"{number:06}")
        assert shop.copies.record(f"memory: {number}") is not None
    assert len(shop.copies.log(1000)) == MOST_CHANGES
    assert len(list((shop.folder / "files").iterdir())) <= MOST_CHANGES + 1
    assert shop.copies.revert(shop.copies.log(1)[0].commit) is not None
    assert note.read_text() == f"{MOST_CHANGES + 3:06}"


def test_what_there_was_before_the_first_look_is_nobodys_change(shop: Shop) -> None:
    """A company that has notes already cannot lose them by undoing; nothing new is no entry."""
    shop.desk.finish("TASK-001", "落地页", SUMMARY)
    assert shop.copies.record("memory: first") is None
    assert shop.copies.record("memory: nothing") is None
    assert shop.history.log() == []


@pytest.mark.parametrize("damage", ["[]", "{", ""])
def test_a_damaged_record_begins_anew(shop: Shop, damage: str) -> None:
    """Nothing fails; earlier changes are still listed."""
    shop.learn()
    (shop.folder / "seen.json").write_text(damage)
    assert shop.copies.record("memory: again") is None
    assert len(shop.history.log()) == 2


def test_links_and_large_files_are_not_copied(shop: Shop, tmp_path: Path) -> None:
    """What lies outside the company never gets into its history."""
    shop.copies.begin()
    folder = shop.root / "company" / "skills" / "site"
    folder.mkdir(parents=True)
    (folder / "secret.txt").symlink_to("/etc/passwd")
    (folder / "big.bin").write_bytes(bytes(module._MOST_BYTES + 1))
    assert shop.copies.record("memory: nothing of that") is None
    (folder / "SKILL.md").write_bytes("技能".encode() + b"\xff")
    name = shop.copies.record("memory: one file")
    assert name is not None
    assert "+++ b/company/skills/site/SKILL.md" in shop.copies.diff(name)
    shop.copies.revert(name)
    assert sorted(path.name for path in folder.iterdir()) == ["big.bin", "secret.txt"]
