"""What memory and skills were before, where there is no git: the latest changes, as copies of the files that changed."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hermes_company.ports.files import WriteBytes
from hermes_company.userspace.files import Unreadable, read_head, read_text
from hermes_company.userspace.memory.history import AUTHOR, PATHS, Change, conflict, nothing, unknown

MOST_CHANGES = 200
_MOST_BYTES = 1_048_576
_MOST_RECORD_BYTES = 67_108_864
# Path → (mtime_ns, size, sha256) of every file as it was last seen.
_Seen = dict[str, tuple[int, int, str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Copied:
    """One recorded change: of each path the content before and after it, by sha256; None: no such file."""

    change: Change
    files: Mapping[str, tuple[str | None, str | None]]


class Copies:
    """The latest `MOST_CHANGES` changes below `PATHS`. Larger files than 1 MB and links are left out.

    Args:
        root: the company.
        folder: `.hc/history`.
        now: the time, with its zone.
        write: replaces a file.
    """

    def __init__(self, root: Path, folder: Path, *, now: Callable[[], datetime], write: WriteBytes) -> None:
        self._root = root
        self._folder = folder
        self._now = now
        self._write = write

    def begin(self) -> None:
        """Take note of how everything is now, if nothing was noted yet: what comes after can be undone."""
        if not (self._folder / "seen.json").exists():
            self.record("begin")

    def record(self, subject: str) -> str | None:
        """Copy what changed since the last time. Returns the change's name; None: nothing did, or this is the first time."""
        before = self._seen()
        after = self._look(before or {})
        files = {
            path: (_sha(before or {}, path), _sha(after, path))
            for path in sorted({*(before or {}), *after})
            if _sha(before or {}, path) != _sha(after, path)
        }
        name = None
        if before is not None and files:
            name = f"copy-{self._last() + 1:06}"
            raw = {"at": self._now().isoformat(timespec="seconds"), "subject": subject, "files": files}
            self._put(f"{name}.json", raw)
        if after != before:
            self._put("seen.json", after)
        if name:
            self._tidy(after)
        return name

    def log(self, limit: int) -> list[Change]:
        """The latest changes, newest first."""
        return [copied.change for copied in self._changes(limit)]

    def diff(self, name: str) -> str:
        """A change as a patch.

        Raises:
            Refusal: `memory-commit-unknown`.
        """
        return "".join(
            line if line.endswith("\n") else f"{line}\n"
            for path, (before, after) in self._named(name).files.items()
            for line in difflib.unified_diff(self._lines(before), self._lines(after), f"a/{path}", f"b/{path}")
        )

    def revert(self, target: str) -> str:
        """Undo a change, or the last change of the note with that id. Returns the change that undoes it.

        Raises:
            Refusal: `memory-commit-unknown`, `memory-revert-nothing`, `memory-revert-conflict`.
        """
        files = self._of_note(target) or self._named(target).files
        now = self._look(self._seen() or {})
        gone = [before for before, _ in files.values() if before and not self._blob(before).exists()]
        if gone or any(_sha(now, path) != after or self._linked(path) for path, (_, after) in files.items()):
            raise conflict(target)
        for path, (before, _) in files.items():
            if before is None:
                (self._root / path).unlink(missing_ok=True)
            else:
                (self._root / path).parent.mkdir(parents=True, exist_ok=True)
                self._write(self._root / path, self._blob(before).read_bytes())
        done = self.record(f"memory: revert {target}")
        if done is None:
            raise nothing(target)
        return done

    def _of_note(self, note_id: str) -> Mapping[str, tuple[str | None, str | None]]:
        for copied in self._changes(MOST_CHANGES):
            files = {path: both for path, both in copied.files.items() if path.rpartition("/")[2] == f"{note_id}.md"}
            if files:
                return files
        return {}

    def _named(self, name: str) -> _Copied:
        found = next((copied for copied in self._changes(MOST_CHANGES) if copied.change.commit == name), None)
        if found is None:
            raise unknown(name)
        return found

    def _changes(self, limit: int) -> Iterator[_Copied]:
        for name in self._names()[::-1][:limit]:
            raw = self._get(f"{name}.json")
            if isinstance(raw, dict):
                change = Change(commit=name, at=str(raw["at"]), author=AUTHOR, subject=str(raw["subject"]))
                yield _Copied(change=change, files={path: (both[0], both[1]) for path, both in raw["files"].items()})

    def _names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("copy-*.json"))

    def _last(self) -> int:
        return max((int(name.removeprefix("copy-")) for name in self._names()), default=0)

    def _look(self, known: _Seen) -> _Seen:
        """Every file below `PATHS` as it is now; content that we have no copy of yet is copied."""
        found: _Seen = {}
        for file in _files(self._root):
            path = file.relative_to(self._root).as_posix()
            try:
                seen = self._look_at(file, known.get(path))
            except (FileNotFoundError, Unreadable):
                continue
            if seen:
                found[path] = seen
        return found

    def _look_at(self, file: Path, known: tuple[int, int, str] | None) -> tuple[int, int, str] | None:
        info = file.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MOST_BYTES:
            return None
        if known and known[:2] == (info.st_mtime_ns, info.st_size):
            return known
        data, _ = read_head(file, _MOST_BYTES)
        return info.st_mtime_ns, info.st_size, self._copy(data)

    def _copy(self, data: bytes) -> str:
        sha = hashlib.sha256(data).hexdigest()
        if not self._blob(sha).exists():
            self._blob(sha).parent.mkdir(parents=True, exist_ok=True)
            self._write(self._blob(sha), data)
        return sha

    def _tidy(self, now: _Seen) -> None:
        """Drop the oldest changes, and then what no change and no file needs."""
        dropped = self._names()[:-MOST_CHANGES]
        for name in dropped:
            (self._folder / f"{name}.json").unlink(missing_ok=True)
        if dropped:
            needed = {sha for _, _, sha in now.values()}
            needed |= {sha for copied in self._changes(MOST_CHANGES) for both in copied.files.values() for sha in both if sha}
            for blob in (self._folder / "files").iterdir():
                if blob.name not in needed:
                    blob.unlink(missing_ok=True)

    def _seen(self) -> _Seen | None:
        raw = self._get("seen.json")
        return {path: (row[0], row[1], row[2]) for path, row in raw.items()} if isinstance(raw, dict) else None

    def _get(self, name: str) -> object:
        """A record of ours; one that is damaged is as good as none."""
        try:
            return json.loads(read_text(self._folder / name, _MOST_RECORD_BYTES))
        except (FileNotFoundError, Unreadable, ValueError):
            return None

    def _put(self, name: str, raw: object) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._write(self._folder / name, json.dumps(raw, ensure_ascii=False).encode(errors="surrogateescape"))

    def _blob(self, sha: str) -> Path:
        return self._folder / "files" / sha

    def _lines(self, sha: str | None) -> list[str]:
        if sha is None or not self._blob(sha).exists():
            return []
        return self._blob(sha).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)

    def _linked(self, path: str) -> bool:
        """Whether a folder on the way to that file is a link, which is never written through."""
        parent = (self._root / path).parent
        return parent.exists() and parent.resolve() != self._root.resolve() / Path(path).parent


def _files(root: Path) -> Iterator[Path]:
    for top in PATHS:
        for folder, _, names in os.walk(root / top):
            yield from (Path(folder) / name for name in names if not name.startswith("."))


def _sha(seen: _Seen, path: str) -> str | None:
    return seen[path][2] if path in seen else None
