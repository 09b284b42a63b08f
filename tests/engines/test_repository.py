"""Finding the repository around a folder, compared with git's own answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hermes_company.engines.repository import repository_root


def git(folder: Path, *words: str) -> str:
    """What git says there."""
    command = [
        "git",
        "-C",
        str(folder),
        "-c",
        "user.email=a@example.com",
        "-c",
        "user.name=a",
        "-c",
        "protocol.file.allow=always",
    ]
    return subprocess.run([*command, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with one commit."""
    folder = tmp_path.resolve() / "site"
    (folder / "src" / "pages").mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def test_outside_of_git(tmp_path: Path) -> None:
    """A folder without a repository around it has no root."""
    assert repository_root(tmp_path) is None


def test_from_the_top_and_from_below(top: Path) -> None:
    """Every folder of a repository leads to its top, as git says."""
    for folder in (top, top / "src", top / "src" / "pages"):
        assert str(repository_root(folder)) == git(folder, "rev-parse", "--show-toplevel")


def test_linked_worktree_leads_to_the_main_one(top: Path) -> None:
    """A linked worktree belongs to the repository that it was made from."""
    tree = top.parent / "tree"
    git(top, "worktree", "add", "-q", str(tree))

    assert repository_root(tree) == top


def test_worktree_of_a_bare_repository_is_its_own(top: Path) -> None:
    """Where there is no main working tree, the linked one is what an engine asks about."""
    bare, tree = top.parent / "site.git", top.parent / "tree"
    git(top.parent, "clone", "-q", "--bare", str(top), str(bare))
    git(bare, "worktree", "add", "-q", str(tree))

    assert repository_root(tree) == tree


def test_submodule_is_its_own_repository(top: Path) -> None:
    """A submodule has a `.git` file too, but its root is its own folder."""
    other = top.parent / "other"
    git(top.parent, "clone", "-q", str(top), str(other))
    git(other, "submodule", "--quiet", "add", str(top), "lib")

    assert str(repository_root(other / "lib")) == git(other / "lib", "rev-parse", "--show-toplevel")


def test_strange_mark_is_a_repository_of_its_own(top: Path) -> None:
    """A `.git` file that says nothing we understand leads nowhere else."""
    (top / "src" / ".git").write_bytes(b"\xff\x00")

    assert repository_root(top / "src" / "pages") == top / "src"
