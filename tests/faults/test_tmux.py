"""People and cleaners at work in tmux: closed windows, deleted sockets, strange shells."""

from __future__ import annotations

from pathlib import Path

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.terminal import processes
from tests.support.person import Person
from tests.support.tmux import until
from tests.support.whole_machine import alive, attempts, fence, run_folder, start, tmux


def test_a_window_that_a_person_closes_costs_one_try(person: Person) -> None:
    """Its whole tree is gone; the attempt died, the ticket is queued again after a pause, as when any process dies."""
    run = start(person, "sleep 600 & sleep 600")
    tree = list(processes.descendants(fence(person, run).pid or 0))
    tmux(person, "kill-window", "-t", "=hermes:=agent_worker")
    until(lambda: run_folder(person, run).exit(), what="the exit record")
    person.ok("run", "--once", "--plain")
    person.rest(person.layout.ticket(run.ticket, State.TODO))
    why = person.ok("why", run.ticket, "--json").json

    assert len(tree) >= 3
    assert alive(tree) == []
    assert attempts(person)[-1].outcome is Outcome.DIED
    assert (person.where(run.ticket), why["code"]) == (State.TODO, "retry-pause")


def test_a_deleted_socket_holds_nothing_up(person: Person) -> None:
    """What runs is settled by its files, without asking tmux; the next ticket starts in a new server."""
    first = start(person, 'until [ -e go ]; do sleep 0.05; done; echo "# Done" >summary.md')
    next(Path(person.environ["TMUX_TMPDIR"]).rglob("hc-*")).unlink()
    (Path(first.outbox) / "go").touch()
    until(lambda: run_folder(person, first).exit(), what="the exit record")
    person.ok("run", "--once", "--plain")
    second = start(person, "sleep 600")

    assert person.where(first.ticket) is State.REVIEW
    assert person.where(second.ticket) is State.DOING
    assert tmux(person, "list-windows", "-a", "-F", "#{window_name}").splitlines() == ["company", "agent_worker"]


def test_no_shell_of_a_person_is_asked_to_start_anything(person: Person) -> None:
    """Neither a login shell nor any start-up file of one is run: a slow or broken one can't hold an attempt up."""
    home = Path(person.environ["HOME"])
    for name in (".profile", ".bash_profile", ".bash_login", ".bashrc", ".zshenv", ".zshrc", ".kshrc", ".tmux.conf"):
        (home / name).write_text(f"touch {home}/was-read\nsleep 60\n")
    person.environ |= {"SHELL": "/bin/false", "ENV": str(home / ".kshrc"), "BASH_ENV": str(home / ".bashrc")}
    run = start(person, "true")
    until(lambda: run_folder(person, run).exit(), what="the exit record")

    assert not (home / "was-read").exists()
