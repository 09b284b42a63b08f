"""The engine's own sandbox, for agents whose profile asks for it: the system itself keeps writes inside of a few folders."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from hermes_company.domain.policy import TEMP, writable
from hermes_company.engines.guard import grounds
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Job
from hermes_company.wording import say

# What Claude Code's sandbox is made of on Linux.
_CLAUDE_NEEDS = ("bwrap", "socat")


def codex_words(job: Job) -> Sequence[str]:
    """The words of Codex's command line that say how free its commands are."""
    if not job.agent.sandbox:
        return ("--dangerously-bypass-approvals-and-sandbox",)
    roots = ",".join(f'"{_toml(folder)}"' for folder in _folders(job))
    temp = str(TEMP not in job.policy.write).lower()
    settings = {
        "writable_roots": f"[{roots}]",
        "network_access": str(job.policy.network).lower(),
        "exclude_slash_tmp": temp,
        "exclude_tmpdir_env_var": temp,
    }
    words = [word for name, value in settings.items() for word in ("-c", f"sandbox_workspace_write.{name}={value}")]
    return ("--sandbox", "workspace-write", "--ask-for-approval", "never", *words)


def claude_settings(job: Job) -> dict[str, object]:
    """What Claude Code's settings say of its sandbox; nothing for an agent without one."""
    if not job.agent.sandbox:
        return {}
    network = {} if job.policy.network else {"network": {"deniedDomains": ["*"]}}
    return {
        "sandbox": {
            "enabled": True,
            "failIfUnavailable": True,
            "autoAllowBashIfSandboxed": True,
            # The model itself could ask for a command outside of it.
            "allowUnsandboxedCommands": False,
            "filesystem": {"allowWrite": _folders(job)},
            **network,
        }
    }


def claude_problem(job: Job) -> Refusal | None:
    """What keeps Claude Code from working in its sandbox on this machine."""
    if not job.agent.sandbox or not sys.platform.startswith("linux"):
        return None
    missing = [name for name in _CLAUDE_NEEDS if shutil.which(name, path=job.environ.get("PATH", "")) is None]
    if not missing:
        return None
    return Refusal(
        "sandbox-missing",
        fact=say("Claude Code's sandbox needs {missing}, which are not installed.", missing=", ".join(missing)),
        cause=say("{agent}'s profile asks for the sandbox, so nothing is started without it.", agent=job.agent.name),
        remedy=say("Install them (Debian, Ubuntu: apt install bubblewrap socat), or take `sandbox` out of the profile."),
    )


def unknown_to(engine: str, job: Job) -> Refusal | None:
    """The refusal of an engine that has no sandbox, for an agent whose profile asks for one."""
    if not job.agent.sandbox:
        return None
    return Refusal(
        "sandbox-unknown",
        fact=say(
            "{agent}'s profile asks for a sandbox, and the engine {engine} has none.", agent=job.agent.name, engine=engine
        ),
        cause=say("It would work without the limits that somebody meant it to have."),
        remedy=say("Take `sandbox` out of agents/{agent}/profile.json, or give it another engine.", agent=job.agent.name),
    )


def _folders(job: Job) -> list[str]:
    """The folders that the policy opens. One that is missing would make every command fail."""
    return [folder for folder in writable(job.policy, grounds(job), os.path.realpath) if Path(folder).is_dir()]


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
