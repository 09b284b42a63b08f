"""What is proved of an attempt's way, with the real engines."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Hang
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

ALL = ["delivered", "submitted", "started", "progressing", "produced"]


def test_every_engine_gives_all_five(founded: Founded, engine: str) -> None:
    """Each receipt once, in the events, in the record and in `hc task show`, in the order of work."""
    work = Chore("WAY", ("true",))
    with founded({"ann": engine}, [work]) as (house, _):
        house.run()
        house.drop("WAY", work.asked("# Way"))
        house.event("attempt.closed", "WAY", outcome="finished")

        record = house.record("WAY")
        shown = house.hc("task", "show", "WAY", "--json").json["attempts"][0]["receipts"]
        assert sorted(event["data"]["receipt"] for event in house.seen("attempt.receipt", "WAY")) == sorted(ALL)
        assert shown == {name: record[f"{name}_at"] for name in ALL}
        at = {name: datetime.fromisoformat(moment) for name, moment in shown.items()}
        assert datetime.fromisoformat(record["taken_at"]) <= at["submitted"] <= at["started"] <= at["progressing"]
        assert at["started"] <= at["produced"]


def test_a_model_that_never_answers_is_named(founded: Founded, real_engine: str) -> None:
    """The prompt arrived and nothing came of it: blocked by name with what the window shows, after what settings say."""
    with founded({"ann": real_engine}, script=[Hang()], settings={"start_seconds": 3}) as (house, _):
        house.run()
        house.drop("HANGS", "# Hangs")
        house.event("attempt.closed", "HANGS", outcome="timed_out", moved_to="blocked")

        assert "Not started" in house.hc("why", "HANGS").out
        assert "HANGS" in house.text("HANGS").partition("last_output:")[2]
        receipts = house.hc("task", "show", "HANGS", "--json").json["attempts"][0]["receipts"]
        assert [name for name, at in receipts.items() if at] == ["delivered", "submitted"]
