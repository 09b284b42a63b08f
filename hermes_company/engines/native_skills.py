"""A ticket's skills where its engine looks for skills by itself: links in folders of ours, none in a person's."""

from __future__ import annotations

import os
from pathlib import Path

from hermes_company.ports.engine import Job

_FILE = "SKILL.md"
# Claude Code reads this below a folder that it is given with `--add-dir`, Codex the other below its working directory.
_CLAUDE = Path(".claude", "skills")
_CODEX = Path(".agents", "skills")


def folder(job: Job) -> Path | None:
    """What lies in the attempt's folder for `--add-dir`; None where no skill fits, or only flat files that no engine loads."""
    return job.run_dir / "skills" if _skills(job) else None


def lay_out(job: Job) -> None:
    """Make the attempt's folder of skills. It holds links only: an approved skill that is changed counts at once.

    Raises:
        OSError: it can't be written.
    """
    place = folder(job)
    if place is not None:
        names = place / _CLAUDE
        names.mkdir(parents=True, exist_ok=True)
        for name, skill in _skills(job).items():
            _link(names / name, skill)


def lay_into_outbox(job: Job) -> None:
    """Let the ticket's own folder in the outbox lead to the attempt's skills, where the engine works in it.

    A working directory that a person named stays as it is, and so does what the agent made itself.
    """
    place = folder(job)
    if place is None or job.workdir != job.outbox:
        return
    link = job.outbox / _CODEX
    if not os.path.lexists(link.parent):
        link.parent.mkdir()
    if not link.parent.is_symlink() and link.parent.is_dir():
        _link(link, place / _CLAUDE)


def _skills(job: Job) -> dict[str, Path]:
    """Folder of each skill that has one, by name."""
    paths = {skill.name: Path(skill.path) for skill in job.skills}
    return {name: path.parent for name, path in paths.items() if path.name == _FILE}


def _link(link: Path, target: Path) -> None:
    if link.is_symlink():
        if link.readlink() == target:
            return
        link.unlink()
    if not os.path.lexists(link):
        link.symlink_to(target)
