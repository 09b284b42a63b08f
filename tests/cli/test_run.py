"""`hc run` and `hc attach`, on real tmux."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.at_work import AtWork, at_work
from tests.support.person import Person
from tests.support.tmux import until

QUICK = "# Quick\n\n```sh\necho done > done.txt\n```\n"
LONG = '# Long\n\n```sh\ntouch "$HC_OUTBOX/begun"\nwhile [ ! -e "$HC_OUTBOX/go-on" ]; do sleep 0.1; done\n```\n'


@pytest.fixture
def work(person: Person) -> Iterator[AtWork]:
    """The person's company, with a tmux of its own."""
    with at_work(person) as made:
        yield made


def until_in(person: Person, ticket: str, state: State) -> None:
    """Wait until the ticket lies there."""
    until(lambda: person.layout.ticket(ticket, state).exists(), what=f"{ticket} in {state}")


def test_once_starts_and_ends(work: AtWork, person: Person) -> None:
    """One round starts what is ready and leaves it to itself; the next round settles it."""
    person.drop("TASK-1", QUICK)
    first = person.ok("run", "--once")
    until(lambda: (person.layout.outbox("worker", "TASK-1") / "DONE").exists(), what="DONE")
    until(lambda: person.ok("run", "--once") and person.where("TASK-1") is State.REVIEW, what="review")

    assert "TASK-1  todo → doing: claimed for worker" in first.out
    assert first.lines[-1] == (
        "These agents go on without hc: worker (TASK-1). `hc run` takes them up again; `hc attach` shows them."
    )


def test_plain_lines_and_the_same_in_the_log(work: AtWork, person: Person) -> None:
    """Each event is one line on the terminal and in logs/hc.log, which the company's tmux window shows."""
    running = work.runs()
    person.drop("TASK-1", QUICK)
    until_in(person, "TASK-1", State.REVIEW)
    until(lambda: "experience kept" in (person.layout.logs / "hc.log").read_text(), what="the log")
    status, out, err = work.end(running)
    lines = [line.split("  ", 1)[1] for line in out.splitlines()[1:]]
    logged = (person.layout.logs / "hc.log").read_text()

    assert (status, err) == (0, "")
    assert out.splitlines()[0] == "acme runs. To watch the agents: tmux -L hermes-acme -u attach -t hermes"
    assert lines[:3] == [
        "TASK-1  new in todo",
        "TASK-1  todo → doing: claimed for worker",
        "TASK-1  attempt 1: shell started in window agent_worker",
    ]
    assert "TASK-1  attempt 1: finished. DONE and a summary." in lines
    assert logged.splitlines() == out.splitlines()[1:]
    until(lambda: "experience kept" in work.tmux("capture-pane", "-p", "-t", "=hermes:=company"), what="the window")


def test_lines_in_a_file_are_there_at_once(work: AtWork, person: Person) -> None:
    """With its output in a file, the greeting and every event can be read there while the company runs."""
    printed = person.here.parent / "printed"
    with printed.open("wb") as file:
        running = work.start("run", "--plain", output=file)
    until(lambda: "acme runs." in printed.read_text(), what="the greeting")
    person.drop("TASK-1", LONG)
    until(lambda: "attempt 1: shell started" in printed.read_text(), what="the event")

    assert running.poll() is None


def test_a_second_run_is_refused_by_pid(work: AtWork, person: Person) -> None:
    """The second one says who runs the company, and ends with the status for "try later"."""
    running = work.runs()
    answer = person.hc("run", "--once")

    assert answer.status == 75
    assert f"company-already-runs: This company is already run by process {running.pid} on " in answer.err
    assert f"run by process {running.pid}" in person.ok("status").lines[0]


def test_ctrl_c_leaves_the_agents_and_the_next_run_adopts_them(work: AtWork, person: Person) -> None:
    """Ctrl-C says who goes on; the next run takes that very attempt up and settles it."""
    running = work.runs()
    person.drop("TASK-1", LONG)
    outbox = person.layout.outbox("worker", "TASK-1")
    until((outbox / "begun").exists, what="the agent")
    status, out, _ = work.end(running)
    between = person.ok("why", "TASK-1", "--json").json
    again = work.runs()
    until(lambda: any("taken up again" in line for line in person.ok("events").lines), what="adoption")
    (outbox / "go-on").touch()
    until_in(person, "TASK-1", State.REVIEW)

    assert status == 0
    assert "These agents go on without hc: worker (TASK-1)." in out
    assert (between["code"], between["remedy"].startswith("Nobody runs the company")) == ("running", True)
    assert len(person.ok("task", "show", "TASK-1", "--json").json["attempts"]) == 1
    assert again.poll() is None


def test_stop_and_cancel_end_what_runs(work: AtWork, person: Person) -> None:
    """A person's stop ends the processes and parks the ticket with the reason; cancel does it at once."""
    work.runs()
    person.ok("agent", "add", "other", "--engine", "shell")
    person.drop("TASK-1", LONG)
    person.drop("TASK-2", LONG)
    for ticket in ("TASK-1", "TASK-2"):
        until(lambda ticket=ticket: list(person.layout.outbox_root.glob(f"*/{ticket}/begun")), what=ticket)
    stopped = person.ok("task", "stop", "TASK-1", "-m", "enough").out
    cancelled = person.ok("task", "cancel", "TASK-2").out
    until_in(person, "TASK-1", State.BLOCKED)
    until(lambda: person.ok("status", "--json").json["running"] == [], what="the end of both")

    assert "TASK-1 is being ended and goes to blocked." in stopped
    assert "TASK-2 is parked in blocked; its run is being ended." in cancelled
    assert person.ok("why", "TASK-1").lines[1] == "  Stopped by a person. enough"
    assert person.where("TASK-2") is State.BLOCKED


def test_a_tree_that_cannot_work_is_refused(work: AtWork, person: Person) -> None:
    """A missing task folder is found at the start, not at the first move."""
    person.layout.state(State.REVIEW).joinpath(".gitkeep").unlink()
    person.layout.state(State.REVIEW).rmdir()
    answer = person.hc("run", "--once")

    assert answer.status == 2
    assert "folder-missing: The folder tasks/review is missing." in answer.err
    assert work.tmux("list-sessions").startswith(("no server", "error connecting"))


def test_agents_that_could_not_start_are_named(work: AtWork, person: Person) -> None:
    """What keeps an engine from starting unattended is said when the run begins, by the agent's name."""
    programs = person.here.parent / "programs"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\nexit 1\n")
    (programs / "claude").chmod(0o755)
    person.environ |= {"PATH": f"{programs}:{person.environ['PATH']}", "CLAUDE_CONFIG_DIR": str(programs / "config")}
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    answer = person.ok("run", "--once")

    assert answer.err.startswith("! lao can't start. Claude Code refuses its bypass") or "never set up here" in answer.err


def test_the_live_board_in_a_narrow_terminal(work: AtWork, person: Person) -> None:
    """On a terminal the board is live: it shows the ticket's way, and Ctrl-C gives the terminal back and says who goes on."""
    board = work.terminal("run", columns=60, rows=20)
    until(lambda: board.shows("run by process"), what="the board")
    person.drop("TASK-1", LONG)
    until(lambda: board.shows("attempt 1: shell started"), what="the event")
    until(lambda: board.shows("TASK-1 since"), what="the agent's row")
    board.process.send_signal(signal.SIGINT)
    until(lambda: board.shows("These agents go on without hc: worker (TASK-1)."), what="the farewell")
    text = board.seen.decode()

    assert board.process.wait(30) == 0
    assert text.count("\x1b[?1049h") == text.count("\x1b[?1049l") == 1
    assert text.index("\x1b[?1049l") < text.index("These agents go on")


def test_attach_goes_there(work: AtWork, person: Person) -> None:
    """`hc attach AGENT` becomes a tmux client in that agent's window, even from inside another tmux."""
    work.runs()
    person.drop("TASK-1", LONG)
    until((person.layout.outbox("worker", "TASK-1") / "begun").exists, what="the agent")
    person.environ["TMUX"] = "/nowhere,1,0"
    client = work.terminal("attach", "worker")
    until(lambda: "agent_worker" in work.tmux("list-clients", "-F", "#{window_name}"), what="the client")
    work.tmux("detach-client", "-s", "=hermes:")

    assert client.process.wait(30) == 0


def test_attach_without_anything_to_see(work: AtWork, person: Person) -> None:
    """Where no tmux runs, or an agent has no window yet, the way out is said."""
    nothing = person.hc("attach")
    unknown = person.hc("attach", "workr")
    work.runs()
    no_window = person.hc("attach", "worker")

    assert (nothing.status, unknown.status, no_window.status) == (2, 2, 2)
    assert "Start it with `hc run`." in nothing.err
    assert "Did you mean `worker`?" in unknown.err
    assert "There is no window of worker." in no_window.err


def test_attach_prints_the_plain_command(work: AtWork, person: Person) -> None:
    """`--print` gives the words that go there, for any terminal."""
    assert person.ok("attach", "--print").out == "tmux -L hermes-acme -u attach -t hermes\n"
    assert person.ok("attach", "worker", "--print").out == "tmux -L hermes-acme -u attach -t hermes:=agent_worker\n"


def test_nothing_of_tmux_is_left(tmp_path: Path, person: Person) -> None:
    """The tests' own helper ends what it started."""
    with at_work(person) as made:
        made.runs()
        sockets = Path(person.environ["TMUX_TMPDIR"])

    assert not sockets.exists()
