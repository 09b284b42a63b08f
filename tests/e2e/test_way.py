"""A ticket's whole way: dropped, claimed, done, reviewed, remembered."""

from __future__ import annotations

import pytest

from hermes_company.domain.ticket import State
from tests.e2e.conftest import Founded
from tests.scripted_model import ScriptedModel
from tests.support.e2e import House
from tests.support.e2e_work import GATE, Chore

pytestmark = pytest.mark.timeout(300)

PITFALL = "静态导出时 next/image 的图片优化不可用：要在 next.config 里设 images.unoptimized"
SUMMARY = f"## 步骤\n\n1. 完成商品落地页\n\n## 产出物\n\n- `index.html`\n\n## 踩坑\n\n- {PITFALL}\n"
FIRST = Chore("LANDING-1", (GATE, 'echo "<h1>商品</h1>" > index.html'), SUMMARY)
LIKE_IT = Chore("LANDING-2")
UNLIKE_IT = Chore("RECEIPTS")


def test_ticket_teaches_the_next_one(founded: Founded, engine: str) -> None:
    """A ticket dropped by hand is claimed, done in the agent's window, accepted; what it taught reaches a similar one only."""
    with founded({"ann": engine}, [FIRST, LIKE_IT, UNLIKE_IT], lang="zh") as (house, model):
        loop = house.run()
        text = FIRST.asked("# 开发知识库商品落地页\n\n用 Next.js 做商品落地页，图片懒加载，静态导出。")
        house.drop("LANDING-1", text)

        claimed_and_at_work(house, engine, text)
        house.open_gate("LANDING-1")
        handed_in(house, text)
        house.hc("review", "approve", "LANDING-1", "-m", "好")
        remembered(house)
        house.drop("LANDING-2", LIKE_IT.asked("---\ntitle: 商品详情落地页\nowner: ann\n---\n再做一个商品落地页，图片懒加载。"))
        house.drop("RECEIPTS", UNLIKE_IT.asked("# 整理报销单据\n\n把十一月发票的图片按日期排好，列成表格。"))
        for ticket in ("LANDING-2", "RECEIPTS"):
            house.event("ticket.moved", ticket, to="review")

        assert PITFALL in told(house, model, engine, "LANDING-2")
        assert "来自 LANDING-1" in told(house, model, engine, "LANDING-2")
        assert "next/image" not in told(house, model, engine, "RECEIPTS")
        assert "LANDING-1" not in told(house, model, engine, "RECEIPTS")
        assert loop.interrupt() == 0


def claimed_and_at_work(house: House, engine: str, text: str) -> None:
    """It was moved by us from todo to doing, the agent is busy in its own window, and no byte of the person's is changed."""
    house.event("ticket.moved", "LANDING-1", by="hc", to="doing", **{"from": "todo"})
    house.wait((house.layout.outbox("ann", "LANDING-1") / "gate").exists, "the agent at work")
    assert house.where("LANDING-1") == "doing"
    assert house.text("LANDING-1").endswith(text)
    status = house.hc("status", "--json").json
    assert [(run["ticket"], run["agent"], run["engine"], run["window"]) for run in status["running"]] == [
        ("LANDING-1", "ann", engine, "agent_ann")
    ]
    assert [(agent["name"], agent["status"]) for agent in status["agents"]] == [("ann", "busy")]
    assert status["loop"]["pid"] == house.loops[0].pid
    assert set(house.panes()) == {"company", "agent_ann"}
    assert house.panes()["agent_ann"].pid == house.record("LANDING-1", name="started.json")["pid"]
    assert house.hc("why", "LANDING-1", "--json").json["code"] == "running"


def handed_in(house: House, text: str) -> None:
    """What the agent wrote lies in its outbox, and a person is asked."""
    house.event("attempt.closed", "LANDING-1", outcome="finished", moved_to="review")
    outbox = house.layout.outbox("ann", "LANDING-1")
    assert (outbox / "summary.md").read_text().startswith(SUMMARY.rstrip())
    assert (outbox / "DONE").read_text().strip() == house.record("LANDING-1")["token"]
    assert (outbox / "index.html").read_text() == "<h1>商品</h1>\n"
    assert house.living("LANDING-1") == ()
    assert house.text("LANDING-1").endswith(text)
    assert [item["ticket"] for item in house.hc("review", "--json").json] == ["LANDING-1"]


def remembered(house: House) -> None:
    """The ticket is done and its experience may be shown."""
    house.event("ticket.approved", "LANDING-1")
    assert house.where("LANDING-1") == State.DONE.value
    note = house.layout.memory / "ann" / "experiences" / "LANDING-1.md"
    house.wait(lambda: "status: approved" in note.read_text(), "approval in the note")
    assert PITFALL in note.read_text()


def told(house: House, model: ScriptedModel, engine: str, ticket: str) -> str:
    """What the agent was told of a ticket: what its model received, or where it has none, what was written down for it."""
    written = (house.layout.run(ticket, 1) / "prompt.md").read_text()
    if engine == "shell":
        return written
    received = model.turns_with(f"/{ticket}/DONE")[0].prompt
    assert received == written
    return received
