"""The company's rules in a running company, with the real engines."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Run, Say
from tests.support.e2e import House
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

CHANGES = "python3 -c \"import os; open(os.environ['HC_ROOT'] + '/company/COMPANY.md', 'a').write('mine')\""
WORK = Chore(
    "TASK-1",
    (
        "rm -rf /srv/hc-no-such-place",
        'cd "$HC_ROOT" && echo mine > company/COMPANY.md',
        "echo kept > work.txt",
        CHANGES,
    ),
)


def strictly(house: House, more: str = "") -> None:
    """The policy of a company that lies below the temporary folder."""
    text = house.layout.policy_file.read_text(encoding="utf-8")
    house.layout.policy_file.write_text(text.replace("[workdir, outbox, temp]", "[workdir, outbox]") + more, encoding="utf-8")


def test_refused_and_put_back(founded: Founded, real_engine: str) -> None:
    """A ticket's way with two refusals and a change by a program: both are told, the change is gone before its review."""
    with founded({"ann": real_engine}, [WORK]) as (house, _):
        strictly(house)
        rules = house.layout.company / "COMPANY.md"
        before = rules.read_bytes()
        house.run()
        house.drop("TASK-1", "---\nowner: ann\n---\n# Try it\n")
        house.event("ticket.moved", "TASK-1", to="review")

        assert rules.read_bytes() == before
        assert [event["data"]["rule"] for event in house.seen("guard.refused", "TASK-1")] == ["delete-outside", "protected"]
        assert [event["data"]["path"] for event in house.seen("guard.changed", "TASK-1")] == ["company/COMPANY.md"]
        kept = house.layout.run("TASK-1", 1) / "changed" / "company" / "COMPANY.md"
        assert kept.read_bytes() == before + b"mine"
        assert "refused by delete-outside: rm -rf /srv/hc-no-such-place" in house.hc("task", "show", "TASK-1").out
        assert "The guard refused 2 of its calls" in house.hc("why", "TASK-1").out
        flag = "company/COMPANY.md was changed by a command of the agent; it is as before again."
        assert f"! {flag}" in house.hc("review", "show", "TASK-1").out
        assert "refused by protected: cd" in house.hc("events").out


SHIP = 'install -d "$HC_OUTBOX/shipped"'
SHIPPING = Chore("TASK-1", (SHIP,))


def asking(house: House, minutes: str = "9") -> None:
    """The policy of a company in which `install` needs a person's yes, for which calls wait so long."""
    file = house.layout.policy_file
    text = (
        file.read_text(encoding="utf-8")
        .replace("ask: []", "ask: [install]")
        .replace("ask_minutes: 5", f"ask_minutes: {minutes}")
    )
    file.write_text(text, encoding="utf-8")


def asked(house: House) -> None:
    """Run TASK-1 up to its question."""
    house.run()
    house.drop("TASK-1", "---\nowner: ann\n---\n# Ship it\n")
    house.event("approval.asked", "TASK-1", question="TASK-1/1")


def test_a_call_goes_on_with_a_yes(founded: Founded, real_engine: str) -> None:
    """A call that needs a yes stands still in the middle of the run, and goes on when a person says it."""
    with founded({"ann": real_engine}, [SHIPPING]) as (house, _):
        asking(house)
        asked(house)
        waits = house.hc("approvals", "--json").json["waiting"]
        assert [(item["id"], item["question"]["rule"]) for item in waits] == [("TASK-1/1", "ask")]
        shipped = house.layout.outbox("ann", "TASK-1") / "shipped"
        assert not shipped.exists()
        house.hc("approve", "TASK-1/1", "-m", "go")
        house.event("ticket.moved", "TASK-1", to="review")

        assert shipped.is_dir()
        assert len(house.seen("attempt.started", "TASK-1")) == 1
        assert house.event("approval.given", "TASK-1")["data"]["words"] == "go"
        assert not house.seen("guard.refused", "TASK-1")


def test_a_call_is_refused_with_a_no(founded: Founded, real_engine: str) -> None:
    """Denied, the model reads the person's words and hands in without it."""
    with founded({"ann": real_engine}, [SHIPPING]) as (house, model):
        asking(house)
        asked(house)
        house.hc("deny", "TASK-1/1", "-m", "Not before Monday.")
        house.event("ticket.moved", "TASK-1", to="review")

        assert not (house.layout.outbox("ann", "TASK-1") / "shipped").exists()
        house.event("approval.denied", "TASK-1", words="Not before Monday.")
        assert house.seen("guard.refused", "TASK-1", rule="ask")
        assert any("Not before Monday. Go on without it" in result for turn in model.turns for result in turn.results)


def test_an_unanswered_question_parks_the_ticket(founded: Founded, real_engine: str) -> None:
    """Unanswered, the ticket lies in blocked with the question; answered later, the same conversation goes on and hands in."""
    steps = [Run(SHIP), Say("I wait."), *SHIPPING.script()]
    with founded({"ann": real_engine}, script={"/TASK-1/DONE": steps}) as (house, _):
        asking(house, "0")
        asked(house)
        house.event("ticket.moved", "TASK-1", to="blocked")
        why = house.hc("why", "TASK-1", "--json").json
        assert (why["code"], why["remedy"].split(",")[0]) == ("asks", "`hc approve TASK-1/1`")
        house.hc("approve", "TASK-1/1")
        house.event("ticket.moved", "TASK-1", to="review")

        assert (house.layout.outbox("ann", "TASK-1") / "shipped").is_dir()
        first, second = house.record("TASK-1", 1), house.record("TASK-1", 2)
        assert (second["resumes"], second["session_id"]) == (1, first["session_id"])
        assert "A person has approved `install -d" in second["feedback"]
        assert len(house.seen("approval.given", "TASK-1")) == 1


def test_a_ticket_waits_for_approval(founded: Founded) -> None:
    """A ticket with `approve: before` starts when a person approves it, and not before."""
    with founded({"ann": "shell"}, [Chore("TASK-1"), Chore("TASK-2")]) as (house, _):
        house.run()
        house.drop("TASK-1", Chore("TASK-1").asked("---\nowner: ann\napprove: before\n---\n# Ship it"))
        house.drop("TASK-2", Chore("TASK-2").asked("---\nowner: ann\npriority: low\n---\n# Something else"))
        house.event("ticket.moved", "TASK-2", to="review")
        assert house.where("TASK-1") == "todo"
        assert [item["id"] for item in house.hc("approvals", "--json").json["waiting"]] == ["TASK-1"]
        house.hc("approve", "TASK-1")
        house.event("ticket.moved", "TASK-1", to="review")

        house.event("approval.given", "TASK-1")
