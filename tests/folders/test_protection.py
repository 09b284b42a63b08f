"""The company's own files around an attempt."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from hermes_company.folders.layout import Layout
from hermes_company.folders.protection import FolderProtection
from hermes_company.ports.protection import Change
from tests.fakes.crashing import Crash, Plan
from tests.support.companies import new_company, tree
from tests.support.tmux import until


class Attempt:
    """A company with one attempt in it."""

    def __init__(self, layout: Layout, ticket: str = "T-1", *, opened: Sequence[Path] = ()) -> None:
        self.layout = layout
        self.run_dir = layout.run(ticket, 1)
        self.run_dir.mkdir(parents=True)
        layout.open_runs.mkdir(exist_ok=True)
        (layout.open_runs / ticket).write_text("1")
        self.protection = FolderProtection(layout)
        self.protection.snapshot(self.run_dir, open_to=[layout.outbox("ann", ticket), *opened])

    def report(self, event: str, after: float = 0.0, **fields: str) -> None:
        """What the engine reports, so many seconds from now."""
        with (self.run_dir / "signals.jsonl").open("a") as file:
            file.write(json.dumps({"event": event, "at": time.time() + after, **fields}) + "\n")

    def command_runs(self) -> None:
        """A command has just begun and ends in a minute."""
        self.report("PreToolUse", -1, tool="Bash")
        self.report("PostToolUse", 60)

    def command_ran(self) -> None:
        """A command ran a minute ago."""
        self.report("PreToolUse", -60, tool="Bash")
        self.report("PostToolUse", -50)

    def end(self) -> Mapping[str, Change]:
        """What is found at the end, by path."""
        return {change.path: change for change in self.protection.restore(self.run_dir)}

    def kept(self, change: Change) -> str:
        """The text of the version that isn't in its place."""
        assert change.kept
        return (self.run_dir / change.kept).read_text()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A company with agents."""
    return new_company(tmp_path / "co", samples=True)


@pytest.fixture
def attempt(layout: Layout) -> Attempt:
    """One of its attempts, just started."""
    return Attempt(layout)


def everything(layout: Layout) -> dict[str, bytes | None]:
    """All of the company but the orchestrator's own."""
    return {path: data for path, data in tree(layout.root).items() if not path.startswith(".hc")}


def test_nothing_changed(layout: Layout, attempt: Attempt) -> None:
    """Where nothing was changed nothing is told, and nothing is touched."""
    before = everything(layout)
    attempt.command_runs()

    assert attempt.end() == {}
    assert everything(layout) == before


def test_an_agents_changes_are_put_back(layout: Layout, attempt: Attempt) -> None:
    """What a command of the agent changed, made and deleted is as before, and the agent's versions lie beside the attempt."""
    before = everything(layout)
    rules = layout.company / "SECURITY_RULES.md"
    attempt.command_runs()
    rules.write_text("do as you like")
    (layout.company / "skills" / "mine").mkdir()
    (layout.company / "skills" / "mine" / "SKILL.md").write_text("obey me")
    (layout.runners / "base.md").unlink()
    layout.profile_json("worker").write_text("{}")
    layout.settings_file.write_text("name: mine")
    found = attempt.end()

    assert {path: data for path, data in everything(layout).items() if data is not None} == {
        path: data for path, data in before.items() if data is not None
    }
    assert sorted(found) == [
        "agents/worker/profile.json",
        "company.yaml",
        "company/SECURITY_RULES.md",
        "company/skills/mine/SKILL.md",
        "runners/base.md",
    ]
    assert all(change.put_back for change in found.values())
    assert attempt.kept(found["company/SECURITY_RULES.md"]) == "do as you like"
    assert attempt.kept(found["company/skills/mine/SKILL.md"]) == "obey me"
    assert found["runners/base.md"].kept is None
    assert "is as before again" in str(found["company.yaml"].says)


def test_permissions_are_put_back(layout: Layout, attempt: Attempt) -> None:
    """A file that was made writable for everybody is so no longer."""
    rules = layout.company / "COMPANY.md"
    rules.chmod(0o666)
    attempt.command_runs()
    rules.chmod(0o666)
    attempt.end()

    assert rules.stat().st_mode & 0o777 == 0o644


def test_a_persons_changes_are_left(layout: Layout, attempt: Attempt) -> None:
    """What was changed while no command of the agent ran is a person's: it stays and is told, with the version from before."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    attempt.command_ran()
    rules.write_text("new words")
    (layout.company / "NEW.md").write_text("new file")
    (layout.runners / "feedback.md").unlink()
    found = attempt.end()

    assert rules.read_text() == "new words"
    assert (layout.company / "NEW.md").read_text() == "new file"
    assert not (layout.runners / "feedback.md").exists()
    assert [(path, change.put_back) for path, change in sorted(found.items())] == [
        ("company/COMPANY.md", False),
        ("company/NEW.md", False),
        ("runners/feedback.md", False),
    ]
    assert attempt.kept(found["company/COMPANY.md"]) == before
    assert "it was left" in str(found["company/NEW.md"].says)


def test_an_engine_that_reports_nothing_leaves_doubt(layout: Layout, attempt: Attempt) -> None:
    """Where nothing is known of the engine's commands, nothing is undone; both versions are there."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    rules.write_text("new words")
    found = attempt.end()

    assert rules.read_text() == "new words"
    assert attempt.kept(found["company/COMPANY.md"]) == before


def test_file_tools_are_no_doubt(layout: Layout, attempt: Attempt) -> None:
    """While a tool runs that the guard has judged exactly, a change is not the agent's."""
    attempt.report("PreToolUse", -1, tool="Edit")
    attempt.report("PostToolUse", 60)
    (layout.company / "COMPANY.md").write_text("new words")

    assert not attempt.end()["company/COMPANY.md"].put_back


def test_a_forged_time_does_not_help(layout: Layout, attempt: Attempt) -> None:
    """A file's own time stamp can be set to anything; when it was changed can't."""
    rules = layout.company / "COMPANY.md"
    attempt.command_runs()
    rules.write_text("mine")
    os.utime(rules, (1_000_000_000, 1_000_000_000))

    assert attempt.end()["company/COMPANY.md"].put_back


def test_tickets_and_outboxes_are_left_alone(layout: Layout, attempt: Attempt) -> None:
    """A person's move of a ticket, a memory, an outbox and the orchestrator's own files are none of its business."""
    attempt.command_runs()
    (layout.tasks / "todo" / "NEW.md").write_text("x")
    (layout.memory / "m.md").write_text("x")
    layout.outbox("ann", "T-1").mkdir(parents=True)
    layout.runtime_json("worker").write_text("{}")

    assert attempt.end() == {}
    assert (layout.tasks / "todo" / "NEW.md").exists()


def test_a_folder_that_was_opened(layout: Layout) -> None:
    """A ticket whose workdir a person put into a protected folder may change what is there, and nothing beside it."""
    skills = layout.company / "skills"
    attempt = Attempt(layout, opened=[skills, layout.root])
    attempt.command_runs()
    (skills / "new.md").write_text("x")
    (layout.company / "COMPANY.md").write_text("mine")

    assert list(attempt.end()) == ["company/COMPANY.md"]
    assert (skills / "new.md").read_text() == "x"


def test_a_link_leads_nowhere(layout: Layout, attempt: Attempt, tmp_path: Path) -> None:
    """A folder that was exchanged for a link is a folder again, and nothing was written where the link led."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = everything(layout)
    attempt.command_runs()
    layout.company.rename(elsewhere / "old")
    layout.company.symlink_to(elsewhere / "old")
    (elsewhere / "old" / "COMPANY.md").write_text("mine")
    attempt.end()

    assert not layout.company.is_symlink()
    assert {p: d for p, d in everything(layout).items() if d is not None} == {p: d for p, d in before.items() if d is not None}
    assert (elsewhere / "old" / "COMPANY.md").read_text() == "mine"


def test_a_persons_link_is_not_written_through(layout: Layout, attempt: Attempt, tmp_path: Path) -> None:
    """Where a link was left in its place, nothing below it is put back through it."""
    attempt.command_ran()
    layout.runners.rename(tmp_path / "mine")
    layout.runners.symlink_to(tmp_path / "mine")
    (tmp_path / "mine" / "base.md").write_text("my own")
    found = attempt.end()

    assert layout.runners.is_symlink()
    assert (tmp_path / "mine" / "base.md").read_text() == "my own"
    assert not any(change.put_back for change in found.values())


def test_an_agent_at_work_behind_a_persons_link(layout: Layout, attempt: Attempt, tmp_path: Path) -> None:
    """What a command of the agent changed behind such a link can't be put back, and is told of."""
    layout.runners.rename(tmp_path / "mine")
    layout.runners.symlink_to(tmp_path / "mine")
    begins = time.time() + 0.1
    until(lambda: time.time() > begins, seconds=30, what="the command's time")
    attempt.report("PreToolUse", tool="Bash")
    (tmp_path / "mine" / "base.md").write_text("the agent's")
    found = attempt.end()

    assert (tmp_path / "mine" / "base.md").read_text() == "the agent's"
    assert not found["runners/base.md"].put_back


def test_a_folder_in_a_files_place(layout: Layout, attempt: Attempt) -> None:
    """A file that was exchanged for a folder is a file again; what was in the folder is kept."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    attempt.command_runs()
    rules.unlink()
    rules.mkdir()
    (rules / "inner").write_text("mine")
    found = attempt.end()

    assert rules.read_text() == before
    assert attempt.kept(found["company/COMPANY.md/inner"]) == "mine"


def test_large_files_are_told_of(layout: Layout) -> None:
    """A file too large to be kept is told of; the agent's version stays aside, so that nobody takes it for the right one."""
    large = layout.company / "skills" / "model.bin"
    large.write_bytes(b"x" * 1_100_000)
    attempt = Attempt(layout)
    attempt.command_runs()
    large.write_bytes(b"y" * 1_100_000)
    change = attempt.end()["company/skills/model.bin"]

    assert not change.put_back
    assert "is not kept" in str(change.says)


def test_asked_again_it_answers_the_same(layout: Layout, attempt: Attempt) -> None:
    """After a crash the end of an attempt is gone through again: the same is told, and what came later is left alone."""
    attempt.command_runs()
    (layout.company / "COMPANY.md").write_text("mine")
    found = attempt.end()
    (layout.company / "COMPANY.md").write_text("a person's")

    assert list(found) == ["company/COMPANY.md"]
    assert attempt.end() == found
    assert (layout.company / "COMPANY.md").read_text() == "a person's"


class Dying(FolderProtection):
    """Gone at the n-th step of putting things back, before or after it has had its effect."""

    def __init__(self, layout: Layout, plan: Plan) -> None:
        super().__init__(layout)
        self._plan = plan

    def _set_aside(self, run_dir: Path, path: str) -> None:
        self._plan.call("set aside", super()._set_aside, run_dir, path)

    def _write(self, place: Path, seen: object) -> bool:
        return bool(self._plan.call("write", super()._write, place, seen))

    def _leave(self, *given: object) -> Change:
        change: Change = self._plan.call("leave", super()._leave, *given)
        return change

    def _tell_others(self, paths: Sequence[str]) -> None:
        self._plan.call("tell others", super()._tell_others, paths)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(7))
def test_killed_while_putting_back(layout: Layout, attempt: Attempt, at: int, after: bool) -> None:
    """Killed at any step, the next one finishes it: all is as before, and every change is told of with the agent's version."""
    before = {path: data for path, data in everything(layout).items() if data is not None}
    attempt.command_runs()
    (layout.company / "COMPANY.md").write_text("mine")
    (layout.company / "NEW.md").write_text("new")
    (layout.runners / "base.md").unlink()
    layout.settings_file.write_text("name: mine")
    attempt.protection = Dying(layout, Plan(at=at, after=after))
    with pytest.raises(Crash):
        attempt.end()
    attempt.protection = FolderProtection(layout)
    found = attempt.end()

    assert {path: data for path, data in everything(layout).items() if data is not None} == before
    assert sorted(found) == ["company.yaml", "company/COMPANY.md", "company/NEW.md", "runners/base.md"]
    assert all(change.put_back for change in found.values())
    assert attempt.kept(found["company/COMPANY.md"]) == "mine"
    assert attempt.kept(found["company/NEW.md"]) == "new"


def test_a_later_change_is_not_taken_for_the_agents(layout: Layout, attempt: Attempt) -> None:
    """What a person writes between a crash and the next start stays, though the agent's version was put aside before it."""
    rules = layout.company / "COMPANY.md"
    attempt.command_runs()
    rules.write_text("mine")
    attempt.protection = Dying(layout, Plan(at=0, after=True))
    with pytest.raises(Crash):
        attempt.end()
    rules.write_text("a person's")
    attempt.protection = FolderProtection(layout)
    found = attempt.end()

    assert rules.read_text() == "a person's"
    assert attempt.kept(found["company/COMPANY.md"]) == "mine"


class Reading(FolderProtection):
    """Counts what is read."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.read: list[str] = []

    def _read(self, place: Path) -> bytes | None:
        self.read.append(place.name)
        return super()._read(place)


def test_only_what_changed_is_read(layout: Layout) -> None:
    """From the second attempt on only files with a new time stamp are read; and those that a kept copy is missing of."""
    grown = time.time() + 0.1
    until(lambda: time.time() > grown, seconds=30, what="files that are no longer young")
    protection = Reading(layout)
    attempt = Attempt(layout)
    for number in (2, 3, 4):
        layout.run("T-1", number).mkdir()
        if number == 3:
            assert "COMPANY.md" in protection.read
            protection.read.clear()
            (layout.company / "COMPANY.md").write_text("new words")
        if number == 4:
            assert protection.read == ["COMPANY.md"]
            protection.read.clear()
            kept = next(file for file in layout.kept.iterdir() if file.read_bytes() == layout.settings_file.read_bytes())
            kept.unlink()
        protection.snapshot(layout.run("T-1", number))

    assert set(protection.read) <= {"company.yaml", "COMPANY.md"}
    assert kept.exists()
    assert attempt.end()["company/COMPANY.md"].kept


@pytest.mark.parametrize("text", [None, "", "[]", '{"files": 1}', '{"files": {"a": 1}, "open": []}'])
def test_what_was_before_is_gone(layout: Layout, attempt: Attempt, text: str | None) -> None:
    """Where somebody took away or broke what was remembered, that is told, each time, and nothing is touched."""
    (attempt.run_dir / "prompt.md").touch()
    before = everything(layout)
    manifest = attempt.run_dir / "protected.json"
    manifest.unlink() if text is None else manifest.write_text(text)
    found = attempt.end()

    assert "can't be read any more" in str(next(iter(found.values())).says)
    assert attempt.end() == found
    assert everything(layout) == before


def test_an_attempt_that_never_began(layout: Layout, attempt: Attempt) -> None:
    """Without a start there is nothing to compare, and nothing to tell."""
    (attempt.run_dir / "protected.json").unlink()

    assert attempt.end() == {}


def test_an_end_without_changes_is_not_told_twice(layout: Layout, attempt: Attempt) -> None:
    """After a crash, an end that found nothing finds nothing again."""
    (attempt.run_dir / "prompt.md").touch()

    assert (attempt.end(), attempt.end()) == ({}, {})


def test_names_in_other_encodings(layout: Layout, attempt: Attempt) -> None:
    """A file whose name is not UTF-8 is taken away as any other, and told of in a way that can be written down."""
    attempt.command_runs()
    strange = os.fsencode(layout.company) + b"/\xff.md"
    with open(strange, "wb") as file:  # noqa: PTH123 - the name is bytes
        file.write(b"x")
    (change,) = attempt.end().values()

    assert change.put_back
    assert change.path == "company/\\udcff.md"
    assert not os.path.lexists(strange)


def test_a_launch_that_is_repeated(layout: Layout, attempt: Attempt) -> None:
    """What was remembered first counts: when a launch is repeated, the attempt may have begun already."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    attempt.command_runs()
    rules.write_text("mine")
    attempt.protection.snapshot(attempt.run_dir)
    attempt.end()

    assert rules.read_text() == before


def test_attempts_side_by_side(layout: Layout, attempt: Attempt) -> None:
    """An attempt that began with another one's change doesn't bring it back when it ends."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    attempt.command_runs()
    rules.write_text("mine")
    other = Attempt(layout, "T-2")
    other.command_runs()

    assert attempt.end()["company/COMPANY.md"].put_back
    assert other.end() == {}
    assert rules.read_text() == before


def test_the_other_ones_end_leaves_it_to_the_first(layout: Layout, attempt: Attempt) -> None:
    """An attempt that ends first leaves another one's change where it is, and that one's end puts it back."""
    rules = layout.company / "COMPANY.md"
    before = rules.read_text()
    other = Attempt(layout, "T-2")
    other.command_ran()
    attempt.command_runs()
    rules.write_text("mine")

    assert not other.end()["company/COMPANY.md"].put_back
    assert attempt.end()["company/COMPANY.md"].put_back
    assert rules.read_text() == before


def test_contents_are_kept_once(layout: Layout) -> None:
    """A hundred attempts with the same rules keep them once."""
    Attempt(layout, "T-1")
    kept = sorted(layout.kept.iterdir())
    Attempt(layout, "T-2")

    assert sorted(layout.kept.iterdir()) == kept
    assert all(file.stat().st_mode & 0o077 == 0 for file in kept)


def test_what_hc_itself_changes_is_nobodys_fault(layout: Layout) -> None:
    """A skill that is approved and an agent that is added while a command runs stay; what else was changed is put back."""
    draft = layout.skill_drafts / "pages"
    draft.mkdir(parents=True)
    (draft / "SKILL.md").write_text("pages")
    attempt = Attempt(layout)
    attempt.command_runs()
    draft.rename(layout.skills / "pages")
    (layout.agent("new")).mkdir()
    layout.profile_json("new").write_text("{}")
    (layout.skills / "forged").mkdir()
    (layout.skills / "forged" / "SKILL.md").write_text("obey")

    FolderProtection(layout).vouch([draft, layout.skills / "pages", layout.agent("new"), layout.root / "elsewhere"])
    found = attempt.end()

    assert list(found) == ["company/skills/forged/SKILL.md"]
    assert (layout.skills / "pages" / "SKILL.md").read_text() == "pages"
    assert layout.profile_json("new").exists()
    assert not (layout.skills / "forged" / "SKILL.md").exists()
