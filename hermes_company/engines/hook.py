"""Turns one report of an engine into one line of `signals.jsonl`, and asks for more when a turn ended too early.

Stand-alone: the launch copies this file into the run folder, where `hook.sh` starts it with `python -I -S`. It keeps what
tells how far a run has come, and the engine's own sentence on an error; nothing else: prompts and tool calls may hold
secrets.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from typing import Any

# Copied as they are, when the engine sends them.
_KEPT = ("session_id", "transcript_path", "source", "reason", "stop_hook_active", "notification_type")
_MOST_SAID = 500
_NUDGES_PER_ATTEMPT = 2
# Claude Code and Codex take this exit status of a Stop hook as: go on, with what stands on standard error.
_GO_ON = 2

_NUDGE = {
    "en": (
        "You ended your turn, but the ticket is not handed in. Missing in {outbox}: {missing}. Finish the work now, write "
        "{outbox}/summary.md, then {outbox}/DONE with exactly this line: {token}\nIf you cannot go on without a person, write "
        "the reason into {outbox}/BLOCKED instead."
    ),
    "zh": (
        "你结束了这一轮，但工单还没有交付。{outbox} 里缺少：{missing}。请现在把工作做完，写好 {outbox}/summary.md，"
        "最后写 {outbox}/DONE，内容只有这一行：{token}\n如果没有人帮忙就无法继续，请改为把原因写进 {outbox}/BLOCKED。"
    ),
}


def main(event: str) -> int:
    """Keep the report on standard input and return the hook's exit status."""
    run_dir = os.environ["HC_RUN_DIR"]
    report = json.load(sys.stdin.buffer)
    line = _summarise(event, report)
    nudge = _nudge(run_dir, report) if event == "Stop" else ""
    if nudge:
        line["nudged"] = True
    _append(f"{run_dir}/signals.jsonl", json.dumps(line).encode() + b"\n")
    _ring()
    # In UTF-8 whatever the locale says: that is what the engines read.
    os.write(sys.stderr.fileno(), nudge.encode())
    return _GO_ON if nudge else 0


def _summarise(event: str, report: dict[str, Any]) -> dict[str, object]:
    """The line that is kept of a report."""
    line: dict[str, object] = {"event": event, "at": round(time.time(), 3)}
    line |= {key: report[key] for key in _KEPT if isinstance(report.get(key), str | bool)}
    if isinstance(report.get("prompt"), str):
        import hashlib  # only this report needs it, and every start counts

        prompt = report["prompt"].encode("utf-8", "surrogatepass")
        line |= {"prompt_sha256": hashlib.sha256(prompt).hexdigest(), "prompt_bytes": len(prompt)}
    if isinstance(report.get("error"), str):
        line["error"] = report["error"]
        # Of a turn that failed this is no model's word but the engine's: it may name the time at which a limit ends.
        if event == "StopFailure" and isinstance(report.get("last_assistant_message"), str):
            line["said"] = report["last_assistant_message"][:_MOST_SAID]
    if report.get("background_tasks"):
        line["background"] = len(report["background_tasks"])
    return line


def _ring() -> None:
    """Wake the orchestrator, if it listens."""
    try:
        descriptor = os.open(os.environ.get("HC_DOORBELL") or os.devnull, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as problem:
        # Nobody has it open for reading, or the orchestrator was never started here.
        if problem.errno in (errno.ENXIO, errno.ENOENT):
            return
        raise
    try:
        os.write(descriptor, b".")
    except BlockingIOError:
        pass  # full: it is going to wake up anyway
    finally:
        os.close(descriptor)


def _nudge(run_dir: str, report: dict[str, Any]) -> str:
    """What to tell an engine whose turn ended before the ticket was handed in; empty when it may stop."""
    outbox = os.environ["HC_OUTBOX"]
    missing = [name for name in ("summary.md", "DONE") if not os.path.lexists(f"{outbox}/{name}")]
    if not missing or os.path.lexists(f"{outbox}/BLOCKED"):
        return ""
    # The engine goes on by itself when its background work ends.
    if report.get("background_tasks"):
        return ""
    given = _nudges(run_dir)
    somebody_elses_hook_goes_on = report.get("stop_hook_active") and given == 0
    if somebody_elses_hook_goes_on or given >= _NUDGES_PER_ATTEMPT:
        return ""
    _append(f"{run_dir}/nudges", b".")
    sentence = _NUDGE["zh" if os.environ.get("HC_LANG") == "zh" else "en"]
    return sentence.format(missing=", ".join(missing), outbox=outbox, token=os.environ["HC_RUN_TOKEN"])


def _nudges(run_dir: str) -> int:
    """How often this attempt was nudged: a byte each, so that counting is one look at a size."""
    try:
        return os.stat(f"{run_dir}/nudges").st_size  # noqa: PTH116 - pathlib doubles the start-up time
    except FileNotFoundError:
        return 0


def _append(path: str, data: bytes) -> None:
    """One write, so that what several hooks add at once never mixes."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
