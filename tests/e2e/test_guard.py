"""The company's rules in a running company, with the real engines."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Founded
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
