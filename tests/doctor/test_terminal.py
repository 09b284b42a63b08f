"""Faults of tmux, and what outlived its attempt: on real tmux, with attempts that a real loop started."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_company.bootstrap import open_company
from hermes_company.domain.run import Attempt, Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.engine import Launch
from hermes_company.ports.workers import WorkerOrder
from hermes_company.terminal import processes
from hermes_company.wording import say
from tests.support.examined import doctor, doctor_process
from tests.support.person import Person
from tests.support.tmux import until
from tests.support.whole_machine import alive, fence, run_folder, start, tmux


def close(person: Person, run: Attempt) -> None:
    """The attempt counts as over, whatever still runs."""
    closed = replace(run, phase=Phase.CLOSED, outcome=Outcome.STOPPED, reason=say("Stopped by a person. {words}", words=""))
    RunFiles(person.layout).close(closed)
    person.layout.ticket(run.ticket, State.DOING).rename(person.layout.ticket(run.ticket, State.BLOCKED))


def test_what_runs_is_well(person: Person) -> None:
    """While an attempt is open, its processes and its window are nobody's orphans, and the server is known by its tag."""
    start(person, "sleep 600")
    examined = doctor(person)

    assert examined.codes == {"runs-unattended": "warn"}
    assert examined.of("tmux-server")["seen"].endswith("shows 2 windows.")


def test_an_idle_window_is_no_orphan(person: Person) -> None:
    """A launcher that waits for its agent's next ticket belongs there."""
    run = start(person, "true")
    until(lambda: run_folder(person, run).exit(), what="the exit record")
    close(person, run)

    assert doctor(person).codes == {}
    assert len(tmux(person, "list-panes", "-a").splitlines()) == 2


def test_processes_of_a_closed_attempt(person: Person) -> None:
    """What survived its launcher is found by its token and ended by `--fix`; who is at work beside it is not touched."""
    person.ok("agent", "add", "bob", "--engine", "shell")
    run, other = start(person, "setsid sleep 600"), start(person, "sleep 600", "bob")
    close(person, run)
    os.kill(fence(person, run).pid or 0, signal.SIGKILL)
    left, at_work = (alive(list(processes.marked(r.token))) for r in (run, other))
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert left
    assert seen.codes == {"orphan-processes": "bad", "runs-unattended": "warn"}
    assert seen.of("orphan-processes")["seen"].startswith(f"{run.ticket}/1 is closed, but processes of it are alive: ")
    assert (fixed.done, fixed.codes) == ({"orphan-processes": True}, {"runs-unattended": "warn"})
    assert (alive(left), alive(at_work)) == ([], at_work)
    assert doctor(person, "--fix").done == {}


def test_processes_whose_records_were_deleted(person: Person) -> None:
    """Somebody removed `.hc/runs`: what runs is still known by its environment; the next loop ends it."""
    run = start(person, "sleep 600")
    shutil.rmtree(person.layout.runs)
    shutil.rmtree(person.layout.open_runs)
    examined = doctor(person)

    assert (examined.status, examined.codes) == (1, {"stray-processes": "bad"})
    assert examined.of("stray-processes")["seen"].startswith(f"Processes of {run.ticket}/1 are alive, but no record ")


def order(person: Person, run: Attempt, *argv: str) -> WorkerOrder:
    """An order to start these words for an attempt, as the loop would give it."""
    return WorkerOrder(
        run_dir=person.layout.run(run.ticket, run.number),
        window="agent_worker",
        token=run.token,
        workdir=person.here,
        launch=Launch(argv=argv, prompt_as_argument=False),
        environ={},
        stop_grace_seconds=0.4,
    )


def test_a_launcher_that_goes_on_with_the_next_attempt_is_no_orphan(person: Person) -> None:
    """Its window was made for an attempt that has ended; what it does now belongs to an open one."""
    workers = open_company(None, person.environ, person.here).workers
    workers.prepare()
    first = person.attempt("TASK-1")
    workers.spawn(order(person, first, "/bin/true"))
    until(lambda: run_folder(person, first).exit(), what="the first one's end")
    person.drop("TASK-1", state=State.DOING)
    close(person, first)
    second = person.attempt("TASK-2", token="hc-second")
    person.drop("TASK-2", state=State.DOING)
    workers.spawn(order(person, second, "/usr/bin/env", "-i", "/bin/sleep", "600"))
    until(lambda: run_folder(person, second).fence(), what="the second one's start")

    assert fence(person, first).pid == fence(person, second).pid
    assert doctor(person).codes == {"runs-unattended": "warn"}


def test_a_pane_of_a_closed_attempt(person: Person) -> None:
    """An engine that threw its environment away has no token: its window is closed, and then it is gone."""
    run = person.attempt("TASK-1")
    person.drop("TASK-1", state=State.DOING)
    workers = open_company(None, person.environ, person.here).workers
    workers.prepare()
    workers.spawn(order(person, run, "/usr/bin/env", "-i", "/bin/sleep", "600"))
    # The fence is there before the engine has a number.
    engine = until(lambda: (won := run_folder(person, run).fence()) and won.engine, what="the start") or 0
    until(lambda: processes.program(engine) == "sleep", what="the engine's new program")
    well = doctor(person)
    close(person, run)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert processes.marked(run.token) == ()
    assert well.codes == {"runs-unattended": "warn"}
    assert seen.codes == {"orphan-pane": "bad"}
    assert seen.of("orphan-pane")["seen"].endswith(f"window agent_worker, but something runs there: {engine}.")
    assert (fixed.done, fixed.codes) == ({"orphan-pane": True}, {})
    assert alive([engine]) == []


def test_orphans_are_left_while_somebody_runs_the_company(person: Person) -> None:
    """Only a company at rest is tidied up: the lock is asked for."""
    run = start(person, "sleep 600")
    close(person, run)
    words = ["flock", "--nonblock", str(person.layout.kernel_lock), "sh", "-c", "echo held; exec sleep 600"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        examined = doctor(person, "--fix")
        holder.kill()

    assert examined.done == {"orphan-processes": False}
    assert alive(list(processes.marked(run.token)))


def test_an_agent_that_examines_its_own_company(person: Person) -> None:
    """Started by what is left of a closed attempt, doctor does not end itself."""
    run = start(person, "sleep 600")
    close(person, run)
    examined = doctor_process(person, "--fix", environ={"HC_RUN_TOKEN": run.token})

    assert examined.answer["repairs"] == []
    assert not examined.of("orphan-processes")["fixable"]
    assert "terminal of your own" in examined.of("orphan-processes")["remedy"]
    assert alive(list(processes.marked(run.token)))


def test_keys_that_nobody_took(person: Person) -> None:
    """An environment that was laid out for a launcher that never came holds keys: it goes with the attempt."""
    run = person.attempt("TASK-1", outcome=Outcome.REFUSED)
    still_open = person.attempt("TASK-2")
    person.drop("TASK-2", state=State.DOING)
    kept = [person.layout.run(r.ticket, r.number) / "env.json" for r in (run, still_open)]
    for path in kept:
        path.write_text('{"ANTHROPIC_API_KEY": "sk-x"}')
        path.chmod(0o600)
    seen = doctor(person)
    fixed = doctor(person, "--fix")

    assert seen.codes == {"keys-left": "bad", "runs-unattended": "warn"}
    assert seen.of("keys-left")["seen"].endswith(": TASK-1/1.")
    assert (fixed.done, fixed.codes) == ({"keys-left": True}, {"runs-unattended": "warn"})
    assert [path.exists() for path in kept] == [False, True]


def test_a_socket_that_was_deleted(person: Person) -> None:
    """Agents live on in a server that nobody can reach; the remedy that is named brings it back."""
    start(person, "sleep 600")
    sockets = list(Path(person.environ["TMUX_TMPDIR"]).rglob("hc-*"))
    sockets[0].unlink()
    seen = doctor(person)
    found = seen.of("tmux-socket-gone")
    subprocess.run(found["remedy"].partition(": ")[2].split(), check=True)
    until(sockets[0].exists, what="the new socket")

    assert (seen.status, found["severity"]) == (1, "bad")
    assert str(sockets[0]) in found["seen"]
    assert doctor(person).codes == {"runs-unattended": "warn"}


def test_a_session_of_somebody_else(person: Person) -> None:
    """A session of ours by name that does not carry our tag is not ours."""
    tmux(person, "new-session", "-d", "-s", "hermes", "sleep", "600")
    examined = doctor(person, "--fix")

    assert examined.codes == {"tmux-session-taken": "bad"}
    assert "sleep" in tmux(person, "list-panes", "-a", "-F", "#{pane_current_command}")


def test_a_server_without_a_session_of_ours(person: Person) -> None:
    """A person may use that server too; `hc run` makes the company's session in it."""
    tmux(person, "new-session", "-d", "-s", "mine", "sleep", "600")

    assert doctor(person).of("tmux-server")["seen"].endswith("without a session of ours.")


def test_tmux_does_not_answer(person: Person) -> None:
    """A socket's folder that others may write to makes tmux refuse; that is not read as "nothing runs"."""
    start(person, "sleep 600")
    folder = next(Path(person.environ["TMUX_TMPDIR"]).glob("tmux-*"))
    folder.chmod(0o777)
    examined = doctor(person)
    folder.chmod(0o700)

    assert examined.codes["tmux-unreachable"] == "bad"
    assert "unsafe permissions" in examined.of("tmux-unreachable")["seen"]


def stand_in(person: Person, script: str) -> None:
    """Put another `tmux` in front of the real one."""
    folder = person.here.parent / "bin"
    folder.mkdir()
    (folder / "tmux").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "tmux").chmod(0o755)
    person.environ["PATH"] = f"{folder}:{person.environ['PATH']}"


@pytest.mark.parametrize(("version", "old"), [("2.9a", True), ("3.0", False), ("next-3.5", False), ("master", False)])
def test_an_old_tmux(person: Person, version: str, old: bool) -> None:
    """A version that can't tag a pane is named; one that does not say a number is believed."""
    stand_in(person, f'case "$*" in *-V) echo "tmux {version}";; *) echo "no server running on x" >&2; exit 1;; esac')

    assert doctor(person).codes == ({"tmux-old": "bad"} if old else {})


def test_no_tmux(person: Person) -> None:
    """Without tmux nothing can be started: how to get it is said, and the rest is examined."""
    folder = person.here.parent / "bin"
    folder.mkdir()
    for program in ("git", "sh", "date"):
        (folder / program).symlink_to(Path("/usr/bin") / program)
    person.environ["PATH"] = str(folder)
    examined = doctor(person)

    assert (examined.status, examined.codes) == (1, {"tmux-missing": "bad"})
    assert examined.of("locale")["severity"] == "ok"


@pytest.mark.parametrize("key", ["socket", "session"])
def test_names_that_tmux_could_misread(person: Person, key: str) -> None:
    """A socket or session of such a name would address something else."""
    file = person.layout.settings_file
    file.write_text(f'lang: en\ntmux:\n  {"session" if key == "socket" else "socket"}: fine\n  {key}: "a:b"\n')

    assert doctor(person).codes == {"tmux-name-unusable": "bad"}


def test_a_path_that_no_socket_can_have(person: Person, tmp_path: Path) -> None:
    """Said with both lengths, before tmux fails with it."""
    deep = tmp_path / ("x" * 60) / ("y" * 60)
    deep.mkdir(parents=True)
    person.environ["TMUX_TMPDIR"] = str(deep)
    found = doctor(person).of("socket-path-long")

    assert found["severity"] == "bad"
    assert "the system allows 107" in found["seen"]


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"LANG": "C"}, "The locale C is not UTF-8"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.GBK"}, "The locale zh_CN.GBK is not UTF-8"),
        ({"LANG": ""}, "The locale (none) is not UTF-8"),
    ],
)
def test_a_locale_that_is_not_utf8(person: Person, variables: dict[str, str], told: str) -> None:
    """The variable that decides is the one that is named."""
    person.environ |= variables
    examined = doctor(person)

    assert examined.codes == {"locale-not-utf8": "warn"}
    assert examined.of("locale-not-utf8")["seen"].startswith(told)
