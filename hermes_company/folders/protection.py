"""Changes in the company's own files while an attempt ran: found, told of, and put back where they were the agent's.

An agent's tools are held by the guard; what a program does by itself isn't. So the files are compared afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from hermes_company.folders.atomic import create_exclusive, write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import read_head
from hermes_company.folders.tool_times import tool_times
from hermes_company.ports.protection import Change
from hermes_company.wording import Text, say

MANIFEST = "protected.json"
CHANGED = "changed"
# Lies in the run folder of every attempt that was about to start.
_BEGUN = "prompt.md"
# What `restore` found; written before anything is put back, so that a crash leaves nothing untold.
REPORT = "changed.json"
# Larger files are compared by size and time, and can't be put back.
_LARGEST_KEPT = 1_048_576
_MOST_REPORT = 16_777_216
# A file this young may change again under the same time stamp.
_RACY_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class _Seen:
    """What lies at a path: a file's sha256 (or `size:time`), a link's target, and its permissions."""

    kind: str
    content: str
    mode: int


_Files = dict[str, _Seen]


class FolderProtection:
    """See `Protection`. Tickets are none of its business: moving them is how people speak to the company.

    A change counts as the agent's when it was made while one of its commands ran. In doubt it counts as a person's: it is
    left, and the version from before is kept beside the attempt.
    """

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._digests: dict[tuple[int, int, int, int], str] = {}

    def snapshot(self, run_dir: Path, *, open_to: Iterable[Path] = ()) -> None:
        """See `Protection.snapshot`."""
        if (run_dir / MANIFEST).exists():
            return
        files = self._look(keep=True)
        opened = [self._relative(folder.resolve()) for folder in open_to if self._is_protected(folder.resolve())]
        _write_manifest(run_dir, files, opened)

    def vouch(self, places: Iterable[Path]) -> None:
        """See `Protection.vouch`."""
        vouched = [place for place in places if self._is_protected(place)]
        now: _Files = {}
        for place in vouched:
            self._look_at(place, now, keep=True)
        tops = [self._relative(place) for place in vouched]
        for folder in self._open_runs() if vouched else ():
            with suppress(FileNotFoundError, ValueError):
                files, opened = _read_manifest(folder)
                left = {path: seen for path, seen in files.items() if not _lies_below(path, tops)}
                _write_manifest(folder, {**left, **now}, opened)

    def restore(self, run_dir: Path) -> Sequence[Change]:
        """See `Protection.restore`."""
        report = _read_report(run_dir)
        try:
            before, opened = _read_manifest(run_dir)
        except FileNotFoundError:
            # Restored before, or never begun; else somebody took it away.
            gone = report is None and (run_dir / _BEGUN).exists()
            return (_not_compared(),) if gone else tuple((report or {}).values())
        except ValueError:
            return (_not_compared(),)
        report = report or {}
        now = self._look(keep=False)
        busy = tool_times(run_dir)
        ours: dict[str, bool] = {}
        for path in _differing(before, now):
            if _lies_below(path, opened):
                continue
            if path in report and report[path].put_back and _lies(run_dir / CHANGED / path):
                # Begun before a crash. If anything lies in its place now, it came later and isn't the agent's.
                ours |= {} if path in now else {path: True}
                continue
            ours[path] = any(start <= self._changed_at(path) <= end for start, end in busy)
            report[path] = _told(path, ours[path], before.get(path), now.get(path))
        _write_report(run_dir, report)
        for path, by_agent in ours.items():
            settle = self._put_back if by_agent else self._leave
            report[path] = settle(run_dir, path, report[path], before.get(path), now.get(path))
        if ours:
            _write_report(run_dir, report)
        self._tell_others([path for path, change in report.items() if change.put_back])
        (run_dir / MANIFEST).unlink()
        return tuple(report.values())

    def _put_back(self, run_dir: Path, path: str, told: Change, before: _Seen | None, now: _Seen | None) -> Change:
        if now:
            self._set_aside(run_dir, path)
        if before is None or self._write(self._layout.root / path, before):
            return told
        says = say("{path} was changed by a command of the agent; what it was before is not kept.", path=told.path)
        return replace(told, put_back=False, says=says)

    def _leave(self, run_dir: Path, path: str, told: Change, before: _Seen | None, _now: _Seen | None) -> Change:
        if before is None or before.kind != "file" or (data := self._kept(before)) is None:
            return told
        kept = f"{CHANGED}/{path}.before"
        (run_dir / kept).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomic(run_dir / kept, data, mode=0o600)
        return replace(told, kept=_shown(kept))

    def _set_aside(self, run_dir: Path, path: str) -> None:
        """Move what lies there out of the company."""
        target = run_dir / CHANGED / path
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._layout.root / path).rename(target)

    def _write(self, place: Path, seen: _Seen) -> bool:
        data = self._kept(seen) if seen.kind == "file" else None
        if seen.kind == "file" and data is None:
            return False
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.parent.resolve() != place.parent:
            # A link that was left where it is leads elsewhere.
            return False
        if place.is_dir() and not place.is_symlink():
            # A folder in the file's place: what was in it is set aside by now.
            with suppress(OSError):
                place.rmdir()
        if data is None:
            place.symlink_to(seen.content)
        else:
            write_atomic(place, data, mode=seen.mode)
        return True

    def _kept(self, seen: _Seen) -> bytes | None:
        return read_head(self._layout.kept / seen.content, _LARGEST_KEPT)

    def _changed_at(self, path: str) -> float:
        """When what lies there last changed; for what is gone, when the folder did that it was in."""
        place = self._layout.root / path
        for there in (place, *place.parents):
            with suppress(OSError):
                status = there.lstat()
                # An entry's own change can't be given another time by the one who makes it, a folder's content can't either.
                return (status.st_ctime_ns if there == place else max(status.st_mtime_ns, status.st_ctime_ns)) / 1e9
        return 0.0

    def _tell_others(self, paths: Sequence[str]) -> None:
        """What was put back is right for other attempts that run, too: they may have begun with the agent's version."""
        now = self._look(keep=True) if paths else {}
        for folder in self._open_runs() if paths else ():
            with suppress(FileNotFoundError, ValueError):
                files, opened = _read_manifest(folder)
                left = {path: seen for path, seen in files.items() if path not in paths}
                _write_manifest(folder, {**left, **{path: now[path] for path in paths if path in now}}, opened)

    def _open_runs(self) -> Iterator[Path]:
        with suppress(FileNotFoundError):
            for entry in sorted(self._layout.open_runs.iterdir()):
                number = read_head(entry, 32) or b""
                if number.strip().isdigit():
                    yield self._layout.run(entry.name, int(number))

    def _look(self, *, keep: bool) -> _Files:
        found: _Files = {}
        for top in (self._layout.company, self._layout.agents, self._layout.runners, self._layout.settings_file):
            self._look_at(top, found, keep=keep)
        return found

    def _look_at(self, place: Path, found: _Files, *, keep: bool) -> None:
        if place.name == "runtime.json" and place.parent.parent == self._layout.agents:
            return
        try:
            status = place.lstat()
            if stat.S_ISDIR(status.st_mode):
                for entry in place.iterdir():
                    self._look_at(entry, found, keep=keep)
                return
            found[self._relative(place)] = self._seen(place, status, keep=keep)
        except FileNotFoundError:
            # It went away while we looked.
            return

    def _seen(self, place: Path, status: os.stat_result, *, keep: bool) -> _Seen:
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISLNK(status.st_mode):
            return _Seen("link", str(place.readlink()), 0)
        if not stat.S_ISREG(status.st_mode):
            return _Seen("other", "", mode)
        if status.st_size > _LARGEST_KEPT:
            return _Seen("file", f"{status.st_size}:{status.st_mtime_ns}", mode)
        known = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        digest = self._digests.get(known)
        if digest is None or (keep and not (self._layout.kept / digest).exists()):
            data = self._read(place)
            if data is None:
                return _Seen("other", "", mode)
            digest = hashlib.sha256(data).hexdigest()
            if time.time_ns() - status.st_ctime_ns > _RACY_NS:
                self._digests[known] = digest
            if keep:
                self._keep(digest, data)
        return _Seen("file", digest, mode)

    def _read(self, place: Path) -> bytes | None:
        return read_head(place, _LARGEST_KEPT)

    def _keep(self, digest: str, data: bytes) -> None:
        target = self._layout.kept / digest
        if not target.exists():
            target.parent.mkdir(mode=0o700, exist_ok=True)
            with suppress(FileExistsError):
                create_exclusive(target, data, mode=0o600)

    def _is_protected(self, path: Path) -> bool:
        tops = (self._layout.company, self._layout.agents, self._layout.runners)
        return any(path.is_relative_to(top) for top in tops)

    def _relative(self, path: Path) -> str:
        return path.relative_to(self._layout.root).as_posix()


def _lies_below(path: str, tops: Iterable[str]) -> bool:
    return any(path == top or path.startswith(f"{top}/") for top in tops)


def _write_manifest(run_dir: Path, files: Mapping[str, _Seen], opened: Sequence[str]) -> None:
    raw = {"files": {path: [seen.kind, seen.content, seen.mode] for path, seen in files.items()}, "open": opened}
    write_atomic(run_dir / MANIFEST, json.dumps(raw), mode=0o600, durable=False)


def _read_manifest(run_dir: Path) -> tuple[_Files, list[str]]:
    """How the files were, and what was opened.

    Raises:
        FileNotFoundError: nothing is remembered.
        ValueError: it can't be read.
    """
    raw = json.loads((run_dir / MANIFEST).read_bytes())
    try:
        return {path: _Seen(*seen) for path, seen in raw["files"].items()}, list(raw["open"])
    except (KeyError, TypeError, AttributeError):
        raise ValueError(MANIFEST) from None


def _differing(before: _Files, now: _Files) -> list[str]:
    """The paths that are not as before. What is new goes first: it may stand in the place of what is gone."""
    differing = [path for path in before.keys() | now.keys() if before.get(path) != now.get(path)]
    return sorted(differing, key=lambda path: (path in before, path))


def _told(path: str, by_agent: bool, before: _Seen | None, now: _Seen | None) -> Change:
    """A change as it is told of when all goes well."""
    shown = _shown(path)
    if not by_agent:
        says = say("{path} changed while the agent ran, but not while one of its commands did; it was left.", path=shown)
    elif before is None:
        says = say("{path} was made by a command of the agent; it was taken away.", path=shown)
    else:
        says = say("{path} was changed by a command of the agent; it is as before again.", path=shown)
    return Change(path=shown, put_back=by_agent, kept=f"{CHANGED}/{shown}" if by_agent and now else None, says=says)


def _not_compared() -> Change:
    says = say("How the company's own files were before can't be read any more: look through them.")
    return Change(path=f".hc/…/{MANIFEST}", put_back=False, kept=None, says=says)


def _shown(path: str) -> str:
    """A path that can be told of, whatever bytes its name has."""
    return path.encode("utf-8", "backslashreplace").decode()


def _lies(path: Path) -> bool:
    return os.path.lexists(path)


def _write_report(run_dir: Path, report: Mapping[str, Change]) -> None:
    raw = [
        {"at": path, "path": c.path, "put_back": c.put_back, "kept": c.kept, "says": c.says.to_json()}
        for path, c in report.items()
    ]
    write_atomic(run_dir / REPORT, json.dumps(raw, indent=1), mode=0o600, durable=bool(report))


def _read_report(run_dir: Path) -> dict[str, Change] | None:
    """What was found before, by path; None when nothing was looked for."""
    data = read_head(run_dir / REPORT, _MOST_REPORT)
    if data is None:
        return None
    try:
        return {item.pop("at"): Change(**{**item, "says": Text.from_json(item["says"])}) for item in json.loads(data)}
    except (ValueError, KeyError, TypeError, AttributeError):
        # Torn by a power cut: what is still to be found is found again.
        return {}
