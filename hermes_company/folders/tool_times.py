"""When an attempt's engine had a command running, from `signals.jsonl`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from hermes_company.folders.safe_read import read_head

_MOST_BYTES = 8_388_608
# The guard has judged exactly what these change.
_EXACT = frozenset(("Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "Read", "Grep", "Glob"))
# Time stamps of files come from a clock that runs in steps, and heartbeats are noted in whole seconds.
_BEFORE, _AFTER = 0.02, 1.0


def tool_times(run_dir: Path) -> list[tuple[float, float]]:
    """Start and end (seconds since the epoch) of each stretch in which a command of the engine could change files.

    Empty for an engine that reports no tools: nothing is known of it.
    """
    lines = [line for line in _lines(run_dir) if isinstance(line.get("at"), int | float)]
    times = []
    for place, line in enumerate(lines):
        if line.get("event") == "PreToolUse" and line.get("tool") not in _EXACT:
            # Engines run commands one by one: whatever is reported next, it was over.
            following = lines[place + 1] if place + 1 < len(lines) else {"at": math.inf}
            slack = _AFTER if following.get("event") == "PostToolUse" else 0.0
            times.append((_time(line) - _BEFORE, _time(following) + slack))
    return times


def _time(line: Mapping[str, object]) -> float:
    at = line["at"]
    return float(at) if isinstance(at, int | float) else 0.0


def _lines(run_dir: Path) -> list[Mapping[str, object]]:
    lines: list[Mapping[str, object]] = []
    for raw in (read_head(run_dir / "signals.jsonl", _MOST_BYTES) or b"").splitlines():
        try:
            line = json.loads(raw)
        except ValueError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines
