"""DONE is checked, with the real engines."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Run, Say, Use, hand_in
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)


def test_what_is_missing_is_flagged_for_the_review(founded: Founded, engine: str) -> None:
    """One of two expected files was made: the ticket is in review and says which one is missing, wherever one looks."""
    work = Chore("SITE", ('mkdir -p "$HC_OUTBOX/dist"; echo hi > "$HC_OUTBOX/dist/index.html"',))
    with founded({"ann": engine}, [work]) as (house, _):
        house.run()
        house.drop("SITE", work.asked("---\nexpects: [dist/*.html, dist/site.css]\n---\n# Site\n"))
        closed = house.event("attempt.closed", "SITE", outcome="finished", moved_to="review")

        missing = "Expected, but not there: dist/site.css."
        assert closed["data"]["flags"] == [missing]
        assert f"! {missing}" in house.hc("review", "show", "SITE").out
        assert missing in house.text("SITE").partition("runtime:")[2]
        assert house.hc("review", "--json").json[0]["flags"] == [missing]
        assert " ! " in house.hc("review").out


def test_background_work_that_does_not_end_is_told(founded: Founded) -> None:
    """Claude Code hands in while a background command runs on: waited for a moment, ended, and told to the reviewer."""
    sleeps = Use("Bash", {"command": "sleep 600", "description": "waits", "run_in_background": True})
    # Long enough for a slow machine to come from DONE to the end of the turn, which tells of the background.
    # When it is ended, Claude Code may still tell its model that the background work was.
    script = [sleeps, *hand_in(), *[Say("Bye.")] * 3]
    with founded({"ann": "claude-code"}, script=script, settings={"done_grace_seconds": 30}) as (house, _):
        house.run()
        house.drop("TASK", "# Task\n")
        closed = house.event("attempt.closed", "TASK", outcome="finished")

        assert "running in the background" in closed["data"]["flags"][0]
        assert house.living("TASK") == ()


def test_background_work_that_ends_is_waited_for(founded: Founded) -> None:
    """It ends within the grace: Claude Code goes on by itself, and there is nothing to tell."""
    sleeps = Use("Bash", {"command": "sleep 1; : > late", "description": "waits", "run_in_background": True})
    script = [sleeps, *hand_in(), Run("true"), *[Say("Handed in.")] * 3]
    with founded({"ann": "claude-code"}, script=script, settings={"done_grace_seconds": 60}) as (house, _):
        house.run()
        house.drop("TASK", "---\nexpects: [late]\n---\n# Task\n")
        closed = house.event("attempt.closed", "TASK", outcome="finished")

        assert "flags" not in closed["data"]
