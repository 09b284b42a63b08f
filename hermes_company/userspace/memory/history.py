"""What memory and skills were before: every change is a commit of its own, beside whatever a person is just staging."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.ports.events import Event
from hermes_company.userspace.memory.git import Git
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.userspace.memory.copies import Copies

AUTHOR = "hc-orchestrator"
PATHS = ("memory", "company/skills", "company/skills-drafts")
_LOCK_SECONDS = 20.0
# Commits of what attempts leave take at most one part in so many of the time.
_SHARE = 10
_PACED = "attempt.closed"
_VERBS: Mapping[str, str] = {
    "attempt.closed": "archive",
    "ticket.approved": "accept",
    "ticket.rejected": "send back",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One commit that touched memory or skills."""

    commit: str
    # ISO 8601 with offset.
    at: str
    author: str
    subject: str


class History:
    """A program that commits what other programs wrote below `PATHS`, and the way back. It runs after them.

    Without git, or where the company is not a repository of its own, copies of the latest changes are kept; `recording` tells.

    What attempts leave is committed for a tenth of the time at most: where many end at once, several go into one commit. What a
    person decides is committed at once.

    Args:
        root: the company.
        scratch: where a temporary index and the lock may lie; `.hc/cache`.
        environ: for git.
        copies: what is kept without git; None: nothing.
        boottime: seconds since some moment, for the pace; one that stands still sets none.
    """

    name = "history"

    def __init__(
        self,
        root: Path,
        *,
        scratch: Path,
        environ: Mapping[str, str],
        copies: Copies | None = None,
        boottime: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._root = root
        self._scratch = scratch
        self._git = Git(root, environ)
        self._copies = copies
        self._begun = False
        self._boottime = boottime
        # What is to be committed, by ticket: the subject and the agent; and when an attempt's end is reason enough for it.
        self._owed: dict[str, tuple[str, str | None]] = {}
        self._next = 0.0

    def handle(self, event: Event) -> None:
        """See `Program.handle`. What the programs before it made of the event is committed in its ticket's name."""
        if not self._begun:
            self._begin()
        left_done = event.kind == "ticket.moved" and event.data.get("from") == State.DONE
        verb = "reopen" if left_done else _VERBS.get(event.kind)
        if verb and event.ticket:
            self._owed.pop(event.ticket, None)
            self._owed[event.ticket] = (f"memory: {verb} {event.ticket}", event.agent)
        decided = verb and event.kind != _PACED
        if self._owed and (decided or self._boottime() >= self._next):
            before = self._boottime()
            self.record(*_told(self._owed))
            self._owed = {}
            self._next = self._boottime() + _SHARE * (self._boottime() - before)

    def recording(self) -> bool:
        """Whether every change is a commit; else there are at most copies of the latest."""
        return self._git.usable()

    def in_a_foreign_repository(self) -> bool:
        """Whether it only looks as if changes were commits: the repository begins in a folder above the company."""
        above = any((folder / ".git").exists() for folder in self._root.resolve().parents)
        return above and self._git.installed and not (self._root / ".git").exists()

    def record(self, subject: str, trailers: Mapping[str, str] | None = None) -> str | None:
        """Commit what changed below `PATHS`, and only that; a person's staged work stays as it is.

        Returns:
            The new commit or copy; None when nothing changed, or a person is in the middle of a merge or rebase (the change
            then goes into the next commit).

        Raises:
            GitFailed: git refused.
        """
        with self._locked():
            return self._record(subject, trailers or {})

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One at a time, in whatever process: what a person undoes is not swept up by the loop's next commit."""
        from filelock import FileLock

        self._scratch.mkdir(parents=True, exist_ok=True)
        with FileLock(self._scratch / "history.lock", timeout=_LOCK_SECONDS):
            yield

    def _begin(self) -> None:
        """Let the copies, where they are what is kept, know how it all began."""
        if self._copies and not (self._root / ".git").exists():
            with self._locked():
                self._copies.begin()
        self._begun = True

    def _record(self, subject: str, trailers: Mapping[str, str]) -> str | None:
        if not self._git.usable():
            return self._copies.record(subject) if self._copies else None
        if self._git.busy():
            return None
        head = (self._git.ask("rev-parse", "--quiet", "--verify", "HEAD^{commit}") or "").strip()
        tree = self._tree(head)
        if head and tree == self._git.run("rev-parse", "HEAD^{tree}").strip():
            return None
        told = "".join(f"{key}: {value}\n" for key, value in trailers.items())
        parents = ("-p", head) if head else ()
        message = f"{subject}\n\n{told}" if told else f"{subject}\n"
        commit = self._git.run("commit-tree", tree, *parents, stdin=message, identity=AUTHOR).strip()
        # Fails when a person committed in this very moment: the next event tries again on top of that.
        self._git.run("update-ref", "-m", f"hc: {subject}", "HEAD", commit, head or "0" * len(commit))
        self._follow(head, commit)
        return commit

    def log(self, limit: int = 20) -> list[Change]:
        """The latest changes of memory and skills, by whomever, newest first."""
        if not self._git.usable():
            return self._copies.log(limit) if self._copies else []
        told = self._git.ask("log", f"--max-count={limit}", "--format=%H%x1f%aI%x1f%an%x1f%s", "--", *PATHS) or ""
        rows = (line.split("\x1f", 3) for line in told.splitlines())
        return [Change(commit=commit, at=at, author=author, subject=subject) for commit, at, author, subject in rows]

    def diff(self, commit: str) -> str:
        """What a commit changed in memory and skills, as a patch.

        Raises:
            Refusal: `memory-history-missing`, `memory-commit-unknown`.
        """
        if self._copies and not self._git.usable():
            return self._copies.diff(commit)
        return self._patch(self._parent(self._commit(commit)), self._commit(commit), PATHS)

    def revert(self, target: str) -> str:
        """Undo what a commit changed in memory and skills, or the last change of the note with that id.

        Returns:
            The commit that undoes it.

        Raises:
            Refusal: `memory-history-missing`, `memory-commit-unknown`, `memory-revert-nothing`, `memory-revert-conflict`.
        """
        with self._locked():
            if self._copies and not self._git.usable():
                return self._copies.revert(target)
            return self._revert(target)

    def _revert(self, target: str) -> str:
        notes = self._notes(target)
        commit = self._last_change(notes) if notes else self._commit(target)
        patch = self._patch(commit, self._parent(commit), notes or PATHS)
        if not patch:
            raise nothing(target)
        if self._git.ask("apply", "--check", "-", stdin=patch) is None:
            raise conflict(target)
        self._git.run("apply", "-", stdin=patch)
        done = self._record(f"memory: revert {target}", {"Reverts": commit})
        if done is None:
            raise conflict(target)
        return done

    def _tree(self, head: str) -> str:
        """The tree of `head` with `PATHS` as they lie in the folder now, by way of an index of our own."""
        with tempfile.TemporaryDirectory(dir=self._scratch, prefix="index-") as folder:
            index = Path(folder) / "index"
            self._git.run("read-tree", head or "--empty", index=index)
            tracked = self._git.run("ls-files", "--", *PATHS, index=index)
            there = [p for p in PATHS if (self._root / p).is_dir() or any(t.startswith(f"{p}/") for t in tracked.splitlines())]
            if there:
                self._git.run("add", "--all", "--", *there, index=index)
            return self._git.run("write-tree", index=index).strip()

    def _follow(self, head: str, commit: str) -> None:
        """Bring a person's index along, but only where it stood at `head`: what they staged themselves is theirs."""
        old = _entries(self._git.run("ls-tree", "-r", "-z", head, "--", *PATHS)) if head else {}
        new = _entries(self._git.run("ls-tree", "-r", "-z", commit, "--", *PATHS))
        staged = {
            path: (mode, sha)
            for line in self._git.run("ls-files", "--stage", "-z", "--", *PATHS).split("\0")
            if line
            for facts, path in [line.split("\t", 1)]
            for mode, sha, _ in [facts.split()]
        }
        changed = [path for path in {*old, *new} if old.get(path) != new.get(path) and staged.get(path) == old.get(path)]
        lines = ["{} {}\t{}".format(*new.get(path, ("0", "0" * len(commit))), path) for path in sorted(changed)]
        # A person's git command may hold their index just now; then it shows our change as theirs until they refresh it.
        self._git.ask("update-index", "-z", "--index-info", stdin="".join(line + "\0" for line in lines))

    def _notes(self, note_id: str) -> tuple[str, ...]:
        """Every path that a note of that id has or had."""
        if not self._git.usable():
            raise _missing()
        listed = self._git.ask("log", "--format=", "--name-only", "--", "memory") or ""
        return tuple(sorted({path for path in listed.splitlines() if path.rpartition("/")[2] == f"{note_id}.md"}))

    def _last_change(self, paths: tuple[str, ...]) -> str:
        return self._git.run("log", "--max-count=1", "--format=%H", "--", *paths).strip()

    def _commit(self, word: str) -> str:
        if not self._git.usable():
            raise _missing()
        found = self._git.ask("rev-parse", "--quiet", "--verify", "--end-of-options", f"{word}^{{commit}}")
        if found is None:
            raise unknown(word)
        return found.strip()

    def _parent(self, commit: str) -> str:
        parent = self._git.ask("rev-parse", "--quiet", "--verify", f"{commit}^")
        return parent.strip() if parent else self._git.run("hash-object", "-t", "tree", "--stdin").strip()

    def _patch(self, before: str, after: str, paths: tuple[str, ...]) -> str:
        plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--binary")
        return self._git.run("diff", *plain, before, after, "--", *paths)


def _entries(listing: str) -> dict[str, tuple[str, str]]:
    """Path → (mode, object) of `ls-tree -r -z`."""
    rows = (line.split("\t", 1) for line in listing.split("\0") if line)
    return {path: (facts.split()[0], facts.split()[2]) for facts, path in rows}


def _missing() -> Refusal:
    return Refusal(
        "memory-history-missing",
        fact=say("This company is not a git repository of its own, or git is not installed."),
        cause=say("Without it, earlier states of memory and skills are not kept."),
        remedy=say("Install git and run `git init` in the company folder."),
    )


def unknown(word: str) -> Refusal:
    """Nothing of that name was recorded."""
    return Refusal(
        "memory-commit-unknown",
        fact=say("There is no commit or note `{word}`.", word=word),
        cause=say("Only what was recorded can be shown or undone."),
        remedy=say("`hc memory log` lists the commits."),
    )


def nothing(target: str) -> Refusal:
    """There is nothing to undo."""
    return Refusal(
        "memory-revert-nothing",
        fact=say("`{target}` changed nothing in memory or skills.", target=target),
        cause=say("There is nothing to undo."),
        remedy=say("`hc memory log` lists the commits that did."),
    )


def conflict(target: str) -> Refusal:
    """Undoing it would lose what came later."""
    return Refusal(
        "memory-revert-conflict",
        fact=say("`{target}` cannot be undone by itself: its files were changed since.", target=target),
        cause=say("Undoing it would overwrite what came later, or a merge or rebase is under way."),
        remedy=say("Undo the later changes first, or edit the files by hand."),
    )


def _told(owed: Mapping[str, tuple[str, str | None]]) -> tuple[str, Mapping[str, str]]:
    """Subject and trailers of a commit for these tickets; the latest names it."""
    subject, agent = list(owed.values())[-1]
    if len(owed) > 1:
        return f"{subject} and {len(owed) - 1} more", {"Tickets": " ".join(owed)}
    return subject, {"Ticket": next(iter(owed)), **({"Agent": agent} if agent else {})}
