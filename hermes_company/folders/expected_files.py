"""Looks for what a ticket expects, in a stranger's folders: never out of them, and never for long."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

# A large repository is looked through only so far.
_MOST_LOOKED_AT = 20_000
_MAGIC = frozenset("*?[")
# Looked into only by who names them.
_NOT_WORK = frozenset({".git", "node_modules", ".venv", "__pycache__", ".attempts"})


def not_found(patterns: Iterable[str], folders: Sequence[Path]) -> tuple[str, ...]:
    """The patterns that match no file or folder below any of these folders. What a link leads out to does not count."""
    roots = {folder: os.path.realpath(folder) for folder in folders}
    return tuple(pattern for pattern in patterns if not any(_lies_in(pattern, str(f), root) for f, root in roots.items()))


def _lies_in(pattern: str, folder: str, root: str) -> bool:
    look = _Look()
    found = look.below(folder, pattern.rstrip("/").split("/"))
    return any(os.path.realpath(path).startswith(root + os.sep) for path in found)


class _Look:
    """One bounded look."""

    def __init__(self) -> None:
        self._left = _MOST_LOOKED_AT

    def below(self, folder: str, parts: Sequence[str]) -> Iterator[str]:
        """Every path below the folder that the parts match."""
        head, rest = parts[0], parts[1:]
        if head == "**":
            yield from self._anywhere(folder, rest)
        elif _MAGIC & set(head):
            for entry in self._entries(folder):
                if fnmatchcase(entry.name, head) and (not entry.name.startswith(".") or head.startswith(".")):
                    yield from self._on(entry.path, rest)
        elif os.path.lexists(f"{folder}/{head}"):
            yield from self._on(f"{folder}/{head}", rest)

    def _anywhere(self, folder: str, rest: Sequence[str]) -> Iterator[str]:
        waiting = [folder]
        while waiting:
            place = waiting.pop()
            yield from self.below(place, rest or ["*"])
            waiting += [e.path for e in self._entries(place) if e.name not in _NOT_WORK and e.is_dir(follow_symlinks=False)]

    def _on(self, path: str, rest: Sequence[str]) -> Iterator[str]:
        if not rest:
            yield path
        elif os.path.isdir(path):  # noqa: PTH112 - a link may lead there; where it ends is looked at last
            yield from self.below(path, rest)

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        if self._left <= 0:
            return []
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError:
            return []  # gone, no folder, or not to be read: nothing is found there
        self._left -= len(found)
        return found
