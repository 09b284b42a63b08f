"""Agents that leave things behind, and agents that use `hc` themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hermes_company.terminal import processes
from tests.e2e.conftest import Founded
from tests.support.e2e import HC, House
from tests.support.e2e_work import GATE, Chore
from tests.tmux import hostile_tree

pytestmark = pytest.mark.timeout(300)

# Started in the background by an agent that hands in right afterwards; what answers TERM by respawning is not there before.
NAMES = sorted(set(hostile_tree.NAMES) - {"reborn"})
STANDS = " && ".join(f"[ -e pids/{name} ]" for name in NAMES)
LEAVE_BEHIND = (
    f'{sys.executable} "{hostile_tree.__file__}" stay </dev/null >/dev/null 2>&1 & '
    f"until {STANDS}; do {sys.executable} -c 'import time; time.sleep(0.05)'; done"
)


def test_nothing_survives_done(founded: Founded, engine: str) -> None:
    """What an agent left running, deaf to TERM, in a session of its own, daemonised without our marks: gone before review."""
    with founded({"ann": engine}, [Chore("MESS", (LEAVE_BEHIND,))]) as (house, _):
        house.run()
        house.drop("MESS", Chore("MESS").asked("# Leave a mess"))
        house.event("attempt.closed", "MESS", outcome="finished", moved_to="review")

        pids = {path.name: int(path.read_text()) for path in (house.layout.outbox("ann", "MESS") / "pids").glob("[a-z]*")}
        assert set(NAMES) <= set(pids)
        assert {name: pid for name, pid in pids.items() if alive(pid)} == {}
        assert house.living("MESS") == ()


def alive(pid: int) -> bool:
    found = processes.look_up(pid)
    return found is not None and not found.zombie


# By its path: Codex runs commands in a login shell, which sets PATH anew.
INSIDE = (
    GATE,
    f'"{HC}" status --json > status.json',
    f'"{HC}" why "$HC_TICKET" > why.txt',
    f'"{HC}" task new "Made by an agent" --owner ann --id CHILD',
    f'"{HC}" run --plain > second.txt 2>&1 || echo $? > second.status',
    "env > env.txt",
)


def test_hc_inside_of_an_agents_window(founded: Founded, engine: str) -> None:
    """An agent that uses `hc` means this company: it sees itself, makes a ticket, and can't start a second loop."""
    with founded({"ann": engine}, [Chore("PARENT", INSIDE), Chore("CHILD")]) as (house, _):
        loop = house.run()
        house.drop("PARENT", Chore("PARENT").asked("# Use hc"))
        house.open_gate("PARENT")
        house.event("ticket.moved", "PARENT", to="review")

        left = house.layout.outbox("ann", "PARENT")
        assert '"ticket": "PARENT"' in (left / "status.json").read_text()
        assert "ann works on it" in (left / "why.txt").read_text()
        assert (left / "second.status").read_text() == "75\n"
        assert str(loop.pid) in (left / "second.txt").read_text()
        assert not any(line.startswith(("TMUX=", "TMUX_PANE=")) for line in (left / "env.txt").read_text().splitlines())
        made(house, "CHILD")


def made(house: House, ticket: str) -> None:
    """The agent's own ticket has no block for the shell engine; the others do it."""
    closed = house.event("attempt.closed", ticket)
    assert closed["data"]["outcome"] == ("refused" if closed["data"]["engine"] == "shell" else "finished")


def test_loop_started_inside_of_a_session(founded: Founded) -> None:
    """What the shell of an engine or of tmux leaves in the environment reaches no agent."""
    foreign = {
        "CLAUDECODE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "TMUX": "/tmp/tmux-0/elsewhere,1,0",
        "TMUX_PANE": "%7",
        "HC_TICKET": "OTHER",
        "HC_AGENT": "other",
        "HC_OUTBOX": "/nonexistent",
        "HC_RUN_DIR": "/nonexistent",
        "HC_RUN_TOKEN": "hc-of-another-attempt",
        "HC_FEEDBACK": "old words",
        "SECRET_KEY": "s3cret",
    }
    with founded({"ann": "claude-code"}, [Chore("PAGE", ("env > env.txt",))]) as (house, _):
        house.environ |= foreign
        house.run()
        house.drop("PAGE", "# Page\n")
        house.event("attempt.closed", "PAGE", outcome="finished", moved_to="review")

        text = (Path(house.record("PAGE")["outbox"]) / "env.txt").read_text()
        seen = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        assert (seen["HC_TICKET"], seen["HC_AGENT"], seen["HC_FEEDBACK"]) == ("PAGE", "ann", "")
        assert {"TMUX", "TMUX_PANE", "SECRET_KEY"} & set(seen) == set()
        assert "hc-of-another-attempt" not in text
