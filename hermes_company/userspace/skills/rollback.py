"""The way back to an earlier version of a skill, by way of the company's git history."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hermes_company.errors import Refusal
from hermes_company.userspace.memory.git import Git
from hermes_company.userspace.memory.history import History
from hermes_company.wording import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One state of a skill's folder, and the commit in which it was recorded."""

    commit: str
    tree: str


class SkillVersions:
    """What one skill was before.

    Args:
        git: asks the company's repository.
        history: records.
        folder: the approved skill's folder, relative to the company.
    """

    def __init__(self, git: Git, history: History, folder: Path) -> None:
        self._git = git
        self._history = history
        self._path = folder.as_posix()
        self._name = folder.name

    def roll_back(self, to: str = "") -> str:
        """Bring the version before the last change back, or the one of a commit. What lies there now is recorded first.

        Returns:
            The commit that the version was taken from.

        Raises:
            Refusal: `memory-history-missing`, `skill-history-busy`, `skill-version-missing`.
        """
        if not self._history.recording():
            raise _missing()
        if self._git.busy():
            raise _busy()
        self._history.record(f"skills: keep {self._name} as it is")
        now = self._tree("HEAD")
        found = self._version(to) if to else next((v for v in self._versions() if v.tree != now), None)
        if found is None:
            raise self._no_version(to)
        if found.tree != now:
            self._git.run("restore", f"--source={found.commit}", "--worktree", "--", self._path)
            self._history.record(f"skills: roll {self._name} back to {found.commit[:12]}")
        return found.commit

    def _versions(self) -> list[Version]:
        """Every recorded state, the newest first."""
        commits = (self._git.ask("log", "--format=%H", "--", self._path) or "").split()
        return [Version(commit=commit, tree=tree) for commit in commits if (tree := self._tree(commit))]

    def _version(self, word: str) -> Version | None:
        commit = self._git.ask("rev-parse", "--quiet", "--verify", "--end-of-options", f"{word}^{{commit}}")
        tree = self._tree(commit.strip()) if commit else ""
        return Version(commit=commit.strip(), tree=tree) if commit and tree else None

    def _tree(self, commit: str) -> str:
        return (self._git.ask("rev-parse", "--quiet", "--verify", f"{commit}:{self._path}") or "").strip()

    def _no_version(self, word: str) -> Refusal:
        fact = (
            say("The skill {name} is not in commit {commit}.", name=self._name, commit=word)
            if word
            else say("The history knows no other version of the skill {name}.", name=self._name)
        )
        return Refusal(
            "skill-version-missing",
            fact=fact,
            cause=say("Nothing was changed."),
            remedy=say("`git log -- {path}` shows its versions.", path=self._path),
        )


def _missing() -> Refusal:
    return Refusal(
        "memory-history-missing",
        fact=say("This company is not a git repository of its own, or git is not installed."),
        cause=say("Without it, earlier states of memory and skills are not kept."),
        remedy=say("Install git and run `git init` in the company folder."),
    )


def _busy() -> Refusal:
    return Refusal(
        "skill-history-busy",
        fact=say("A merge or rebase is under way in the company's repository."),
        cause=say("The version could not be recorded."),
        remedy=say("Finish it, then do this again."),
        status=75,
    )
