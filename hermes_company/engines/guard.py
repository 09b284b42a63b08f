"""The guard's place in a launch: what an engine has to call before each tool, and the policy that it judges by.

The call depends on nothing in its environment. Settings that lie in a project may set variables, `HC_RUN_DIR` and `PATH` too.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

from hermes_company.domain.policy import Grounds, frozen
from hermes_company.ports.engine import Job
from hermes_company.wording import say

EVENT = "PreToolUse"
# What a call may take beyond waiting for a person. The guard gives up long before that, once it runs.
_SECONDS = 60
_PROGRAM = Path(__file__).with_name("guard_call.py")


def command(job: Job) -> str:
    """What the engine has to call: exit status 2 and a sentence on standard error refuse the tool."""
    return f"/bin/sh {shlex.quote(str(job.run_dir / 'guard.sh'))}"


def files(job: Job) -> dict[str, str]:
    """What the call needs in the run folder: name → text."""
    policy = {
        **frozen(job.policy, grounds(job), os.path.realpath),
        "ticket": job.ticket,
        "attempt": job.attempt,
        "outbox": str(job.outbox),
        "ask_seconds": job.policy.ask_minutes * 60,
    }
    return {"guard.sh": _script(job), "policy.json": json.dumps(policy, indent=1)}


def timeout(job: Job) -> int:
    """The engine's own limit for one call, in seconds; whatever takes longer, it takes for a yes."""
    return int(job.policy.ask_minutes * 60) + _SECONDS


def grounds(job: Job) -> Grounds:
    """The folders that the policy's words stand for in this job."""
    temp = {job.environ.get("TMPDIR") or "/tmp", "/tmp"}
    return Grounds(
        root=str(job.root),
        home=job.environ.get("HOME") or str(Path.home()),
        workdir=str(job.workdir),
        outbox=str(job.outbox),
        temp=tuple(sorted(temp)),
        socket=job.tmux_socket,
        # With its socket gone, nobody could reach the company's tmux server any more.
        kept=(f"{job.environ.get('TMUX_TMPDIR') or '/tmp'}/tmux-{os.getuid()}",),
    )


def _script(job: Job) -> str:
    """Whatever ends the guard in any other way than with its word, the tool is refused: engines would take that for a yes."""
    broken = say(
        "The company's guard could not look at this call, so it is refused. Try something simpler; if everything is refused, "
        "say so and end your turn."
    )
    words = " ".join(shlex.quote(str(word)) for word in (sys.executable, "-I", "-S", _PROGRAM, job.run_dir))
    return (
        "#!/bin/sh\n"
        f"{words}\n"
        "case $? in\n"
        "  0) exit 0 ;;\n"
        "  2) exit 2 ;;\n"
        "esac\n"
        'case "${HC_LANG-}" in\n'
        f"  zh) printf '%s\\n' {shlex.quote(broken.in_lang('zh'))} >&2 ;;\n"
        f"  *) printf '%s\\n' {shlex.quote(broken.in_lang('en'))} >&2 ;;\n"
        "esac\n"
        "exit 2\n"
    )
