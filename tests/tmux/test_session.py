"""The company's own tmux server: found, made, told apart from everybody else's."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_company.domain.run import WorkerPhase
from hermes_company.domain.settings import TmuxSettings
from hermes_company.errors import Refusal
from hermes_company.terminal.session import NotThere, Tmux
from hermes_company.terminal.workers import TmuxWorkers
from tests.support.tmux import TmuxCompany, tmux_company, until

STAYS = "echo last words; exec sleep 600"


def start(company: TmuxCompany, script: str = STAYS, **changes: object) -> str:
    """Start a script and wait until it runs. Returns its pane."""
    order = company.sh(script, **changes)
    pane = company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)
    return pane


def code_of(refused: pytest.ExceptionInfo[Refusal]) -> str:
    return refused.value.code


def fake_tmux(folder: Path, script: str) -> dict[str, str]:
    """An environment in which `tmux` is that script."""
    folder.mkdir()
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.defpath}"}


def test_the_first_window_shows_the_log(company: TmuxCompany) -> None:
    """Who attaches sees what happens: the first window follows the company's log."""
    with (company.root / "company.log").open("a") as log:
        log.write("TASK-1 claimed by 老黄\n")

    until(lambda: "TASK-1 claimed by 老黄" in company.tmux("capture-pane", "-p", "-t", "=hermes:=company"))
    assert company.windows() == ["company"]


def test_each_agent_has_one_window(company: TmuxCompany) -> None:
    """Windows are named after agents; the next attempt of an agent is shown where the last one was."""
    company.ended(company.sh("exit 0", ticket="TASK-1"))
    company.ended(company.sh("exit 0", ticket="TASK-2"))
    start(company, ticket="TASK-3", window="agent_bob")

    assert company.windows() == ["company", "agent_ann", "agent_bob"]
    tags = company.tmux("list-panes", "-s", "-t", "=hermes:", "-F", "#{window_name} #{@hc_run}").splitlines()
    assert tags == ["company ", "agent_ann TASK-1/1", "agent_bob TASK-3/1"]


def test_a_session_of_another_company_is_refused_by_name(company: TmuxCompany) -> None:
    """Two companies with the same socket would end each other's agents; the refusal says what to change."""
    company.company = "company-b"

    with pytest.raises(Refusal) as refused:
        company.new_workers().prepare()

    assert code_of(refused) == "tmux-session-taken"
    assert "another company (company-a)" in refused.value.in_lang("en")
    assert "tmux.socket" in refused.value.in_lang("zh")


def test_a_session_that_nobody_tagged_is_not_ours(tmp_path: Path) -> None:
    """A session that a person made is left to them."""
    with tmux_company(tmp_path / "acme") as company:
        company.tmux("new-session", "-d", "-s", "hermes", "sleep", "600")

        with pytest.raises(Refusal) as refused:
            company.workers.prepare()

        assert code_of(refused) == "tmux-session-taken"
        assert company.tmux("list-sessions", "-F", "#{session_name}") == "hermes"


def test_two_companies_live_side_by_side(company: TmuxCompany, tmp_path: Path) -> None:
    """Each has a server of its own: ending one leaves the other's agents at work."""
    with tmux_company(tmp_path / "other", company="company-b") as other:
        other.workers.prepare()
        start(other)
        order = company.sh(STAYS)
        company.workers.spawn(order)
        company.phase(order, WorkerPhase.RUNNING)
        assert other.windows() == company.windows() == ["company", "agent_ann"]

    assert company.workers.state(order.run_dir).phase is WorkerPhase.RUNNING


def test_a_server_that_was_just_killed_is_replaced(company: TmuxCompany) -> None:
    """A dying server refuses new sessions for a moment; that moment is waited for."""
    for _ in range(5):
        company.tmux("kill-server")
        company.workers.prepare()

        assert company.windows() == ["company"]


def test_a_spawn_finds_its_session_again(company: TmuxCompany) -> None:
    """When the server went away since, the next start makes it anew."""
    company.tmux("kill-server")

    start(company)

    assert company.windows() == ["company", "agent_ann"]


def test_a_dying_server_is_asked_again(company: TmuxCompany, tmp_path: Path) -> None:
    """While a server is being killed it says so: neither an empty answer nor a reason to give up."""
    said = tmp_path / "said"
    dying = f"test -e {said} && exec {shutil.which('tmux')} \"$@\"; touch {said}; echo 'server exited unexpectedly' >&2; exit 1"
    environ = {**company.environ, **fake_tmux(tmp_path / "bin", dying)}
    tmux = Tmux(socket=company.socket, session="hermes", config=tmp_path / "c", environ=environ)

    assert tmux.ask(("list-sessions", "-F", "#{session_name}")) == "hermes\n"


def test_a_session_that_was_closed_is_made_anew(company: TmuxCompany) -> None:
    """A person may end the session; the server stays for the next start."""
    company.tmux("kill-session", "-t", "=hermes")

    start(company)

    assert company.windows() == ["company", "agent_ann"]


def test_a_picture_that_cannot_be_had_holds_nothing_up(company: TmuxCompany, tmp_path: Path) -> None:
    """When tmux does not answer at the end of an attempt, its last words are missing for now; nothing is raised or kept."""
    order = company.sh(STAYS)
    pane = company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)
    broken = company.new_workers(fake_tmux(tmp_path / "bin", "exit 1"))

    broken.keep_output(order.run_dir, pane)

    assert broken.tail(order.run_dir, pane, 5) == ""
    assert until(lambda: company.workers.tail(order.run_dir, pane, 5)) == "last words"


def test_no_answer_is_not_an_empty_answer(company: TmuxCompany, tmp_path: Path) -> None:
    """Only tmux's own words for "there is none" mean that; any other failure is refused with what tmux said."""
    environ = fake_tmux(tmp_path / "bin", "echo 'protocol version mismatch' >&2; exit 1")
    tmux = Tmux(socket="s", session="hermes", config=tmp_path / "c", environ=environ)

    with pytest.raises(Refusal) as refused:
        tmux.ask(("list-panes", "-a"))

    assert code_of(refused) == "tmux-unreachable"
    assert "protocol version mismatch" in str(refused.value)
    with pytest.raises(NotThere):
        Tmux(socket="nobody-has-this", session="hermes", config=tmp_path / "c", environ=company.environ).ask(
            ("list-panes", "-a")
        )


def test_what_cannot_be_reached_refuses_a_spawn_and_starts_nothing(company: TmuxCompany, tmp_path: Path) -> None:
    """A spawn that tmux did not carry out is a refusal with tmux's words; the same attempt can still be started later."""
    order = company.sh("exit 4")
    broken = company.new_workers(fake_tmux(tmp_path / "bin", "echo 'no more windows' >&2; exit 1"))

    with pytest.raises(Refusal, match="no more windows"):
        broken.spawn(order)

    assert company.workers.state(order.run_dir).phase is WorkerPhase.NOT_STARTED
    assert company.ended(order).exit_code == 4


def test_a_missing_tmux_is_named_with_the_remedy(company: TmuxCompany) -> None:
    """Without tmux the refusal says how to install it."""
    with pytest.raises(Refusal) as refused:
        company.new_workers({"PATH": str(company.root)}).prepare()

    assert code_of(refused) == "tmux-missing"
    assert "install tmux" in refused.value.in_lang("en")


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a.b", "-x", "../x", "#(touch x)", "名", "a\n"])
def test_names_that_tmux_could_misread_are_refused(company: TmuxCompany, name: str) -> None:
    """company.yaml may name socket and session, in words that mean nothing else to tmux."""
    for settings in (TmuxSettings(socket=name), TmuxSettings(socket="ok", session=name)):
        with pytest.raises(Refusal) as refused:
            TmuxWorkers(
                settings,
                company="c",
                config=company.root,
                log=company.root,
                doorbell=company.root,
                clock=company.clock,
                environ={},
            )
        assert code_of(refused) == "tmux-name-unusable"


@pytest.mark.parametrize("word", ["x;", "x\\;", ";", "-x", "a b'\"$`"])
def test_words_reach_tmux_as_they_are(company: TmuxCompany, word: str) -> None:
    """A trailing `;` would end the command there and make the next word a command."""
    tmux = Tmux(socket=company.socket, session="hermes", config=company.root / "tmux.conf", environ=company.environ)

    tmux.ask(("set-option", "-t", "=hermes:", "@test", word), ("display-message", "-p", "done"))

    assert company.tmux("show-options", "-v", "-t", "=hermes:", "@test") == word


def test_the_server_knows_nothing_of_our_environment(tmp_path: Path) -> None:
    """Keys and tokens of the shell that hc was started from do not reach the windows."""
    with tmux_company(tmp_path / "acme") as company:
        environ = {**company.environ, "ANTHROPIC_API_KEY": "s3cret", "HC_RUN_TOKEN": "outer", "LANG": "zh_CN.UTF-8"}
        company.new_workers(environ).prepare()

        known = company.tmux("show-environment", "-g")

        assert "s3cret" not in known
        assert "outer" not in known
        assert "LC_CTYPE=zh_CN.UTF-8" in known


def test_an_agents_own_tmux_confuses_nobody(company: TmuxCompany, tmp_path: Path) -> None:
    """hc started inside an agent's window goes to its own company's server, not to the one it was started in."""
    outer = company.tmux("display-message", "-p", "#{socket_path},#{pid},0")
    with tmux_company(tmp_path / "inner", company="company-b") as inner:
        inside = {**inner.environ, "TMUX": outer, "TMUX_PANE": "%0", "HC_RUN_TOKEN": "outer"}
        inner.workers = inner.new_workers(inside)
        inner.workers.prepare()
        start(inner)

        assert inner.windows() == ["company", "agent_ann"]
        assert company.windows() == ["company"]


def test_a_persons_own_window_is_not_taken(company: TmuxCompany) -> None:
    """What a person runs in a window of an agent's name is not killed."""
    company.tmux("new-window", "-d", "-t", "=hermes:", "-n", "agent_ann", "sleep", "600")
    order = company.sh("exit 0")

    with pytest.raises(Refusal) as refused:
        company.workers.spawn(order)

    assert code_of(refused) == "window-busy"
    assert company.tmux("list-panes", "-t", "=hermes:=agent_ann", "-F", "#{pane_dead}") == "0"


def test_a_split_window_keeps_its_attempts_pane(company: TmuxCompany) -> None:
    """A person may split an agent's window: the next attempt goes into the agent's pane and leaves theirs alone."""
    first = company.sh("exit 0", ticket="TASK-1")
    pane = company.workers.spawn(first)
    company.phase(first, WorkerPhase.EXITED)
    theirs = company.tmux("split-window", "-d", "-b", "-P", "-F", "#{pane_id}", "-t", pane, "sleep", "600")

    second = company.sh("exit 0", ticket="TASK-2")
    company.workers = company.new_workers()

    assert company.workers.spawn(second) == pane
    company.phase(second, WorkerPhase.EXITED)
    assert f"{theirs} 0" in company.tmux("list-panes", "-t", pane, "-F", "#{pane_id} #{pane_dead}")


def test_a_window_that_was_closed_is_made_anew(company: TmuxCompany) -> None:
    """A person may close an agent's window at any time; the next attempt gets a new one."""
    company.ended(company.sh("exit 0", ticket="TASK-1"))
    company.tmux("kill-window", "-t", "=hermes:=agent_ann")

    assert company.ended(company.sh("exit 3", ticket="TASK-2")).exit_code == 3


def test_a_new_orchestrator_takes_up_what_runs(company: TmuxCompany) -> None:
    """Workers that know nothing see the living attempt, its words, and can end it."""
    order = company.sh(STAYS)
    pane = company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)

    company.workers = company.new_workers()
    company.workers.prepare()

    until(lambda: company.workers.tail(order.run_dir, pane, 1) == "last words")
    assert company.workers.state(order.run_dir).phase is WorkerPhase.RUNNING
    company.end(order)


def test_the_screen_stays_readable_after_the_end(company: TmuxCompany) -> None:
    """An idle window still shows what the last attempt said, and that it has ended; only the former counts as its words."""
    order = company.sh(f"printf '%s\\n' 老黄 {'x' * 300}; exit 0")
    pane = company.workers.spawn(order)
    company.phase(order, WorkerPhase.EXITED)

    until(lambda: "──" in company.tmux("capture-pane", "-p", "-t", pane))
    shown = company.tmux("capture-pane", "-p", "-J", "-t", pane)
    assert shown.splitlines() == [
        "老黄",
        "x" * 300,
        "",
        "── TASK-1/1 has ended; this window waits for the agent's next ticket ──",
    ]
    assert company.workers.tail(order.run_dir, pane, 3).splitlines() == ["老黄", "x" * 300]


def test_a_pane_shows_only_its_own_attempt(company: TmuxCompany) -> None:
    """Another attempt's words are never taken for this one's: not by tail, not for the log that is kept."""
    first, second = company.sh("echo first", ticket="TASK-1"), company.sh("echo second", ticket="TASK-2")
    pane = company.workers.spawn(first)
    company.phase(first, WorkerPhase.EXITED)
    until(lambda: "first" in company.workers.tail(first.run_dir, pane, 5))
    company.workers.keep_output(first.run_dir, pane)
    company.workers.spawn(second)
    company.phase(second, WorkerPhase.EXITED)
    until(lambda: "second" in company.workers.tail(second.run_dir, pane, 5))

    company.workers.keep_output(first.run_dir, pane)

    assert "second" not in company.workers.tail(first.run_dir, pane, 5)
    assert "first" not in company.workers.tail(second.run_dir, pane, 500)


def test_a_pane_of_another_launcher_is_not_read(company: TmuxCompany) -> None:
    """A new tmux server gives the same pane ids out again: what is shown there now are not this attempt's words."""
    order = company.sh("echo mine; exec sleep 600")
    pane = company.workers.spawn(order)
    until(lambda: company.workers.tail(order.run_dir, pane, 5) == "mine")
    company.tmux("respawn-pane", "-k", "-t", pane, "/bin/sh", "-c", "echo theirs; exec sleep 600")
    until(lambda: "theirs" in company.tmux("capture-pane", "-p", "-t", pane))

    company.workers.keep_output(order.run_dir, pane)

    assert company.workers.tail(order.run_dir, pane, 5) == ""
    assert (order.run_dir / "pane.log").read_text() == ""


def test_an_engine_cannot_rename_its_window(company: TmuxCompany) -> None:
    """Escape sequences of an engine do not change how its window is found."""
    pane = start(company, "printf '\\033kother\\033\\\\\\033]2;title\\007'; echo ready; exec sleep 600")
    until(lambda: "ready" in company.tmux("capture-pane", "-p", "-t", pane))

    assert company.windows() == ["company", "agent_ann"]


@pytest.mark.parametrize(("window", "shown"), [("agent_ann", "agent_ann"), (None, "company")])
def test_the_attach_command_works(company: TmuxCompany, window: str | None, shown: str) -> None:
    """The words that hc prints bring a person to the window they name, although a longer name begins alike."""
    start(company, window="agent_ann2", ticket="TASK-2")
    start(company)
    master, terminal = pty.openpty()
    words = company.workers.attach_command(window)
    client = subprocess.Popen(
        words, stdin=terminal, stdout=terminal, stderr=terminal, env=company.environ, start_new_session=True
    )
    os.close(terminal)
    try:
        until(lambda: company.tmux("list-clients", "-F", "#{client_session} #{window_name}") == f"hermes {shown}")
    finally:
        company.tmux("detach-client", "-s", "hermes")
        client.wait(10)
        os.close(master)
    # zsh would expand a word that begins with `=`.
    assert not any(word.startswith("=") for word in words)
