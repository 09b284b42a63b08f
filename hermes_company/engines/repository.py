"""Which folder the engines take for the project that a working directory belongs to."""

from __future__ import annotations

from pathlib import Path


def repository_root(folder: Path) -> Path | None:
    """The top of the git repository around `folder`; for a linked worktree that of the main one. None outside of git.

    Reads git's files instead of asking git, because it is asked at every launch.
    """
    for place in (folder, *folder.parents):
        mark = place / ".git"
        if mark.is_file():
            return _main_worktree(mark) or place
        if mark.is_dir():
            return place
    return None


def _main_worktree(mark: Path) -> Path | None:
    """`.git` as a file names the worktree's own git folder; that one names the common one, beside which the main tree lies."""
    word, _, target = mark.read_text(errors="replace").strip().partition("gitdir:")
    common = mark.parent / target.strip() / "commondir"
    if word or not target or not common.is_file():
        return None
    shared = (common.parent / common.read_text(errors="replace").strip()).resolve()
    return shared.parent if shared.name == ".git" else None
