"""What a person sees when something is not done."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.person import Person


def test_a_refusal_says_what_why_and_what_now(person: Person) -> None:
    """Code and fact, the cause, the remedy on standard error; nothing on standard output; the refusal's own status."""
    answer = person.hc("agent", "show", "workr")

    assert answer.status == 2
    assert answer.out == ""
    assert answer.err.splitlines() == [
        "✗ agent-unknown: There is no agent workr.",
        "    Nobody would do its tickets.",
        "  → Did you mean `worker`?",
    ]


def test_a_refusal_in_chinese(chinese: Person) -> None:
    """A Chinese company refuses in Chinese; the code is the same."""
    answer = chinese.hc("why", "TASK-9")

    assert answer.err.startswith("✗ ticket-unknown: 没有工单 TASK-9。")


def test_a_refusal_for_programs(person: Person) -> None:
    """With --json the refusal is one JSON document on standard error."""
    answer = person.hc("why", "TASK-9", "--json")

    assert answer.status == 2
    assert answer.out == ""
    assert json.loads(answer.err)["error"]["code"] == "ticket-unknown"


@pytest.mark.parametrize(
    "argv", [("nope",), ("task", "shw", "X"), ("why",), ("status", "--nope"), ("task", "list", "--state", "x")]
)
def test_wrong_usage(person: Person, argv: tuple[str, ...]) -> None:
    """A command line that can't be understood: status 2, what is wrong, and where the help is."""
    answer = person.hc(*argv)

    assert answer.status == 2
    assert answer.err.startswith("✗ bad-usage: ")
    assert "--help` shows how it is used." in answer.err


def test_outside_of_a_company(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a company, every command that needs one says how to name it."""
    answer = Person(tmp_path, capsys).hc("status")

    assert answer.status == 2
    assert "company-not-found" in answer.err
    assert "hc init" in answer.err


def test_a_fault_of_ours_leaves_a_log(person: Person) -> None:
    """What nobody foresaw: one line, status 70, and a log with the traceback but without secrets."""
    secret = "-".join(("sk", "ant", "abcdefghij" * 3))
    person.layout.events_file.mkdir()
    answer = person.hc("events", "--ticket", secret)
    log = Path(re.search(r"\S+hc-fault-\S+\.log", answer.err).group())  # type: ignore[union-attr]
    kept = log.read_text()
    mode = log.stat().st_mode
    log.unlink()

    assert answer.status == 70
    assert answer.err.splitlines()[0].startswith("✗ internal-fault: IsADirectoryError")
    assert "Traceback" not in answer.err
    assert "Traceback" in kept
    assert "hc events --ticket" in kept
    assert secret not in kept
    assert mode & 0o077 == 0


def test_ctrl_c_is_quiet(tmp_path: Path) -> None:
    """Ctrl-C ends a command with status 130 and without a traceback."""
    code = (
        "import signal, os\n"
        "from pathlib import Path\n"
        "from hermes_company.cli import boundary\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))\n"
        f"raise SystemExit(boundary.call(['events', '--follow', '--root', {str(tmp_path)!r}], {{}}, Path('/')))\n"
    )
    (tmp_path / "company.yaml").write_text("name: acme\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_reader_that_leaves_is_no_fault(person: Person) -> None:
    """`hc events | head` ends without a traceback."""
    event = {"at": "2026-05-01T09:00:00+00:00", "kind": "ticket.added", "data": {"to": "todo"}}
    lines = [json.dumps({"seq": number, **event}) for number in range(1, 5_000)]
    person.layout.events_file.write_text("\n".join(lines) + "\n")
    command_line = f"{sys.executable} -m hermes_company events --root {person.here} | head -n 1"
    done = subprocess.run(["sh", "-c", command_line], capture_output=True, text=True, timeout=60, check=False)

    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
