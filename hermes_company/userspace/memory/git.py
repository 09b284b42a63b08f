"""Asking git, without letting its hooks, prompts or a surrounding git command take part."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

_SECONDS = 60.0
_QUIET = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "commit.gpgsign=false", "core.quotePath=false")
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class GitFailed(Exception):
    """What git said, and which of its commands said it."""


class Git:
    """One company folder's repository.

    Args:
        root: the company; it must be the repository's own top folder to count as one.
        environ: for PATH and the person's git settings.
    """

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root.resolve()
        self._program = shutil.which("git", path=environ.get("PATH", ""))
        # A surrounding git command (a hook, `git rebase --exec`) would point git at another repository.
        self._environ = {key: value for key, value in environ.items() if not key.startswith("GIT_")}

    @property
    def installed(self) -> bool:
        """Whether there is a git to ask."""
        return self._program is not None

    def usable(self) -> bool:
        """Whether git is there and the company is a repository of its own."""
        if self._program is None or not (self._root / ".git").exists():
            return False
        top = self.ask("rev-parse", "--show-toplevel")
        return top is not None and Path(top.strip()).resolve() == self._root

    def busy(self) -> bool:
        """Whether a person is in the middle of a merge, rebase, cherry-pick or revert."""
        folder = Path(self.run("rev-parse", "--absolute-git-dir").strip())
        return any((folder / name).exists() for name in _BUSY)

    def run(self, *words: str, stdin: str = "", index: Path | None = None, identity: str = "") -> str:
        """What the command prints.

        Raises:
            GitFailed: it ended with a failure.
        """
        done = self._start(words, stdin, index, identity)
        if done.returncode != 0:
            raise GitFailed(f"git {words[0]}: {done.stderr.strip() or done.returncode}")
        return done.stdout

    def ask(self, *words: str, stdin: str = "") -> str | None:
        """What the command prints, or None where its failure is an answer too."""
        done = self._start(words, stdin, None, "")
        return done.stdout if done.returncode == 0 else None

    def _start(self, words: tuple[str, ...], stdin: str, index: Path | None, identity: str) -> subprocess.CompletedProcess[str]:
        environ = {**self._environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
        if index:
            environ["GIT_INDEX_FILE"] = str(index)
        if identity:
            for who in ("AUTHOR", "COMMITTER"):
                environ |= {f"GIT_{who}_NAME": identity, f"GIT_{who}_EMAIL": f"{identity}@localhost"}
        settings = [word for setting in _QUIET for word in ("-c", setting)]
        return subprocess.run(
            [str(self._program), "-C", str(self._root), "--literal-pathspecs", *settings, *words],
            input=stdin,
            env=environ,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=_SECONDS,
        )
