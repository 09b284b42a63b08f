"""What the company lies on: its file system, the room on it, whether changes are told of, and git."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from hermes_company.folders.atomic import try_renames
from hermes_company.folders.layout import Layout
from hermes_company.folders.watch_limits import watching_problem
from hermes_company.ports.doctor import Finding, Severity, well
from hermes_company.wording import say

MOUNTS = Path("/proc/self/mountinfo")
# File systems whose files another machine may change, by the names that Linux gives them.
_SHARED = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "afs", "ceph", "glusterfs", "virtiofs", "vboxsf", "prl_fs"}
)
_FUSE = "fuse"
_LEAST_BYTES = 50 * 2**20
_FEW_BYTES = 500 * 2**20
# An attempt makes about twenty files.
_LEAST_FILES = 500
_FEW_FILES = 5_000


def check_file_system(layout: Layout, mounts: Path) -> Iterator[Finding]:
    """A file system that other machines write to as well, as far as the system says what it is."""
    kind = _kind(layout.root, mounts)
    if kind in _SHARED or kind.startswith(_FUSE):
        yield Finding(
            code="file-system-shared",
            severity=Severity.WARN,
            seen=say("The company lies on a file system of the kind {kind}.", kind=kind),
            remedy=say(
                "Keep it on a local disk: there locks hold for everybody, a rename is done or not done, and changes are "
                "told of. Here changes are found by looking, and only one machine may run the company."
            ),
        )
    elif kind:
        yield well("file-system", say("The company lies on a local file system ({kind}).", kind=kind))


def _kind(folder: Path, mounts: Path) -> str:
    """The kind of the file system that `folder` lies on; empty where the system has no list of them."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        return ""
    best, kind = -1, ""
    for line in lines:
        # ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS … - KIND SOURCE OPTIONS
        before, _, after = line.partition(" - ")
        point = Path(_unescaped(before.split()[4]))
        # Of several on one point the last one is seen.
        if folder.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split()[0]
    return kind


def _unescaped(word: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        word = word.replace(code, char)
    return word


def check_renames(layout: Layout) -> Iterator[Finding]:
    """Tried out in .hc/, with files that are gone afterwards."""
    if not layout.private.is_dir():
        return
    noreplace, exchange = try_renames(layout.private)
    if not noreplace:
        yield Finding(
            code="rename-fallback",
            severity=Severity.WARN,
            seen=say("This file system has no rename that refuses to overwrite; a link and an unlink take its place."),
            remedy=say("A crash in between leaves a ticket under two names, which `hc doctor` tells. A local disk has it."),
        )
    if not exchange:
        yield Finding(
            code="exchange-missing",
            severity=Severity.WARN,
            seen=say("This file system can't exchange two files, so `hc` never writes into a ticket that is there."),
            remedy=say("Edit tickets yourself; `hc task hold`, `edit` and `reassign` are refused here. A local disk has it."),
        )
    if noreplace and exchange:
        yield well("renames", say("Renames that overwrite nothing work here."))


def check_room(layout: Layout) -> Iterator[Finding]:
    """Space and file entries that are left for this user."""
    status = os.statvfs(layout.root)
    free = status.f_bavail * status.f_frsize
    low = [*_low_space(free), *(_low_files(status.f_favail) if status.f_files else ())]
    yield from low
    if not low:
        yield well("disk", say("{megabytes} MB are free.", megabytes=free // 2**20))


def _low_space(free: int) -> Iterator[Finding]:
    if free < _FEW_BYTES:
        yield Finding(
            code="disk-low",
            severity=Severity.BAD if free < _LEAST_BYTES else Severity.WARN,
            seen=say("Only {megabytes} MB are free on the company's disk.", megabytes=free // 2**20),
            remedy=say("Make room: on a full disk nothing is started, and agents can't hand in."),
        )


def _low_files(free: int) -> Iterator[Finding]:
    if free < _FEW_FILES:
        yield Finding(
            code="inodes-low",
            severity=Severity.BAD if free < _LEAST_FILES else Severity.WARN,
            seen=say("Only {count} more files fit on the company's disk (inodes), however small they are.", count=free),
            remedy=say("Delete what is made of many small files, such as caches: `df -i` shows where."),
        )


def check_watching(layout: Layout) -> Iterator[Finding]:
    """Tried out: whether the system tells of changes in the folders that the loop watches."""
    problem = watching_problem((layout.tasks, layout.outbox_root))
    if problem:
        yield Finding(
            code="not-watched",
            severity=Severity.WARN,
            seen=say("Folders can't be watched ({problem}): changes are noticed later.", problem=problem),
            remedy=say("Raise the limits: `sudo sysctl fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288`."),
        )
    else:
        yield well("watched", say("Changes in the folders are noticed at once."))


def check_git(layout: Layout, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Without git what people and agents change in the company can't be taken back."""
    if shutil.which("git", path=environ.get("PATH", "")) is None:
        yield Finding(
            code="git-missing",
            severity=Severity.WARN,
            seen=say("The program `git` is not on PATH: of memory and skills only copies of the latest changes are kept."),
            remedy=say("Install it: the company's memory and rules then have a history."),
        )
    elif not any((folder / ".git").exists() for folder in (layout.root, *layout.root.parents)):
        yield Finding(
            code="git-no-repository",
            severity=Severity.WARN,
            seen=say(
                "The company is not in a git repository: of memory and skills only copies of the latest changes are kept."
            ),
            remedy=say("Make it one: git init {root}", root=layout.root),
        )
    else:
        yield well("git", say("The company is in a git repository."))
