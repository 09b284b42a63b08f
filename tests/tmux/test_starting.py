"""What reaches an engine is exactly what was ordered, and it is started once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_company.domain.run import WorkerPhase
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Launch
from hermes_company.terminal import records
from hermes_company.terminal.run_folder import RunFolder
from hermes_company.terminal.screen import Screen
from tests.support.tmux import GRACE, TmuxCompany, tmux_company, until

LAST_WORD = ("/bin/sh", "-c", 'for word; do :; done; printf %s "$word" > word.bin', "sh")
LONG = "- 产品落地页 🚀 \"quotes\" 'single' `backticks` $HOME $(touch x) \\ #(touch y) ; & | < > * ?\n\ttab\r\n"


def word(company: TmuxCompany) -> bytes:
    """The last word of the command line that the engine got."""
    return (company.root / "work" / "word.bin").read_bytes()


@pytest.mark.parametrize(
    "prompt",
    [
        (LONG * 300).encode() + b"carry it out;",
        b"--version",
        b"-",
        b"ends with newlines\n\n\n",
        b";",
        b"not utf-8: \xff\xfe \xc3(",
        b"",
    ],
    ids=["26 KB", "option", "dash", "newlines", "semicolon", "bytes", "empty"],
)
def test_the_prompt_arrives_byte_for_byte(company: TmuxCompany, prompt: bytes) -> None:
    """The prompt is the last word of the command line, whatever is in it."""
    order = company.order(*LAST_WORD, prompt=prompt)

    assert company.ended(order).exit_code == 0
    assert word(company) == prompt


def test_a_prompt_too_long_for_a_word_is_named_instead(company: TmuxCompany) -> None:
    """Above 100,000 bytes the engine is told which file to read."""
    order = company.order(*LAST_WORD, prompt=b"x" * 150_000)

    assert company.ended(order).exit_code == 0
    assert word(company).decode() == f"Read the whole file {order.run_dir}/prompt.md now and carry out what it says."


def test_nul_bytes_of_a_prompt_are_left_out(company: TmuxCompany) -> None:
    """A NUL cannot be in a command line; the rest of the prompt arrives."""
    company.ended(company.order(*LAST_WORD, prompt=b"one\0two"))

    assert word(company) == b"onetwo"


def test_the_environment_is_exactly_what_was_given(company: TmuxCompany) -> None:
    """Besides the order's variables only the terminal's type and the marker; nothing of tmux, of the shell, of ours."""
    given = {"PATH": os.defpath, "GREETING": "你好\n🙂", "EMPTY": "", "SECRET": "s3cret-Value"}
    copy = "open('env.bin', 'wb').write(open('/proc/self/environ', 'rb').read())"
    order = company.order(sys.executable, "-c", copy, environ=given)

    company.ended(order)

    words = (company.root / "work" / "env.bin").read_bytes().rstrip(b"\0").decode().split("\0")
    got = dict(word.split("=", 1) for word in words)
    assert got == {"TERM": "tmux-256color", **given, "HC_RUN_TOKEN": order.token}


def test_the_environment_is_not_kept(company: TmuxCompany) -> None:
    """Keys that are passed to an engine lie in no file once it runs."""
    order = company.sh("exec sleep 600", environ={"PATH": os.defpath, "SECRET": "s3cret-Value"})
    company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)

    assert not (order.run_dir / "env.json").exists()
    assert [path for path in order.run_dir.iterdir() if b"s3cret-Value" in path.read_bytes()] == []


def test_the_run_folder_is_private(company: TmuxCompany) -> None:
    """Nobody else can read what an agent is told, or change what is executed."""
    order = company.sh("exit 0")
    company.ended(order)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in order.run_dir.iterdir()}
    assert modes == {"launch.json": 0o600, "launch.sh": 0o700, "started.json": 0o600, "exit.json": 0o600, "standby": 0o600}
    assert stat.S_IMODE(order.run_dir.stat().st_mode) == 0o700


def test_launching_twice_at_once_starts_once(company: TmuxCompany) -> None:
    """Of many launchers of one attempt one starts the engine; the others end with 97 and say why."""
    order = company.sh("echo started >> started.txt; sleep 0.2")
    run = RunFolder(order.run_dir)
    run.write(order, doorbell=company.root / "doorbell", lang="en")
    environment = (order.run_dir / "env.json").read_bytes()
    launchers = []
    for _ in range(6):
        # As if each had been spawned by an orchestrator of its own.
        records.write(str(order.run_dir / "env.json"), environment)
        launchers.append(subprocess.Popen(["/bin/sh", str(run.script)], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL))

    complaints = [process.communicate()[1].decode() for process in launchers]

    assert sorted(process.returncode for process in launchers) == [0] + [97] * 5
    assert sorted(complaint.split(",")[0] for complaint in complaints) == [""] + ["This attempt was started before"] * 5
    assert (company.root / "work" / "started.txt").read_text() == "started\n"
    assert not (order.run_dir / "env.json").exists()


def test_a_launcher_that_loses_the_fence_starts_nothing(company: TmuxCompany) -> None:
    """Although it has everything it needs, its engine never runs, and the keys it was given are deleted."""
    order = company.sh("echo started >> started.txt")
    run = RunFolder(order.run_dir)
    run.write(order, doorbell=company.root / "doorbell", lang="en")
    (order.run_dir / "started.json").write_text('{"pid": 1}')

    done = subprocess.run(["/bin/sh", str(run.script)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.split(",")[0]) == (97, "This attempt was started before")
    assert (order.run_dir / "started.json").read_text() == '{"pid": 1}'
    assert not (company.root / "work" / "started.txt").exists()
    assert not (order.run_dir / "env.json").exists()


def test_the_fence_needs_no_links(tmp_path: Path) -> None:
    """Where the file system has no hard links, the fence is won by exclusive creation, still only once."""
    path = str(tmp_path / "fence")

    first, second = records._create_in_place(path, b"one"), records._create_in_place(path, b"two")

    assert (first, second, Path(path).read_bytes()) == (True, False, b"one")


def test_a_fence_without_content_is_waited_for_and_then_given_up(company: TmuxCompany) -> None:
    """An empty fence may be just appearing: two seconds long it counts as alive, then as vanished."""
    order = company.sh("exit 0")
    path = order.run_dir / "started.json"
    path.touch()
    fresh = company.workers.state(order.run_dir).phase
    os.utime(path, (path.stat().st_mtime - 3,) * 2)

    assert (fresh, company.workers.state(order.run_dir).phase) == (WorkerPhase.RUNNING, WorkerPhase.VANISHED)


@pytest.mark.parametrize("there", ["nothing", "file"])
def test_a_working_directory_that_is_none_is_refused(company: TmuxCompany, there: str) -> None:
    """tmux would start in `/` instead; the launcher starts nothing, and the window says why."""
    workdir = company.root / "gone"
    if there == "file":
        workdir.touch()
    order = company.sh("touch /tmp/hc-must-not-exist", workdir=workdir)
    pane = company.workers.spawn(order)

    state = company.phase(order, WorkerPhase.EXITED)

    assert (state.exit_code, state.refusal) == (66, "workdir-missing")
    assert str(workdir) in (state.refusal_detail or "")
    shown = until(lambda: company.workers.tail(order.run_dir, pane, 5))
    assert shown == f"The working directory cannot be entered, nothing was started: {state.refusal_detail}"


@pytest.mark.parametrize(
    ("program", "code", "refusal"),
    [("no-such-program", 127, "program-missing"), ("/etc/passwd", 126, "program-unusable"), ("/", 126, "program-unusable")],
)
def test_a_program_that_is_none_is_refused(company: TmuxCompany, program: str, code: int, refusal: str) -> None:
    """A missing or unusable program is told apart from an engine that failed, and named."""
    order = company.order(program)

    state = company.ended(order)

    assert (state.exit_code, state.refusal) == (code, refusal)
    assert program in (state.refusal_detail or "")


def test_the_window_speaks_the_companys_language(tmp_path: Path) -> None:
    """In a Chinese company the launcher's sentences are Chinese, and arrive as such on the screen."""
    with tmux_company(tmp_path / "公司", lang="zh") as company:
        order = company.order("没有这个程序")
        pane = company.workers.spawn(order)
        company.phase(order, WorkerPhase.EXITED)

        shown = until(lambda: company.workers.tail(order.run_dir, pane, 5))
        assert shown == "找不到引擎的程序，什么也没有启动：没有这个程序: No such file or directory"


def test_no_name_in_a_path_is_ever_executed(tmp_path: Path) -> None:
    """A company folder may be called anything: spaces, quotes, tmux's `#(…)`, a trailing `;`, Chinese, emoji."""
    name = "a b'c\"d $(touch x1) `touch x2` #(touch x3) & 公司 😀 \\;"
    with tmux_company(tmp_path / name) as company:
        company.workers.prepare()
        order = company.order(*LAST_WORD, prompt=b"hello", ticket="任务-1")
        pane = company.workers.spawn(order)

        assert company.phase(order, WorkerPhase.EXITED).exit_code == 0
        assert word(company) == b"hello"
        company.workers.keep_output(order.run_dir, pane)
        assert company.tmux("list-panes", "-t", "=hermes:=company", "-F", "#{pane_dead}") == "0"
        executed = [
            path
            for folder in (tmp_path, company.root, company.root / "work", Path.cwd(), Path("/"))
            for path in folder.glob("x[123]")
        ]
        assert executed == []


def test_names_that_are_no_utf8_are_names(company: TmuxCompany) -> None:
    """A folder, a word and a variable of an older system's encoding reach the engine byte for byte."""
    workdir = Path(os.fsdecode(bytes(company.root) + b"/caf\xe9"))
    workdir.mkdir()
    script = 'printf "%s %s" "$1" "$NAME" > word.bin'
    environ = {"PATH": os.defpath, "NAME": os.fsdecode(b"\xfc")}
    order = company.order("/bin/sh", "-c", script, "sh", os.fsdecode(b"\xe4"), workdir=workdir, environ=environ)

    assert company.ended(order).exit_code == 0
    assert (workdir / "word.bin").read_bytes() == b"\xe4 \xfc"


def test_without_its_prompt_nothing_is_started(company: TmuxCompany) -> None:
    """An engine that would begin without being told what to do does not begin; the fence stays open."""
    order = company.sh("touch started.txt")
    order = replace(order, launch=replace(order.launch, prompt_as_argument=True))
    run = RunFolder(order.run_dir)
    run.write(order, doorbell=company.root / "doorbell", lang="en")

    done = subprocess.run(["/bin/sh", str(run.script)], stdin=subprocess.DEVNULL, capture_output=True, check=False)

    assert done.returncode == 1
    assert b"prompt.md" in done.stderr
    assert company.workers.state(order.run_dir).phase is WorkerPhase.NOT_STARTED
    assert not (company.root / "work" / "started.txt").exists()


def test_the_engine_owns_the_terminal(company: TmuxCompany) -> None:
    """It reads what a person types in its window, and Ctrl-C goes to it, not to the launcher."""
    order = company.sh("trap 'exit 9' INT; read line; echo \"got $line\" > got.txt; while :; do sleep 0.05; done")
    pane = company.workers.spawn(order)
    company.phase(order, WorkerPhase.RUNNING)
    company.tmux("send-keys", "-t", pane, "你好", "Enter")
    until((company.root / "work" / "got.txt").exists)
    company.tmux("send-keys", "-t", pane, "C-c")

    state = company.phase(order, WorkerPhase.EXITED)

    assert (company.root / "work" / "got.txt").read_text() == "got 你好\n"
    assert (state.exit_code, state.stopped_by) == (9, None)


def test_an_engine_that_was_stopped_for_its_haste_goes_on() -> None:
    """It may read from the terminal before that is given to it, and is stopped for it: being given it wakes it."""
    engine = subprocess.Popen(["/bin/sh", "-c", "kill -STOP $$; exit 6"], process_group=0)
    os.waitpid(engine.pid, os.WUNTRACED)

    Screen().give_to(engine.pid)

    assert engine.wait(10) == 6


def test_an_engine_inherits_nothing_of_the_launcher(company: TmuxCompany) -> None:
    """No blocked or ignored signal, no open file beyond the terminal, a process group of its own."""
    script = (
        "import json, os, signal\n"
        "status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "fds = sorted(int(fd) for fd in os.listdir('/proc/self/fd'))\n"
        "json.dump({'blocked': int(status['SigBlk'], 16), 'ignored': int(status['SigIgn'], 16) & (1 << 31) - 1, 'fds': fds,"
        " 'leads': os.getpgrp() == os.getpid()}, open('seen.json', 'w'))\n"
    )
    company.ended(company.order("/bin/sh", "-c", f'exec {sys.executable} -I -c "$0"', script))

    seen = json.loads((company.root / "work" / "seen.json").read_text())
    # Python itself ignores SIGPIPE (13) and SIGXFSZ (25); above 31 are the C library's own. 3 is the listing of the folder.
    assert seen == {"blocked": 0, "ignored": 1 << 12 | 1 << 24, "fds": [0, 1, 2, 3], "leads": True}


def test_a_refused_start_leaves_no_environment(company: TmuxCompany) -> None:
    """When tmux cannot be asked, the keys that were laid out for the launcher are removed again."""
    order = company.sh("exit 0")
    broken = company.new_workers({"PATH": str(company.root)})

    with pytest.raises(Refusal, match="tmux-missing"):
        broken.spawn(order)

    assert not (order.run_dir / "env.json").exists()
    assert company.workers.state(order.run_dir).phase is WorkerPhase.NOT_STARTED


def test_a_folder_that_cannot_be_written_is_refused(company: TmuxCompany) -> None:
    """A full or damaged disk is a refusal that says so; nothing was started."""
    order = company.sh("exit 0")
    (order.run_dir / "launch.json").mkdir()

    with pytest.raises(Refusal) as refused:
        company.workers.spawn(order)

    assert (refused.value.code, refused.value.status) == ("run-folder-unusable", 75)
    assert not (order.run_dir / "env.json").exists()


def test_a_start_by_hand_needs_no_terminal(company: TmuxCompany) -> None:
    """A person may run an attempt's launch.sh; its exit status is the engine's."""
    order = company.sh("exit 5")
    run = RunFolder(order.run_dir)
    run.write(order, doorbell=company.root / "doorbell", lang="en")

    done = subprocess.run(["/bin/sh", str(run.script)], stdin=subprocess.DEVNULL, check=False, timeout=10 * GRACE + 10)

    assert done.returncode == 5


def test_files_of_the_launch_cannot_replace_ours(company: TmuxCompany) -> None:
    """An engine's launch files may not be called like the records that prove things."""
    order = company.sh("exit 0", launch=Launch(argv=("true",), files={"started.json": "{}"}))

    with pytest.raises(Refusal, match="launch-unusable"):
        company.workers.spawn(order)
