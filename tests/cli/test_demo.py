"""`hc demo`: the whole way, really gone, and nothing left of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.at_work import left_behind
from tests.support.tmux import until


@dataclass(slots=True)
class Stage:
    """A place for demos: temporary folders and tmux sockets of its own."""

    folder: Path
    sockets: Path
    environ: dict[str, str]

    def start(self, *argv: str) -> subprocess.Popen[str]:
        """`hc demo …` in an empty folder."""
        return subprocess.Popen(
            [sys.executable, "-u", "-m", "hermes_company", "demo", *argv],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def demo(self, *argv: str) -> tuple[int, str, str]:
        """`hc demo …` to its end: exit status, output, errors."""
        process = self.start(*argv)
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def left(self) -> list[str]:
        """What is still there of it: files, sockets, processes."""
        files = [str(path) for place in (self.folder, self.sockets) for path in place.rglob("*") if not path.is_dir()]
        return files + left_behind(self.folder)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Short paths: the path of a socket is limited to 107 bytes."""
    folder, sockets = (Path(tempfile.mkdtemp(prefix="hc-", dir="/tmp")) for _ in range(2))
    home = {"HOME": str(tmp_path), "TMPDIR": str(folder), "TMUX_TMPDIR": str(sockets), "LANG": "C.UTF-8"}
    made = Stage(folder, sockets, {"PATH": os.environ["PATH"], **home})
    yield made
    for socket in sockets.rglob("hermes-*"):
        subprocess.run(["tmux", "-S", str(socket), "kill-server"], capture_output=True, check=False)
    with suppress(AssertionError):
        until(lambda: not left_behind(folder), what="the end of all of it")
    for place in (folder, sockets):
        shutil.rmtree(place)


def test_the_whole_story(stage: Stage) -> None:
    """Claimed, run, reviewed, approved, rejected, run again, and what was learned arrives; nothing is left afterwards."""
    status, out, err = stage.demo()
    heads = [line for line in out.splitlines() if line[:1].isdigit()]
    # By number: what is told under each head.
    parts = ["", *out.split("\n\n")]

    assert (status, err) == (0, "")
    assert [head.split(".")[0] for head in heads] == list("12345678")
    assert "tmux -L hermes-hc-demo-" in parts[2]
    assert "TASK-003 waits: It waits for TASK-001" in parts[3]
    assert "attempt 1: shell started in window agent_ann" in parts[4]
    assert "DONE  prices.csv  prices.html  summary.md" in parts[5]
    assert "<tr><td>chair</td><td>25</td></tr>" in parts[5]
    assert "sent back, “Call the customer by name" in parts[6] + parts[7]
    assert "│ Welcome, {name}! Good to see you." in parts[7]
    assert "[TASK-001] experience from TASK-001" in parts[8]
    assert "│ Pitfalls: The export prices.csv has Windows line ends" in parts[8]
    assert stage.left() == []


def test_the_whole_story_in_chinese(stage: Stage) -> None:
    """The same in Chinese: what hc says, the tickets, what the agents wrote and what was learned."""
    status, out, err = stage.demo("--lang", "zh")

    assert (status, err) == (0, "")
    assert "8. 第三张开始，并得知第一张学到的经验" in out
    assert "导出的 prices.csv 是 Windows 换行" in out
    assert "│ {name}，欢迎你！" in out
    assert stage.left() == []


def test_keep_leaves_a_company_that_can_go_on(stage: Stage) -> None:
    """With --keep the folder stays, and it is an ordinary company in which nothing runs."""
    status, out, _ = stage.demo("--keep")
    (folder,) = stage.folder.iterdir()
    shown = subprocess.run(
        [sys.executable, "-m", "hermes_company", "status", "--root", str(folder)],
        env=stage.environ,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert status == 0
    assert f"The company stays in {folder}: `cd {folder}`" in out
    assert shown.splitlines()[:2] == ["demo  nobody runs it: `hc run`", "todo 0   doing 0   blocked 0   review 2   done 1"]
    assert [path for path in stage.sockets.rglob("*") if not path.is_dir()] == []
    assert left_behind(folder) == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_early_end_leaves_nothing(stage: Stage, number: int, status: int) -> None:
    """Ctrl-C or an end from outside in the middle: the loop, the agents, the server and the folder go all the same."""
    process = stage.start()
    assert process.stdout
    while "4. " not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate(timeout=60)

    assert process.returncode == status
    assert "Traceback" not in err
    assert stage.left() == []


def test_a_step_that_does_not_come_is_a_failure(stage: Stage) -> None:
    """Without tmux the run can't begin: the demo says so in the run's own words, fails, and leaves nothing."""
    programs = stage.folder.parent / f"{stage.folder.name}-programs"
    programs.mkdir()
    for name in ("sh", "ps"):
        (programs / name).symlink_to(str(shutil.which(name)))
    stage.environ["PATH"] = str(programs)
    status, out, err = stage.demo()
    shutil.rmtree(programs)

    assert status == 1
    assert "✗ demo-step-missing: `hc run` ended before hc run holds the company." in err
    assert "tmux-missing" in err
    assert "3. " not in out
    assert stage.left() == []


def test_an_engine_that_is_not_there(stage: Stage) -> None:
    """Without its program the demo of an engine says how to install it, before anything is started."""
    programs = stage.folder / "no-programs"
    stage.environ["PATH"] = str(programs)
    status, _, err = stage.demo("--engine", "claude-code")

    assert status == 2
    assert "✗ engine-missing" in err
    assert "npm install -g @anthropic-ai/claude-code" in err
    assert stage.left() == []


def test_nobody_is_billed_without_a_yes(stage: Stage, tmp_path: Path) -> None:
    """With a login of the person's own, the demo says what it costs and asks; without an answer nothing is started."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "codex").write_text("#!/bin/sh\nexit 1\n")
    (programs / "codex").chmod(0o755)
    stage.environ["PATH"] = f"{programs}:{stage.environ['PATH']}"
    status, out, err = stage.demo("--engine", "codex")

    assert status == 2
    assert "4 small runs will be made with your own login of codex." in out
    assert "consent-not-given" in err
    assert stage.left() == []
