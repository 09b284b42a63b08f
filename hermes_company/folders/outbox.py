"""`outbox/<agent>/<ticket>`: what an agent leaves. Looked at as a stranger's files; nothing in it is ever deleted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hermes_company.folders.atomic import rename_noreplace
from hermes_company.folders.layout import Layout
from hermes_company.folders.safe_read import is_regular, read_head, stamp_of
from hermes_company.ports.runs import Markers

DONE = "DONE"
BLOCKED = "BLOCKED"
SUMMARY = "summary.md"
ASIDE = ".attempts"
_TOKEN_PREFIX = "hc-"
# A large repository is looked at only so far; what tools keep for themselves is not work.
_MOST_LOOKED_AT = 4_000
_NOT_WORK = frozenset({".git", "node_modules", ".venv", "__pycache__", ASIDE})
_REASON_BYTES = 4_096
_SUMMARY_LOOK_BYTES = 65_536


class OutboxFolders:
    """`Outbox` on real folders."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def folder(self, agent: str, ticket: str) -> Path:
        """See `Outbox.folder`."""
        return self._layout.outbox(agent, ticket)

    def begin(self, agent: str, ticket: str, number: int, *, resuming: bool) -> Path:
        """See `Outbox.begin`. Safe to repeat: what was put aside stays aside."""
        folder = self.folder(agent, ticket)
        if os.path.lexists(folder) and not _is_own_folder(folder):
            # What lies behind a link is not the agent's to hand in, and not ours to put aside.
            rename_noreplace(folder, _free_name(folder.with_name(f"{ASIDE}-{ticket}")))
        folder.mkdir(parents=True, exist_ok=True)
        old = [entry for entry in folder.iterdir() if entry.name != ASIDE]
        if resuming:
            old = [entry for entry in old if entry.name in (DONE, BLOCKED, SUMMARY)]
        if old:
            aside = _free_name(folder / ASIDE / str(number - 1))
            aside.mkdir(parents=True)
            for entry in old:
                rename_noreplace(entry, aside / entry.name)
        return folder

    def stamp(self, agent: str, ticket: str) -> int:
        """See `Outbox.stamp`."""
        return stamp_of(self.folder(agent, ticket))

    def last_change(self, folder: Path) -> int:
        """See `Outbox.last_change`."""
        newest = stamp_of(folder)
        waiting, left = [folder], _MOST_LOOKED_AT
        while waiting and left > 0:
            try:
                entries = list(os.scandir(waiting.pop(0)))
            except OSError:
                continue
            for entry in entries[:left]:
                try:
                    newest = max(newest, entry.stat(follow_symlinks=False).st_mtime_ns)
                except OSError:
                    continue
                if entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_WORK:
                    waiting.append(Path(entry.path))
            left -= len(entries)
        return newest

    def last_summary(self, agent: str, ticket: str) -> Path | None:
        """See `Outbox.last_summary`."""
        aside = self.folder(agent, ticket) / ASIDE
        kept = [path for path in aside.glob(f"*/{SUMMARY}") if is_regular(path)]
        return max(kept, key=lambda path: tuple(map(int, path.parent.name.split("."))), default=None)

    def not_found(self, patterns: Sequence[str], folders: Sequence[Path]) -> tuple[str, ...]:
        """See `Outbox.not_found`."""
        from hermes_company.folders.expected_files import not_found

        return not_found(patterns, folders)

    def has_bare_summary(self, agent: str, ticket: str) -> bool:
        """See `Outbox.has_bare_summary`."""
        summary = read_head(self.folder(agent, ticket) / SUMMARY, _SUMMARY_LOOK_BYTES) or b""
        lines = [line.strip() for line in summary.decode("utf-8", "replace").splitlines() if line.strip()]
        return bool(lines) and all(line.startswith("#") for line in lines)

    def markers(self, agent: str, ticket: str, token: str) -> Markers:
        """See `Outbox.markers`."""
        folder = self.folder(agent, ticket)
        if not _is_own_folder(folder):
            return Markers()
        done = read_head(folder / DONE, _REASON_BYTES)
        blocked = read_head(folder / BLOCKED, _REASON_BYTES)
        summary = read_head(folder / SUMMARY, _SUMMARY_LOOK_BYTES) or b""
        return Markers(
            done=done is not None and _names_no_other(done, token),
            blocked=None if blocked is None else blocked.decode("utf-8", "replace").strip() or "(no reason given)",
            summary=bool(summary.strip()),
            odd=tuple(name for name in (DONE, BLOCKED, SUMMARY) if _is_odd(folder / name)),
        )


def _is_own_folder(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink()


def _is_odd(path: Path) -> bool:
    return os.path.lexists(path) and not is_regular(path)


def _names_no_other(done: bytes, token: str) -> bool:
    """DONE may be empty or hold anything but the token of another attempt."""
    words = [word for word in done.decode("utf-8", "replace").split() if word.startswith(_TOKEN_PREFIX)]
    return not words or token in words


def _free_name(path: Path) -> Path:
    """`path`, or `path` with the first free suffix: what lies aside already is never mixed with what comes now."""
    candidate, count = path, 1
    while candidate.exists():
        count += 1
        candidate = path.with_name(f"{path.name}.{count}")
    return candidate
