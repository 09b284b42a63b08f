"""Memory's history in git, beside a person's own work."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hermes_company.errors import Refusal
from hermes_company.userspace.memory.history import AUTHOR, History
from hermes_company.userspace.memory.note import Kind
from tests.memory.desk import SUMMARY, Desk

SIMILAR = "开发 AI 教育产品落地页", "用 Next.js，部署到 Vercel"


class Repository:
    """A company in git, used by a person and by the history."""

    def __init__(self, root: Path) -> None:
        self.root = root / "company-root"
        self.root.mkdir()
        self.environ: Mapping[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(root),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.desk = Desk(self.root)
        self.history = self.new_history()

    def new_history(self, boottime: Callable[[], float] = lambda: 0.0) -> History:
        """The history as another process would begin with it."""
        return History(self.root, scratch=self.root / ".hc" / "cache", environ=self.environ, boottime=boottime)

    def git(self, *words: str) -> str:
        """A person's git command."""
        who = ("-c", "user.name=Li", "-c", "user.email=li@example.com")
        command = ["git", "-C", str(self.root), *who, *words]
        return subprocess.run(command, env=self.environ, check=True, capture_output=True, text=True).stdout

    def found(self) -> None:
        """`git init` and a first commit."""
        self.git("init", "--quiet")
        (self.root / ".gitignore").write_text(".hc/\n/outbox/\n/logs/\n")
        (self.root / "README.md").write_text("one\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", "founded")

    def learn(self, ticket: str = "TASK-001", *, approve: bool = True) -> None:
        """A ticket is finished and accepted, and the history hears of both."""
        self.history.handle(self.desk.finish(ticket, f"开发知识库商品落地页 {ticket}", SUMMARY))
        if approve:
            self.history.handle(self.desk.approve(ticket))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A company with one commit of a person."""
    repository = Repository(tmp_path)
    repository.found()
    return repository


def test_every_change_of_memory_is_a_commit_of_its_own(repository: Repository) -> None:
    """By the orchestrator, with the ticket, and nothing left over."""
    repository.learn()
    assert [(c.author, c.subject) for c in repository.history.log()] == [
        (AUTHOR, "memory: accept TASK-001"),
        (AUTHOR, "memory: archive TASK-001"),
    ]
    assert "Ticket: TASK-001" in repository.git("log", "-1", "--format=%B")
    assert repository.git("status", "--porcelain") == ""


def test_many_that_end_at_once_share_a_commit(repository: Repository) -> None:
    """Commits of what attempts leave take a tenth of the time at most; a person's decision is committed at once."""
    seconds = itertools.count()
    repository.history = repository.new_history(lambda: float(next(seconds)))
    for number in range(1, 5):
        repository.learn(f"TASK-00{number}", approve=False)
    early = [change.subject for change in repository.history.log()]
    repository.history.handle(repository.desk.approve("TASK-003"))
    decided = [change.subject for change in repository.history.log()]

    assert early == ["memory: archive TASK-001"]
    assert decided == ["memory: accept TASK-003 and 2 more", *early]
    assert "Tickets: TASK-002 TASK-004 TASK-003" in repository.git("log", "-1", "--format=%B")
    assert repository.git("status", "--porcelain") == ""


def test_what_is_owed_is_committed_when_there_is_time(repository: Repository) -> None:
    """Any later event will do."""
    seconds = itertools.count()
    repository.history = repository.new_history(lambda: float(next(seconds)))
    repository.learn("TASK-001", approve=False)
    repository.learn("TASK-002", approve=False)
    for _ in range(20):
        repository.history.handle(repository.desk.event("ticket.added", "TASK-009", to="todo"))

    assert [change.subject for change in repository.history.log()] == ["memory: archive TASK-002", "memory: archive TASK-001"]


def test_nothing_new_is_no_commit(repository: Repository) -> None:
    """The same event again leaves the history as it is."""
    repository.learn()
    before = repository.git("rev-parse", "HEAD")
    assert repository.history.record("memory: again") is None
    assert repository.git("rev-parse", "HEAD") == before


def test_a_persons_work_is_untouched(repository: Repository) -> None:
    """Staged, half-staged and unstaged changes stay exactly what they were, inside and outside of memory."""
    repository.learn("TASK-001")
    note = repository.desk.notes(Kind.LESSON)[0].path
    place = str(note.relative_to(repository.root))
    staged = note.read_text() + "\n人工补充\n"
    note.write_text(staged)
    (repository.root / "README.md").write_text("staged\n")
    repository.git("add", "README.md", place)
    (repository.root / "README.md").write_text("not staged\n")
    note.write_text(staged + "还没写完\n")

    repository.learn("TASK-002")
    assert "TASK-002" in note.read_text()
    assert repository.git("show", f":{place}") == staged
    assert repository.git("show", ":README.md") == "staged\n"
    assert repository.git("show", "HEAD:README.md") == "one\n"
    assert (repository.root / "README.md").read_text() == "not staged\n"


def test_a_person_in_the_middle_of_a_merge_is_left_alone(repository: Repository) -> None:
    """No commit slips in between; the change goes into the next one."""
    (repository.root / ".git" / "MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD"))
    repository.learn("TASK-001")
    assert repository.git("log", "--format=%s") == "founded\n"
    (repository.root / ".git" / "MERGE_HEAD").unlink()
    repository.learn("TASK-002")
    assert "memory/laohuang/experiences/TASK-001.md" in repository.git("ls-tree", "-r", "--name-only", "HEAD")


def test_hooks_of_the_repository_are_not_run(repository: Repository) -> None:
    """An agent that can write a hook must not have the orchestrator run it."""
    for name in ("pre-commit", "post-commit", "reference-transaction", "post-index-change"):
        hook = repository.root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{repository.root}/hooked'\n")
        hook.chmod(0o755)
    repository.learn()
    assert not (repository.root / "hooked").exists()
    assert len(repository.history.log()) == 2


def test_a_repository_without_any_commit_gets_its_first(tmp_path: Path) -> None:
    """The person may not have committed yet; only memory is in ours."""
    repository = Repository(tmp_path)
    repository.git("init", "--quiet")
    (repository.root / "README.md").write_text("mine\n")
    repository.learn()
    assert set(repository.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()) == {
        f"memory/{note.path.relative_to(repository.root / 'memory')}" for kind in Kind for note in repository.desk.notes(kind)
    }


def test_a_reverted_commit_is_gone_from_the_next_prompt(repository: Repository) -> None:
    """Undoing the acceptance hides the notes, undoing the archive removes them; the undoing is recorded too."""
    repository.learn()
    assert repository.desk.recall(*SIMILAR)
    accepted, archived = (change.commit for change in repository.history.log())
    repository.history.revert(accepted)
    assert repository.desk.recall(*SIMILAR) == []
    repository.history.revert(archived)
    assert repository.desk.notes(Kind.EXPERIENCE) == []
    assert repository.git("status", "--porcelain") == ""
    assert repository.history.log()[0].subject == f"memory: revert {archived}"


def test_one_notes_last_change_can_be_undone_by_its_id(repository: Repository) -> None:
    """The others keep theirs."""
    repository.learn()
    lesson = repository.desk.notes(Kind.LESSON)[0]
    repository.history.revert(lesson.id)
    assert repository.desk.note(lesson.id, kind=Kind.LESSON).status == "pending"
    assert repository.desk.note("TASK-001").status == "approved"


def test_what_was_changed_since_is_not_overwritten(repository: Repository) -> None:
    """A refusal with the way out, and every file as it was."""
    repository.learn(approve=False)
    archived = repository.history.log()[0].commit
    path = repository.desk.note("TASK-001").path
    path.write_text(path.read_text().replace("status: pending", "status: quarantined"))
    text = path.read_text()
    with pytest.raises(Refusal) as refused:
        repository.history.revert(archived)
    assert refused.value.code == "memory-revert-conflict"
    assert path.read_text() == text


def test_a_commit_shows_what_it_changed(repository: Repository) -> None:
    """As a patch of memory and skills only."""
    repository.learn()
    patch = repository.history.diff(repository.history.log()[0].commit)
    assert "+status: approved" in patch


@pytest.mark.parametrize("word", ["nonsense", "--output=x", "HEAD~99"])
def test_an_unknown_commit_is_refused(repository: Repository, word: str) -> None:
    """Also one that looks like an option."""
    with pytest.raises(Refusal) as refused:
        repository.history.diff(word)
    assert refused.value.code == "memory-commit-unknown"


def test_without_a_repository_nothing_fails(tmp_path: Path) -> None:
    """The program does nothing, the log is empty, and reverting says what is missing."""
    repository = Repository(tmp_path)
    repository.learn()
    assert not repository.history.recording()
    assert repository.history.log() == []
    with pytest.raises(Refusal) as refused:
        repository.history.revert("HEAD")
    assert refused.value.code == "memory-history-missing"


def test_a_repository_around_the_company_is_not_ours(tmp_path: Path) -> None:
    """A company inside somebody's project does not commit into it."""
    outer = Repository(tmp_path)
    outer.found()
    inner = History(outer.root / "memory", scratch=tmp_path / "scratch", environ=outer.environ)
    (outer.root / "memory").mkdir(exist_ok=True)
    assert not inner.recording()
