"""The loop may die, the terminal server may die: agents go on, nothing is lost and nothing runs twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from hermes_company.terminal import processes
from tests.e2e.conftest import Founded
from tests.scripted_model import Hang, ScriptedModel
from tests.support.e2e import House
from tests.support.e2e_work import GATE, Chore

pytestmark = pytest.mark.timeout(300)

STAFF = {"ann": "claude-code", "bob": "codex", "cat": "shell"}
TICKETS = {"ann": "A", "bob": "B", "cat": "C"}
WAITS = f"# Waits\n\n```sh\n{GATE}\n```\n"


def all_at_work(house: House, model: ScriptedModel) -> None:
    """Three tickets are dropped and in work: two models are asked and don't answer, a block waits at its gate."""
    for agent, ticket in TICKETS.items():
        house.drop(ticket, f"---\nowner: {agent}\n---\n{WAITS}")
    house.wait((house.layout.outbox("cat", "C") / "gate").exists, "the block at its gate")
    house.wait(lambda: len({turn.conversation for turn in model.turns}) == 2, "the models to be asked")


def engines(house: House) -> dict[str, int]:
    return {ticket: house.pid(ticket) for ticket in TICKETS.values()}


def test_killed_loop_takes_its_agents_up_again(founded: Founded) -> None:
    """`kill -9` of the loop with three at work: adopted in the same panes, the same processes, none doubled; exits are kept."""
    with founded(STAFF, script=[Hang()], settings={"retries": 0}) as (house, model):
        loop = house.run()
        all_at_work(house, model)
        panes, running = house.panes(), engines(house)
        loop.kill()
        second = house.run()
        for ticket in TICKETS.values():
            house.event("attempt.adopted", ticket, attempt=1)
        assert (house.panes(), engines(house)) == (panes, running)
        assert all(processes.look_up(pid) for pid in running.values())

        second.kill()
        house.open_gate("C", "cat")
        os.kill(running["A"], signal.SIGKILL)
        for ticket in "AC":
            house.wait((house.layout.run(ticket, 1) / "exit.json").exists, f"the end of {ticket}")
        house.run()
        house.event("attempt.closed", "C", attempt=1, outcome="finished", exit_code=0)
        house.event("attempt.closed", "A", attempt=1, outcome="died", moved_to="blocked")
        assert "signal 9" in house.hc("why", "A").out
        house.hc("task", "stop", "B")
        house.event("attempt.closed", "B", attempt=1, outcome="stopped")
        assert [len(house.seen("attempt.started", ticket)) for ticket in TICKETS.values()] == [1, 1, 1]


def test_ctrl_c_leaves_agents_at_work(founded: Founded, engine: str) -> None:
    """Ctrl-C ends the loop and says who goes on; what an agent hands in meanwhile is found by the next one."""
    with founded({"ann": engine}, [Chore("PAGE", (GATE,))]) as (house, _):
        loop = house.run()
        house.drop("PAGE", Chore("PAGE").asked("# Page"))
        house.wait((house.layout.outbox("ann", "PAGE") / "gate").exists, "the agent at work")
        assert loop.interrupt() == 0
        assert "ann (PAGE)" in loop.said()

        assert house.living("PAGE") != ()
        assert house.hc("status", "--json").json["loop"] is None
        house.open_gate("PAGE")
        house.wait((house.layout.outbox("ann", "PAGE") / "DONE").exists, "DONE while nobody looks")
        assert house.where("PAGE") == "doing"
        house.run()
        house.event("attempt.adopted", "PAGE", attempt=1)
        house.event("attempt.closed", "PAGE", attempt=1, outcome="finished", moved_to="review")
        assert house.living("PAGE") == ()


def test_killed_tmux_server_costs_one_attempt(founded: Founded) -> None:
    """`tmux kill-server` with three at work: all closed as died and tried once more on a new server, then blocked."""
    with founded(STAFF, script=[Hang()]) as (house, model):
        house.run()
        all_at_work(house, model)
        first = engines(house)
        house.tmux("kill-server")
        for ticket in TICKETS.values():
            house.event("attempt.closed", ticket, attempt=1, outcome="died", moved_to="todo")
            house.event("attempt.started", ticket, attempt=2)
        assert [processes.look_up(pid) for pid in first.values()] == [None, None, None]
        assert set(house.panes()) == {"company", "agent_ann", "agent_bob", "agent_cat"}

        house.open_gate("C", "cat")
        house.event("attempt.closed", "C", attempt=2, outcome="finished", moved_to="review")
        house.tmux("kill-server")
        for ticket in "AB":
            house.event("attempt.closed", ticket, attempt=2, outcome="died", moved_to="blocked")
        assert [house.layout.run(ticket, 3).exists() for ticket in TICKETS.values()] == [False, False, False]


@pytest.mark.parametrize("options", [["run", "--plain"], ["run", "--once"]], ids=" ".join)
def test_second_loop_is_refused(founded: Founded, options: list[str]) -> None:
    """A second loop on the same company is refused by name of the first one's process, which goes on undisturbed."""
    with founded({"cat": "shell"}, [Chore("C", (GATE,))]) as (house, _):
        loop = house.run()
        house.drop("C", Chore("C").asked("# Chore"))
        house.wait((house.layout.outbox("cat", "C") / "gate").exists, "the agent at work")

        refused = house.hc(*options, status=75)

        assert "company-already-runs" in refused.err
        assert str(loop.pid) in refused.err
        house.open_gate("C", "cat")
        house.event("attempt.closed", "C", attempt=1, outcome="finished")
        assert house.seen("attempt.adopted", "C") == []


def test_one_round_at_a_time(founded: Founded) -> None:
    """`hc run --once` starts what is ready and ends; the agent works on, and a later round settles it."""
    with founded({"cat": "shell"}, [Chore("C", (GATE,))]) as (house, _):
        house.drop("C", Chore("C").asked("# Chore"))
        once(house, lambda: bool(house.seen("attempt.started", "C")))
        house.open_gate("C", "cat")
        house.wait((house.layout.run("C", 1) / "exit.json").exists, "the end of the agent")
        once(house, lambda: bool(house.seen("attempt.closed", "C", outcome="finished")))
        assert house.where("C") == "review"


def once(house: House, done: Callable[[], bool]) -> None:
    """Rounds until it is done: a file that was just dropped, or an agent that is being ended, takes more than one."""
    for _ in range(20):
        house.hc("run", "--once")
        if done():
            return
    raise AssertionError(house.story())
