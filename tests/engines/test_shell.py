"""The shell engine: which blocks it runs, and what it hands in."""

from __future__ import annotations

import os
import subprocess
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hermes_company.domain.signals import SignalKind
from hermes_company.engines.shell import Shell, fenced_blocks
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Job
from tests.support.engine_rig import EngineRig, make_job
from tests.support.tmux import tmux_company


def shells(body: str) -> list[tuple[str | None, str]]:
    """Program and text of every block of a body."""
    return [(block.shell, block.text) for block in fenced_blocks(textwrap.dedent(body))]


# --- which blocks -----------------------------------------------------------------------------------------------------


def test_blocks_in_order() -> None:
    """`sh`, `shell` and `bash` blocks are run in the order of the text; other languages are only shown."""
    body = """\
        Do this:
        ```sh
        one
        ```
        ~~~~ Bash title="x"
        two
        ~~~
        ~~~~
        ```python
        three
        ```
        ```shell
        four
        ```
        ```
        five
        ```
        """

    assert shells(body) == [("sh", "one\n"), ("bash", "two\n~~~\n"), (None, "three\n"), ("sh", "four\n"), (None, "five\n")]


def test_blocks_in_lists_lose_their_indentation() -> None:
    """A block inside of a list is run as it would stand at the margin, so that here-documents work."""
    body = "1. first\n\n    ```sh\n    cat <<E\n      kept\n    E\n\n    ```\n"

    assert shells(body) == [("sh", "cat <<E\n  kept\nE\n\n")]


def test_quoted_and_inline_code_is_not_run() -> None:
    """What is quoted, shown in another block or written inside of a line is no block of its own."""
    body = "> ```sh\n> rm -rf x\n> ```\n\n```sh ls``` is inline\n\n````md\n```sh\nshown\n```\n````\n"

    assert shells(body) == [(None, "```sh\nshown\n```\n")]


def test_windows_line_ends() -> None:
    """A ticket written on Windows runs without carriage returns in its commands."""
    assert shells("```sh\r\necho a\r\n```\r\n") == [("sh", "echo a\n")]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("Please do it.", "shell-no-block"),
        ("```python\nx\n```", "shell-no-block"),
        ("```sh\necho a", "shell-block-open"),
        ("```python\nx\n\n```sh\necho a\n", "shell-block-open"),
    ],
)
def test_unfit_ticket_is_refused(tmp_path: Path, body: str, code: str) -> None:
    """Nothing is started where no command stands or where it can't be told what is one."""
    with pytest.raises(Refusal) as raised:
        Shell().start(make_job(tmp_path, "shell", body=body, environ=dict(os.environ)))

    assert raised.value.code == code


def test_missing_shell_is_refused(tmp_path: Path) -> None:
    """A `bash` block on a machine without bash is refused before anything runs, with the block's line."""
    job = make_job(tmp_path, "shell", body="x\n```bash\ntrue\n```", environ={"PATH": str(tmp_path)})
    with pytest.raises(Refusal) as raised:
        Shell().start(job)

    assert raised.value.code == "shell-missing"
    assert "line 2" in raised.value.in_lang("en")


# --- what it hands in -------------------------------------------------------------------------------------------------


@dataclass
class Worked:
    """What the worker left."""

    job: Job
    status: int
    shown: str

    @property
    def summary(self) -> str:
        return (self.job.outbox / "summary.md").read_text()

    @property
    def left(self) -> set[str]:
        return {path.name for path in self.job.outbox.iterdir()}


def work(root: Path, body: str, *, lang: str = "en", **changes: Any) -> Worked:
    """Run a ticket's blocks without a terminal."""
    job = make_job(root, "shell", body=textwrap.dedent(body), environ=dict(os.environ), **changes)
    launch = Shell().start(job)
    for name, text in launch.files.items():
        (job.run_dir / name).write_text(text)
    env = {
        "PATH": os.environ["PATH"],
        "HC_RUN_DIR": str(job.run_dir),
        "HC_OUTBOX": str(job.outbox),
        "HC_RUN_TOKEN": job.token,
        "HC_TICKET": job.ticket,
        "HC_FEEDBACK": job.feedback or "",
        "HC_LANG": lang,
        **launch.env,
    }
    done = subprocess.run(launch.argv, cwd=job.workdir, env=env, input=b"typed\n" * 3, capture_output=True, check=False)
    return Worked(job, done.returncode, (done.stdout + done.stderr).decode())


def test_hands_in_what_ran(tmp_path: Path) -> None:
    """Commands, status, output and changed files stand in the summary; DONE carries the attempt's token."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "kept.txt").write_text("as it was")
    (tmp_path / "work" / "old.txt").write_text("old")
    worked = work(
        tmp_path,
        """\
        ```sh
        echo "你好 from $HC_TICKET"
        echo new > old.txt
        ```
        ```bash
        [[ -n x ]] && echo err >&2
        mkdir -p site node_modules && echo x | tee site/index.html node_modules/dep.js > "$HC_OUTBOX/report.txt"
        ```
        """,
    )

    assert worked.status == 0
    assert (worked.job.outbox / "DONE").read_text().strip() == worked.job.token
    assert "## Steps\n\n- Block 1: status 0, " in worked.summary
    assert '```sh\necho "你好 from $HC_TICKET"\necho new > old.txt\n```' in worked.summary
    assert "## Output\n\n- 1\n\n```text\n你好 from TASK-1\n```\n\n- 2\n\n```text\nerr\n```" in worked.summary
    deliverables = worked.summary.partition("## Deliverables\n\n")[2].split()
    outbox, workdir = worked.job.outbox, worked.job.workdir
    assert deliverables[1::2] == [f"`{outbox}/report.txt`", f"`{workdir}/old.txt`", f"`{workdir}/site/index.html`"]


def test_speaks_chinese(tmp_path: Path) -> None:
    """In a Chinese company the summary's headings and the reason of a failure are Chinese."""
    worked = work(tmp_path, "```sh\nfalse\n```", lang="zh")

    assert [line for line in worked.summary.splitlines() if line.startswith("#")] == ["## 步骤", "## 输出", "## 产出物"]
    assert (worked.job.outbox / "BLOCKED").read_text().startswith("代码块 1 以状态 1 结束。")


def test_first_failure_stops(tmp_path: Path) -> None:
    """A failing block ends the run: BLOCKED says which, how and what it said last; later blocks never run."""
    body = "```sh\necho one\n```\n```sh\nseq 100\necho last words >&2\nexit 3\n```\n```sh\ntouch never\n```"
    worked = work(tmp_path, body)
    reason = (worked.job.outbox / "BLOCKED").read_text()

    assert worked.status == 1
    assert worked.left == {"summary.md", "BLOCKED"}
    assert reason.startswith("Block 2 ended with status 3.\n")
    assert reason.endswith("\n100\nlast words\n")
    assert "\n50\n" not in reason
    assert not (worked.job.workdir / "never").exists()


def test_unset_variable_and_failing_command_stop_a_block(tmp_path: Path) -> None:
    """Blocks run with -e and -u: neither a failing command nor a misspelt variable is passed over."""
    for number, command in enumerate(("false", "echo $MISSPELT", "false | true; ls /nonexistent"), start=1):
        worked = work(tmp_path, f"```sh\n{command}\ntouch after\n```", ticket=f"TASK-{number}")

        assert worked.status == 1
        assert not (worked.job.workdir / "after").exists()


def test_ended_by_a_signal(tmp_path: Path) -> None:
    """A block that is killed is a failure that names the signal."""
    worked = work(tmp_path, "```sh\nkill -9 $$\n```")

    assert (worked.job.outbox / "BLOCKED").read_text() == "Block 1 ended with signal 9.\n"


def test_try_later(tmp_path: Path) -> None:
    """Exit status 75 means: try later. The worker ends with it and leaves no marker."""
    worked = work(tmp_path, "```sh\nexit 75\n```\n```sh\ntouch never\n```")

    assert worked.status == 75
    assert worked.left == set()


def test_blocks_own_summary_comes_first(tmp_path: Path) -> None:
    """A summary that a block wrote is kept, ours follows under its own heading."""
    worked = work(tmp_path, '```sh\nprintf "## Decisions\\n\\nmine\\n" > "$HC_OUTBOX/summary.md"\n```')

    assert worked.summary.startswith("## Decisions\n\nmine\n\n## Run by the shell engine\n\n### Steps\n")


def test_block_may_block_by_itself(tmp_path: Path) -> None:
    """A block that writes BLOCKED hands the ticket back although it ended well: no DONE."""
    worked = work(tmp_path, '```sh\necho "no access" > "$HC_OUTBOX/BLOCKED"\n```')

    assert worked.left == {"summary.md", "BLOCKED"}
    assert (worked.job.outbox / "BLOCKED").read_text() == "no access\n"


def test_feedback_reaches_the_blocks(tmp_path: Path) -> None:
    """After a rejection the blocks run again with the reviewer's words, quotes and all, in HC_FEEDBACK."""
    words = '标题 "太长" $(rm x) `id`\nsecond line'
    worked = work(tmp_path, '```sh\nprintf %s "$HC_FEEDBACK" > feedback.txt\n```', feedback=words)

    assert (worked.job.workdir / "feedback.txt").read_text() == words


def test_keeps_the_end_of_long_output(tmp_path: Path) -> None:
    """All output is shown; the summary keeps the last 8 KB, without colours and inside of its fence."""
    worked = work(tmp_path, "```sh\nseq 30000\nprintf '\\033[31m````\\033[0m\\n'\n```")
    output = worked.summary.partition("## Output")[2].partition("## Deliverables")[0]

    assert "\n1\n2\n3\n" in worked.shown
    assert "- 1 (the last 8 KB)" in output
    assert "\n`````text\n" in output
    assert "30000\n````\n`````\n" in output
    assert len(output) < 8_400


def test_background_process_does_not_hold_the_block_up(tmp_path: Path) -> None:
    """What a block leaves running may go on writing, but the next block starts when the first one itself ends."""
    body = "```sh\n(while :; do echo tick; sleep 0.05; done) &\necho $! > pid\n```\n```sh\nsleep 0.2\nkill $(cat pid)\n```"
    worked = work(tmp_path, body)

    assert worked.status == 0
    assert "tick" in worked.summary.partition("- 2\n")[2]


def test_asks_nobody(tmp_path: Path) -> None:
    """A command that reads its input finds the end of it instead of hanging."""
    worked = work(tmp_path, "```sh\ncat\nread -r answer || echo nobody\n```")

    assert "```text\nnobody\n```" in worked.summary


def test_works_in_a_window(tmp_path: Path) -> None:
    """In its real window the engine reports how far it is, as the others do, and a person can watch the output."""
    with tmux_company(tmp_path / "company") as company:
        rig = EngineRig(company, Shell(), dict(os.environ))
        job = rig.job(body="```sh\necho visible-output\n```")
        rig.begin(job)
        rig.signal(job, SignalKind.TURN_ENDED)

        kinds = [signal.kind for signal in rig.signals(job)]
        assert rig.done(job) == job.token
        assert "visible-output" in rig.screen(job)
        assert kinds == [
            SignalKind.SESSION_STARTED,
            SignalKind.PROMPT_SUBMITTED,
            SignalKind.TOOL_USED,
            SignalKind.TURN_ENDED,
        ]
