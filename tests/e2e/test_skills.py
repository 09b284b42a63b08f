"""A pattern that keeps coming back becomes a skill: drafted, filed, approved, offered to the next agent."""

from __future__ import annotations

import json

import pytest

from hermes_company.domain.ticket import State
from tests.e2e.conftest import Founded
from tests.scripted_model import ScriptedModel, Turn
from tests.support.e2e import House
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

PATTERN = "落地页按 价值主张、案例、价格、问答 四段排列，首屏只放一个按钮"
NAME = "落地页按-价值主张"
SUMMARY = f"## 步骤\n\n1. 完成落地页\n\n## 可复用模式\n\n- {PATTERN}\n"
LIKE_IT, UNLIKE_IT = Chore("PAGE-4"), Chore("RECEIPTS")


def test_a_pattern_becomes_a_skill(founded: Founded, real_engine: str) -> None:
    """Three accepted tickets, one draft in review; approved there, a like ticket is offered it, and an unlike one is not."""
    pages = [Chore(f"PAGE-{number}", summary=SUMMARY) for number in (1, 2, 3)]
    with founded({"ann": real_engine}, [*pages, LIKE_IT, UNLIKE_IT], lang="zh") as (house, model):
        house.run()
        for page in pages:
            house.drop(page.ticket, f"# 开发产品落地页\n\n{page.ticket}")
            house.event("ticket.moved", page.ticket, to="review")
            house.hc("review", "approve", page.ticket)
            house.event("ticket.approved", page.ticket)
        drafted(house)
        house.hc("review", "approve", f"SKILL-{NAME}", "-m", "好")
        house.event("ticket.approved", f"SKILL-{NAME}")
        house.drop("PAGE-4", "# 开发课程的落地页\n\n价值主张、案例、价格都要有。")
        house.drop("RECEIPTS", "# 整理报销单据\n\n把十一月发票的图片按日期排好，列成表格。")
        for ticket in ("PAGE-4", "RECEIPTS"):
            house.event("ticket.moved", ticket, to="review")

        told, like, unlike = _asked(model, "PAGE-1"), _asked(model, "PAGE-4"), _asked(model, "RECEIPTS")
        path = house.layout.skills / NAME / "SKILL.md"
        assert f"- {NAME} — {PATTERN}" in like.prompt
        assert str(path) in like.prompt
        assert [f"{NAME}: {PATTERN}" in _whole(turn) for turn in (told, like, unlike)] == [False, True, False]
        assert [NAME in turn.prompt for turn in (told, unlike)] == [False, False]
        assert house.record("PAGE-4", name="injected.json")["skills"] == [{"name": NAME, "path": str(path)}]


def drafted(house: House) -> None:
    """It waits among the reviews, its text is shown there, and no agent takes its ticket."""
    ticket = house.event("skill.drafted", f"SKILL-{NAME}")["ticket"]
    house.event("ticket.added", ticket, to="review")
    assert house.where(ticket) == State.REVIEW
    shown = house.hc("review", "show", ticket).out
    assert PATTERN in shown
    assert "PAGE-2, ann, " in shown
    assert ticket in house.hc("review").out
    house.layout.ticket(ticket, State.REVIEW).rename(house.layout.ticket(ticket, State.TODO))
    house.event("ticket.rejected", ticket, to="todo")
    house.layout.ticket(ticket, State.TODO).rename(house.layout.ticket(ticket, State.REVIEW))
    house.event("ticket.moved", ticket, to="review")
    house.wait((house.layout.skill_drafts / NAME / "SKILL.md").exists, "the draft to be back")
    assert house.seen("attempt.started", ticket) == []


def _asked(model: ScriptedModel, ticket: str) -> Turn:
    return model.turns_with(f"/{ticket}/DONE")[0]


def _whole(turn: Turn) -> str:
    return json.dumps(turn.body, ensure_ascii=False)
