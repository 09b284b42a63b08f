"""What git does: to other people's history, and to folders that are not the ticket's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hermes_company.domain.guard.ground import Ground
from hermes_company.domain.guard.marks import show
from hermes_company.domain.guard.options import Options, names, read_options

_GLOBAL = ("C", "c", "git-dir", "work-tree", "namespace", "exec-path", "config-env")
# These leave every file as it is.
_READING = names(
    "status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog reflog cat-file "
    "help version merge-base name-rev show-ref var count-objects diff-tree diff-index check-ignore whatchanged"
)


# Variables and settings that name a program for git to start.
PROGRAMS = names("GIT_SSH_COMMAND GIT_EDITOR EDITOR VISUAL GIT_PAGER PAGER GIT_ASKPASS GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR")
_SETTINGS = names("sshcommand editor pager external fsmonitor askpass helper command textconv clean smudge process driver cmd")


class GitCall(NamedTuple):
    """What a call of git means for the guard."""

    # Folders and files that it changes, as they are written, relative to where it runs.
    writes: tuple[str, ...]
    # Scripts that it starts.
    scripts: tuple[str, ...]


def read_git(ground: Ground, words: Sequence[str]) -> GitCall:
    """What git is asked to do.

    Raises:
        Refused: it pushes where the policy forbids that.
    """
    options = read_options(words, _GLOBAL, first_only=True)
    folder = ""
    for part in options.of("C"):
        folder = part if part.startswith("/") else f"{folder}{part}/"
    folder = (options.of("work-tree") or [folder.rstrip("/") or "."])[-1]
    scripts = [script for value in options.of("c") if (script := _configured_program(value))]
    if not options.operands:
        return GitCall((), tuple(scripts))
    command, rest = options.operands[0], options.operands[1:]
    if command == "push":
        _check_push(ground, rest, show(" ".join(("git", *words))))
    scripts += _scripts(command, rest)
    if command == "config":
        return GitCall(_configured(rest, folder), tuple(scripts))
    made = _made(command, rest)
    if made is not None:
        return GitCall(tuple(f"{folder}/{path}" if not path.startswith("/") else path for path in made), tuple(scripts))
    outputs = tuple(read_options(rest, ("o", "output")).of("o", "output", "output-directory"))
    changed = () if command in _READING else (folder,)
    return GitCall((*outputs, *changed), tuple(scripts))


def _configured_program(setting: str) -> str:
    """What `-c name=value` makes git start; empty where it makes it start nothing."""
    name, _, value = setting.partition("=")
    if value.startswith("!"):
        return value[1:]
    return value if name.rpartition(".")[2].casefold() in _SETTINGS else ""


def _check_push(ground: Ground, words: Sequence[str], what: str) -> None:
    options = read_options(words, ("o", "push-option", "repo", "receive-pack", "exec"))
    forced = options.has("f", "force", "force-with-lease", "force-if-includes", "mirror", "delete", "d", "prune")
    if forced or any(word.startswith(("+", ":")) for word in options.operands):
        ground.forbid("force-push", what)
    ground.forbid("push", what)


def _scripts(command: str, words: Sequence[str]) -> list[str]:
    """Shell scripts that git runs for the caller."""
    if command == "submodule" and "foreach" in words:
        return [" ".join(words[words.index("foreach") + 1 :]).removeprefix("--recursive ")]
    if command == "bisect" and words[:1] == ("run",):
        return [" ".join(words[1:])]
    if command == "rebase":
        return read_options(words, ("x", "exec", "onto", "s", "X")).of("x", "exec")
    if command == "filter-branch":
        options = read_options(words, tuple(f"{part}-filter" for part in ("tree", "index", "msg", "env", "commit", "parent")))
        return [value for _, value in options.values]
    return []


def _configured(words: Sequence[str], folder: str) -> tuple[str, ...]:
    options = read_options(words, ("f", "file", "type", "default", "get", "get-all", "get-regexp"))
    reads = options.has("get", "get-all", "get-regexp", "l", "list") or options.operands[:1] in (("get",), ("list",))
    if reads or len(options.operands) == 1:
        return ()
    if options.has("global"):
        return ("~/.gitconfig",)
    if options.has("system"):
        return ("/etc/gitconfig",)
    return tuple(options.of("f", "file")) or (folder,)


def _made(command: str, words: Sequence[str]) -> list[str] | None:
    """The folder that git makes; None for commands that make none."""
    if command == "clone":
        options = read_options(
            words, ("b", "branch", "depth", "o", "origin", "c", "config", "j", "jobs", "u", "reference", "filter")
        )
        return _second(options) if len(options.operands) > 1 else [_name_of(options.operands)]
    if command == "init":
        return list(read_options(words, ("b", "initial-branch", "template", "separate-git-dir")).operands[:1]) or ["."]
    if command == "worktree" and words[:1] == ("add",):
        return list(read_options(words[1:], ("b", "B", "reason")).operands[:1])
    return None


def _second(options: Options) -> list[str]:
    return list(options.operands[1:2])


def _name_of(operands: Sequence[str]) -> str:
    return operands[0].rstrip("/").rsplit("/", 1)[-1].removesuffix(".git") if operands else "."
