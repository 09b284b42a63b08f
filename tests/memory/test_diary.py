"""The diary that people read."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.run import Attempt
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.events import Event
from hermes_company.userspace.diary import Diary
from hermes_company.wording import Lang

AT = "2026-05-01T09:00:05.250+00:00"


def diary(root: Path, lang: Lang = "zh") -> Diary:
    """A diary over a company with one attempt of TASK-001 by laohuang."""
    return Diary(root / "logs", lang=lang, runs=RunFiles(Layout(root)), zone=UTC)


def happened(seq: int, kind: str, *, ticket: str | None = "TASK-001", agent: str | None = "laohuang", **data: Any) -> Event:
    """An event of the first of May."""
    return Event(seq=seq, at=AT, kind=kind, ticket=ticket, agent=agent, attempt=1, data=data)


def written(root: Path, agent: str = "laohuang") -> str:
    """The agent's page of that day."""
    return (root / "logs" / agent / "2026-05-01.md").read_text()


def test_a_day_reads_like_a_diary(tmp_path: Path) -> None:
    """A heading, then a line an event with its time, ticket and number."""
    book = diary(tmp_path)
    book.handle(happened(1, "attempt.started", engine="codex", title="落地页"))
    book.handle(happened(2, "attempt.closed", outcome="finished"))
    assert written(tmp_path) == (
        "# 2026-05-01 laohuang\n\n"
        "- 09:00:05 TASK-001 开始第 1 次尝试（codex）：落地页 (#1)\n"
        "- 09:00:05 TASK-001 完成第 1 次尝试，等待验收 (#2)\n"
    )


def test_it_is_written_in_the_companys_language(tmp_path: Path) -> None:
    """English where the company speaks English."""
    diary(tmp_path, "en").handle(happened(1, "ticket.rejected", feedback="make it faster"))
    assert "TASK-001 was sent back: make it faster (#1)" in written(tmp_path)


def test_an_event_that_comes_again_is_not_written_again(tmp_path: Path) -> None:
    """After a crash the same events are handed over once more, also to a new process."""
    for _ in range(2):
        book = diary(tmp_path)
        book.handle(happened(1, "ticket.approved"))
        book.handle(happened(2, "ticket.removed"))
    assert written(tmp_path).count("(#") == 2


def test_a_torn_line_is_closed_off(tmp_path: Path) -> None:
    """Half a line of a crash stays; the next one begins on its own."""
    diary(tmp_path).handle(happened(1, "ticket.approved"))
    with (tmp_path / "logs/laohuang/2026-05-01.md").open("a") as file:
        file.write("- 09:00:05 TASK-001 was re")
    diary(tmp_path).handle(happened(2, "ticket.removed"))
    assert written(tmp_path).splitlines()[-1] == "- 09:00:05 TASK-001 被删除 (#2)"


def test_an_event_without_an_agent_goes_to_who_worked_on_the_ticket(tmp_path: Path) -> None:
    """A person's approval belongs into the diary of the agent that did the work; what is nobody's is left out."""
    at = datetime(2026, 5, 1, tzinfo=UTC)
    run = Attempt(
        ticket="TASK-001", number=1, agent="laohuang", engine="shell", token="t", session_id="s", taken_at=at, lease_expires=at
    )
    RunFiles(Layout(tmp_path)).open(run)
    diary(tmp_path).handle(happened(1, "ticket.approved", agent=None))
    diary(tmp_path).handle(happened(2, "ticket.added", agent=None, ticket="TASK-777", to="todo"))
    assert "已通过验收" in written(tmp_path)
    assert [p.name for p in (tmp_path / "logs").iterdir()] == ["laohuang"]


@pytest.mark.parametrize("kind", ["something.new", "memory.skipped"])
def test_an_unknown_event_still_leaves_a_line(tmp_path: Path, kind: str) -> None:
    """Nothing that happened to an agent is left out, even what this version has no sentence for."""
    diary(tmp_path).handle(happened(1, kind))
    assert "(#1)" in written(tmp_path)


def test_no_secret_reaches_the_diary(tmp_path: Path) -> None:
    """Reasons and feedback are other people's text."""
    diary(tmp_path).handle(happened(1, "ticket.rejected", feedback="密码是 Xk29sLq8，别再用"))
    assert "Xk29" not in written(tmp_path)


def test_a_linked_page_is_not_followed(tmp_path: Path) -> None:
    """An agent cannot have the orchestrator write elsewhere."""
    folder = tmp_path / "logs" / "laohuang"
    folder.mkdir(parents=True)
    (folder / "2026-05-01.md").symlink_to(tmp_path / "elsewhere.md")
    with pytest.raises(OSError, match="symbolic"):
        diary(tmp_path).handle(happened(1, "ticket.approved"))
    assert not (tmp_path / "elsewhere.md").exists()
