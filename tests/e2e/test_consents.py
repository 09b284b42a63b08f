"""What engines ask before they work, answered by a person in advance."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Founded
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)


def test_what_company_yaml_accepts_opens_no_dialog(founded: Founded, real_engine: str) -> None:
    """A yes in company.yaml is enough: it is recorded where the engine looks for it before the engine starts."""
    accepting = {"engines": {real_engine: {"accept": ["trust"]}}}
    with founded({}, [Chore("PAGE")], settings=accepting) as (house, _):
        house.hc("agent", "add", "ann", "--engine", real_engine)
        house.run()
        house.drop("PAGE", "# Make the page\n")
        house.event("ticket.moved", "PAGE", to="review")


def test_what_nobody_accepted_starts_nothing(founded: Founded, real_engine: str) -> None:
    """Nothing is started that would wait at a dialog: `hc run` says so, and the ticket is blocked with the way out."""
    with founded({}, [Chore("PAGE")]) as (house, model):
        house.hc("agent", "add", "ann", "--engine", real_engine)
        loop = house.run()
        assert "hc agent prepare ann" in loop.said()
        house.drop("PAGE", "# Make the page\n")
        house.event("attempt.closed", "PAGE", outcome="refused", moved_to="blocked")

        assert "hc agent prepare ann" in house.hc("why", "PAGE").out
        assert model.turns == ()
        house.hc("agent", "prepare", "ann", "--yes")
        house.hc("task", "retry", "PAGE")
        house.event("ticket.moved", "PAGE", to="review")
