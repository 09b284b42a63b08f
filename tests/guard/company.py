"""A made-up company for the guard: no file of it exists, so that the table can name the worst commands there are."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

from hermes_company.domain.guard import Ground, Verdict, World, judge
from hermes_company.domain.policy import Grounds, Policy, frozen

HOME = "/home/u"
ROOT = f"{HOME}/co"
WORKDIR = f"{HOME}/site"
OUTBOX = f"{ROOT}/outbox/ann/T-1"
ENVIRON = {
    "HOME": HOME,
    "PATH": "/usr/bin:/bin",
    "SHELL": "/bin/bash",
    "HC_ROOT": ROOT,
    "HC_OUTBOX": OUTBOX,
    "HC_WORKDIR": WORKDIR,
}


def ground(workdir: str = WORKDIR, **policy: Any) -> Ground:
    """What an attempt of Ann's may do; `policy` replaces fields of the default policy."""
    grounds = Grounds(root=ROOT, home=HOME, workdir=workdir, outbox=OUTBOX, temp=("/tmp",), socket="hermes-co")
    return Ground(frozen(Policy(**policy), grounds, posixpath.normpath))


def world(links: Mapping[str, str] | None = None, scripts: Mapping[str, str] | None = None) -> World:
    """A machine with these links (absolute path → where it leads) and shell scripts."""
    known = links or {}

    def resolve(path: str) -> str:
        parts: list[str] = []
        for part in path.split("/"):
            if part in ("", "."):
                continue
            parts = parts[:-1] if part == ".." else [*parts, part]
            target = known.get("/" + "/".join(parts))
            parts = [piece for piece in target.split("/") if piece] if target else parts
        return "/" + "/".join(parts)

    return World(ENVIRON, resolve, (scripts or {}).get)


def run(command: str, *, cwd: str = WORKDIR, machine: World | None = None, **policy: Any) -> Verdict:
    """The verdict on a shell command."""
    return judge(ground(**policy), machine or world(), "Bash", {"command": command}, cwd)
