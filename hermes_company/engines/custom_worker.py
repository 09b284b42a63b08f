"""Runs the program of one custom agent, reports for it, and hands in for a program that only ends well.

Stand-alone: `python -I -S custom_worker.py`. Takes the command from `$HC_RUN_DIR/command.json` and runs it in the folder that
it was started in, on the same terminal. With the rule `exit`, status 0 and a summary.md are as good as DONE.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

_NOT_EXECUTABLE = 126
# More than the byte order mark and the empty lines that a summary without content may begin with.
_HEAD = 65_536
_EMPTY = {
    "en": "hc: it ended with status 0, but {summary} is missing or empty, so nothing is handed in.",
    "zh": "hc：程序以状态 0 结束，但 {summary} 不存在或没有内容，因此没有交付。",
}


def main() -> int:
    """Run the program; returns its exit status, 128 + its signal's number where a signal ended it."""
    run_dir, outbox = Path(os.environ["HC_RUN_DIR"]), Path(os.environ["HC_OUTBOX"])
    order: dict[str, Any] = json.loads((run_dir / "command.json").read_text("utf-8"))
    outbox.mkdir(parents=True, exist_ok=True)
    # Ctrl-C in the window is for the program, which may live on; a handler, unlike SIG_IGN, is not passed on to it.
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, lambda *_: None)
    try:
        program = subprocess.Popen(order["argv"])
    except OSError as problem:
        _say(f"hc: {order['argv'][0]}: {problem.strerror}")
        return _NOT_EXECUTABLE
    _report(run_dir, "SessionStart", {})
    # The words are with it: no hook of its own could say more of its prompt.
    _report(run_dir, "UserPromptSubmit", {"prompt": (run_dir / "prompt.md").read_text("utf-8")})
    status = program.wait()
    if status == 0 and order["done"] == "exit":
        _hand_in(outbox)
    _report(run_dir, "SessionEnd", {})
    return status if status >= 0 else 128 - status


def _report(run_dir: Path, event: str, report: dict[str, str]) -> None:
    """Say how far it is, as the other engines' hooks do."""
    text = json.dumps(report).encode()
    subprocess.run(["sh", str(run_dir / "hook.sh"), event], input=text, check=False)


def _hand_in(outbox: Path) -> None:
    """Write DONE, unless the program has said how it went itself."""
    if any(os.path.lexists(outbox / name) for name in ("DONE", "BLOCKED")):
        return
    summary = outbox / "summary.md"
    if not _has_content(summary):
        _say(_EMPTY["zh" if os.environ.get("HC_LANG") == "zh" else "en"].format(summary=summary))
        return
    temporary = outbox / f".DONE.{os.getpid()}.tmp"
    temporary.write_text(os.environ["HC_RUN_TOKEN"] + "\n", "utf-8")
    temporary.replace(outbox / "DONE")


def _say(text: str) -> None:
    """In UTF-8 whatever the locale says: the window shows it so."""
    os.write(sys.stderr.fileno(), f"{text}\n".encode("utf-8", "replace"))


def _has_content(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return bool(file.read(_HEAD).decode("utf-8-sig", "replace").strip())


if __name__ == "__main__":
    sys.exit(main())
