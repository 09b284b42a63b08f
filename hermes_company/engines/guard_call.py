"""Judges one tool call of an engine: `guard.sh` starts it with `python -I -S` and the run folder, the call on standard input.

Exit status 0 lets it pass, 2 refuses it with a sentence on standard error. Any other end is a refusal too (see `guard.py`).
"""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

# The package that this file lies in; nothing else of the installation is needed.
sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))  # noqa: PTH100, PTH120

from hermes_company.domain.guard import Asked, Ground, Verdict, World, judge

if TYPE_CHECKING:
    from hermes_company.wording import Text

_REFUSED = 2
# For judging. Far below the limit that the engine is given (`guard.timeout`): it takes a hook that needs longer for a yes.
_SECONDS = 12
# Larger ones are programs like any other.
_LARGEST_SCRIPT = 32_768
_LONGEST_NOTE = 300


def main(run_dir: str) -> int:
    """Judge the call on standard input, note it in `signals.jsonl` and return the exit status."""
    signal.alarm(_SECONDS)
    report = json.load(sys.stdin.buffer)
    with open(f"{run_dir}/policy.json", "rb") as file:  # noqa: PTH123 - pathlib doubles the start-up time
        raw = json.load(file)
    tool, given = report["tool_name"], report["tool_input"]
    given = given if isinstance(given, dict) else {}
    until = time.time() + raw["ask_seconds"]
    ground, world = Ground(raw), World(os.environ, os.path.realpath, _read_script)
    verdict = judge(ground, world, tool, given, report["cwd"])
    said = verdict.sentence
    while verdict.asked:
        said = _ask(run_dir, raw, verdict.asked, given, until)
        if said is not None:
            break
        ground.approved.add((verdict.asked.what, verdict.asked.folder))
        verdict = judge(ground, world, tool, given, report["cwd"])
        said = verdict.sentence
    _note(run_dir, tool, given, verdict)
    if said is None:
        return 0
    words = said.in_lang("zh" if os.environ.get("HC_LANG") == "zh" else "en")
    # In UTF-8 whatever the locale says: that is what the engines read.
    os.write(sys.stderr.fileno(), words.encode("utf-8", "replace"))
    return _REFUSED


def _ask(run_dir: str, raw: Mapping[str, Any], asked: Asked, given: Mapping[str, Any], until: float) -> Text | None:
    """None when a person has said yes, else the sentence for the agent."""
    from hermes_company.engines.guard_ask import Asking  # only the few calls that ask pay for it

    # For all questions of this call together: the engine's patience is counted once.
    signal.alarm(max(1, int(until - time.time()) + _SECONDS))
    command = str(given.get("command", ""))
    return Asking(run_dir, raw, asked, shown=_shown(given), command=command, until=until).settle()


def _read_script(path: str) -> str | None:
    """The text of a shell script; None for what isn't one, or is larger than scripts that people write."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = file.read(_LARGEST_SCRIPT + 1)
    first = data.split(b"\n", 1)[0]
    other_language = first.startswith(b"#!") and not first.split(b"/")[-1].split(b" ")[-1].endswith(b"sh")
    if len(data) > _LARGEST_SCRIPT or b"\0" in data or other_language:
        return None
    return data.decode("utf-8", "replace")


def _note(run_dir: str, tool: str, given: Mapping[str, Any], verdict: Verdict) -> None:
    line: dict[str, object] = {"event": "PreToolUse", "at": round(time.time(), 3), "tool": tool}
    if verdict.rule is not None:
        line |= {"event": "GuardRefused", "rule": verdict.rule, "call": _shown(given)}
    descriptor = os.open(f"{run_dir}/signals.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        # One write, so that what several hooks add at once never mixes.
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    finally:
        os.close(descriptor)


def _shown(given: Mapping[str, Any]) -> str:
    """What the call was about, without secrets."""
    from hermes_company.domain.redaction import redact  # only refusals pay for its patterns

    for key in ("command", "file_path", "notebook_path", "path", "url"):
        if isinstance(given.get(key), str):
            return redact(given[key]).text[:_LONGEST_NOTE]
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
