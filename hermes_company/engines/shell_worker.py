"""Runs the blocks of one ticket and hands it in: the process behind the shell engine.

Stand-alone: `python -I -S shell_worker.py`. Takes the scripts `block-*.sh` and `block-*.bash` from `$HC_RUN_DIR`, runs them in
the folder it was started in, and writes `summary.md` and then `DONE` or `BLOCKED` into `$HC_OUTBOX`.
"""

from __future__ import annotations

import itertools
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# Exit status of a block, and then ours, that means: try later.
TRY_LATER = 75
_KEPT_BYTES = 8_192
_BLOCKED_LINES = 20
_MOST_FILES = 20_000
_MOST_LISTED = 200
# Where others keep what nobody calls a deliverable.
_PASSED_OVER = frozenset({".git", ".hc", ".attempts", ".venv", "node_modules", "__pycache__"})
_MARKERS = frozenset({"summary.md", "DONE", "BLOCKED"})

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_WORDS = {
    "en": {
        "own": "Run by the shell engine",
        "steps": "Steps",
        "output": "Output",
        "deliverables": "Deliverables",
        "block": "Block {number}: {ended}, {seconds:.1f} s",
        "status": "status {status}",
        "signal": "signal {number}",
        "nothing": "(nothing)",
        "cut": "(the last 8 KB)",
        "more": "… and {count} more",
        "uncounted": "{folder} holds more than {count} files; what changed there is not listed.",
        "blocked": "Block {number} ended with {ended}.",
        "last": "Its last lines:",
    },
    "zh": {
        "own": "由 shell 引擎执行",
        "steps": "步骤",
        "output": "输出",
        "deliverables": "产出物",
        "block": "代码块 {number}：{ended}，{seconds:.1f} 秒",
        "status": "状态 {status}",
        "signal": "信号 {number}",
        "nothing": "（无）",
        "cut": "（最后 8 KB）",
        "more": "……另有 {count} 个",
        "uncounted": "{folder} 中的文件超过 {count} 个，未列出其中的变化。",
        "blocked": "代码块 {number} 以{ended} 结束。",
        "last": "最后几行输出：",
    },
}


class Ran(NamedTuple):
    """One block that has run."""

    number: int
    script: str
    # As `subprocess` has it: negative is a signal's number.
    status: int
    seconds: float
    # The end of what it wrote, and whether there was more.
    output: str
    cut: bool


def main() -> int:
    """Run all blocks; the exit status is 0 (handed in), 1 (a block failed) or 75 (try later)."""
    run_dir, outbox, workdir = Path(os.environ["HC_RUN_DIR"]), Path(os.environ["HC_OUTBOX"]), Path.cwd()
    words = _WORDS["zh" if os.environ.get("HC_LANG") == "zh" else "en"]
    outbox.mkdir(parents=True, exist_ok=True)
    _report(run_dir, "SessionStart")
    _report(run_dir, "UserPromptSubmit")
    before = _look(workdir, outbox)
    ran = _run_all(run_dir)
    if ran[-1].status == TRY_LATER:
        return TRY_LATER
    _hand_in(outbox, ran, words, _changes(before, _look(workdir, outbox), words))
    _report(run_dir, "Stop")
    return int(ran[-1].status != 0)


def _report(run_dir: Path, event: str) -> None:
    """Say how far it is, as the other engines' hooks do."""
    subprocess.run(["sh", str(run_dir / "hook.sh"), event], input=b"{}", check=False)


# --- running ----------------------------------------------------------------------------------------------------------


def _run_all(run_dir: Path) -> list[Ran]:
    """Run the blocks up to the first one that fails."""
    screen = Screen()
    ran: list[Ran] = []
    for number, script in enumerate(sorted(run_dir.glob("block-*.*sh")), start=1):
        ran.append(_run(number, script, screen))
        _report(run_dir, "PostToolUse")
        if ran[-1].status:
            break
    return ran


def _run(number: int, script: Path, screen: Screen) -> Ran:
    shell = script.suffix[1:]
    screen.show(f"\033[1m── {number} ── {shell}\033[0m\n".encode())
    started = time.monotonic()
    with subprocess.Popen(
        [shell, "-eu", str(script)], stdin=subprocess.DEVNULL, stdout=screen.entry, stderr=screen.entry
    ) as process:
        output, cut = screen.follow(process)
    text = output.decode("utf-8", "replace")
    return Ran(number, script.read_text("utf-8"), process.returncode, time.monotonic() - started, text, cut)


class Screen:
    """Where the blocks write: shown at once, the end of it kept.

    One pipe for all blocks, open to the last: what a block leaves running in the background may go on writing.
    """

    def __init__(self) -> None:
        self._exit, self.entry = os.pipe()
        self._woken, wake = os.pipe()
        for descriptor in (self._exit, self._woken, wake):
            os.set_blocking(descriptor, False)
        # So that the end of a block is noticed even while something else keeps the pipe open.
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def show(self, data: bytes) -> None:
        """Write to the terminal."""
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    def follow(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bool]:
        """Until the process ends: show what arrives. Returns the end of it and whether there was more."""
        kept, size = b"", 0
        running = True
        while running:
            running = process.poll() is None
            if running:
                select.select([self._exit, self._woken], [], [])
                _drain(self._woken)
            arrived = _drain(self._exit)
            self.show(arrived)
            size += len(arrived)
            kept = (kept + arrived)[-_KEPT_BYTES:]
        return kept, size > _KEPT_BYTES


def _drain(source: int) -> bytes:
    """What lies in a pipe now, at most 1 MB of it."""
    chunks: list[bytes] = []
    try:
        while len(chunks) < 16 and (chunk := os.read(source, 65_536)):
            chunks.append(chunk)
    except BlockingIOError:
        pass
    return b"".join(chunks)


# --- handing in -------------------------------------------------------------------------------------------------------


def _hand_in(outbox: Path, ran: list[Ran], words: dict[str, str], changes: list[str]) -> None:
    summary = outbox / "summary.md"
    theirs = summary.read_text("utf-8", "replace").strip() if summary.is_file() else ""
    level, head = (3, f"{theirs}\n\n## {words['own']}\n\n") if theirs else (2, "")
    _write(summary, head + _summary(ran, words, changes, level))
    failed = ran[-1] if ran[-1].status else None
    if failed:
        _write(outbox / "BLOCKED", _reason(failed, words))
    elif not (outbox / "BLOCKED").exists():
        _write(outbox / "DONE", os.environ["HC_RUN_TOKEN"] + "\n")


def _summary(ran: list[Ran], words: dict[str, str], changes: list[str], level: int) -> str:
    mark = "#" * level
    lines = [f"{mark} {words['steps']}", ""]
    for block in ran:
        lines += [f"- {_headline(block, words)}", "", _fenced(block.script, "sh"), ""]
    lines += [f"{mark} {words['output']}", ""]
    for block in ran:
        lines += [f"- {block.number} {words['cut'] if block.cut else ''}".rstrip(), ""]
        lines += [_fenced(block.output, "text") if block.output.strip() else words["nothing"], ""]
    lines += [f"{mark} {words['deliverables']}", ""]
    return "\n".join([*lines, *(f"- {change}" for change in changes or [words["nothing"]]), ""])


def _headline(block: Ran, words: dict[str, str]) -> str:
    return words["block"].format(number=block.number, ended=_ended(block, words), seconds=block.seconds)


def _ended(block: Ran, words: dict[str, str]) -> str:
    if block.status < 0:
        return words["signal"].format(number=-block.status)
    return words["status"].format(status=block.status)


def _reason(block: Ran, words: dict[str, str]) -> str:
    last = "\n".join(block.output.splitlines()[-_BLOCKED_LINES:])
    first = words["blocked"].format(number=block.number, ended=_ended(block, words))
    return f"{first}\n\n{words['last']}\n\n{last}\n" if last.strip() else f"{first}\n"


def _fenced(text: str, word: str) -> str:
    """A block whose fence is longer than any row of back-ticks in the text."""
    fence = "`" * max([3, *(len(row) + 1 for row in re.findall("`+", text))])
    return f"{fence}{word}\n{_COLOURS.sub('', text).rstrip()}\n{fence}"


def _write(path: Path, text: str) -> None:
    """The whole text at once, or nothing: the orchestrator looks at any moment."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(path)


# --- what changed -----------------------------------------------------------------------------------------------------

Look = dict[Path, tuple[int, int, int] | None]


def _look(*folders: Path) -> Look:
    """Every file below the folders, by what tells that it changed. A folder with too many is there as itself, with None."""
    found: Look = {}
    for folder in folders:
        files = list(itertools.islice(_files(folder), _MOST_FILES + 1))
        found |= {folder: None} if len(files) > _MOST_FILES else dict(files)
    return found


def _files(folder: Path) -> Iterator[tuple[Path, tuple[int, int, int]]]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _PASSED_OVER)
        for path in (Path(place, name) for name in names if name not in _MARKERS):
            try:
                status = path.lstat()
            except FileNotFoundError:  # something in the background took it away
                continue
            yield path, (status.st_ino, status.st_size, status.st_ctime_ns)


def _changes(before: Look, after: Look, words: dict[str, str]) -> list[str]:
    changed = sorted(str(path) for path, look in after.items() if look and before.get(path) != look)
    uncounted = [words["uncounted"].format(folder=path, count=_MOST_FILES) for path, look in after.items() if look is None]
    more = [words["more"].format(count=len(changed) - _MOST_LISTED)] if len(changed) > _MOST_LISTED else []
    return [f"`{path}`" for path in changed[:_MOST_LISTED]] + more + uncounted


if __name__ == "__main__":
    sys.exit(main())
