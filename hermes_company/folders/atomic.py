"""Writing so that a reader sees the old bytes or the new ones, never a part; renaming so that nothing is overwritten."""

from __future__ import annotations

import errno
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_AT_FDCWD = -100
_RENAME_NOREPLACE = 1
_RENAME_EXCHANGE = 2
# macOS renamex_np(2)
_RENAME_EXCL = 4
_RENAME_SWAP = 2
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


def write_atomic(path: Path, data: bytes | str, *, mode: int = 0o644, durable: bool = True) -> None:
    """Replace `path` with `data` by way of a temporary file beside it.

    Raises:
        OSError: nothing was changed; the temporary file is gone.
    """
    payload = data.encode() if isinstance(data, str) else data
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        _write_new(temporary, payload, mode, durable)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def create_exclusive(
    path: Path, data: bytes | str, *, mode: int = 0o644, durable: bool = True, modified: float | None = None
) -> None:
    """Make `path` appear with all of `data` at once, only if nothing of that name is there.

    `modified` sets the time stamp (seconds since the epoch) before the file is seen.

    Raises:
        FileExistsError: something of that name is there; it is untouched.
    """
    payload = data.encode() if isinstance(data, str) else data
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        _write_new(temporary, payload, mode, durable)
        if modified is not None:
            os.utime(temporary, (modified, modified))
        rename_noreplace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def _write_new(path: Path, payload: bytes, mode: int, durable: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    try:
        os.fchmod(descriptor, mode)
        view = memoryview(payload)
        while view:
            view = view[os.write(descriptor, view) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_noreplace(source: Path, target: Path) -> None:
    """Rename without ever overwriting: renameat2/renamex_np, else link + unlink, else an exclusive placeholder.

    Raises:
        FileExistsError: the target exists; both files are untouched.
        FileNotFoundError: the source is gone.
    """
    code = _rename_flags(source, target, _RENAME_NOREPLACE, _RENAME_EXCL)
    if code == 0:
        return
    if code not in _UNSUPPORTED:
        raise OSError(code, os.strerror(code), str(source), None, str(target))
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as problem:
        if problem.errno not in _UNSUPPORTED | {errno.EPERM, errno.EMLINK}:
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644))
        source.replace(target)
    else:
        source.unlink()


def replace_existing(path: Path, data: bytes, *, expected: bytes, durable: bool = True) -> bool:
    """Replace the bytes of a file that other people may move or edit at any moment.

    Exchanges the files in one step and looks at what came out: when that is not `expected`, somebody wrote meanwhile and
    the exchange is undone. A file that was moved away is never created anew.

    Returns:
        Whether `data` is in place. False leaves the tree as it was; also where the file system cannot exchange.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        mode = path.stat(follow_symlinks=False).st_mode & 0o777
        _write_new(temporary, data, mode, durable)
        if _rename_flags(temporary, path, _RENAME_EXCHANGE, _RENAME_SWAP) != 0:
            return False
        if temporary.read_bytes() == expected:
            return True
        _rename_flags(temporary, path, _RENAME_EXCHANGE, _RENAME_SWAP)
        return False
    except FileNotFoundError:
        return False
    finally:
        temporary.unlink(missing_ok=True)


def replace_text(path: Path, old: str, new: str) -> bool:
    """See `ReplaceText` and `replace_existing`."""
    return replace_existing(path, new.encode(), expected=old.encode())


def try_renames(folder: Path) -> tuple[bool, bool]:
    """Whether the file system of `folder` has a rename that refuses to overwrite, and one that exchanges two files.

    Tried out with two empty files, which are gone afterwards.
    """
    names = [folder / f".probe-{name}.{os.getpid()}.tmp" for name in ("old", "new", "other")]
    old, new, other = names
    try:
        _write_new(old, b"", 0o600, durable=False)
        _write_new(other, b"", 0o600, durable=False)
        noreplace = _rename_flags(old, new, _RENAME_NOREPLACE, _RENAME_EXCL) == 0
        exchange = _rename_flags(new if noreplace else old, other, _RENAME_EXCHANGE, _RENAME_SWAP) == 0
    finally:
        for name in names:
            name.unlink(missing_ok=True)
    return noreplace, exchange


def sync_folder(folder: Path) -> None:
    """Make the folder's entries durable (open + fsync; see ALICE, OSDI'14, for why a rename alone is not)."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@cache
def _load_libc() -> ctypes.CDLL:
    import ctypes  # what only reads gets by without

    return ctypes.CDLL(None, use_errno=True)


def _rename_flags(source: Path, target: Path, linux: int, darwin: int) -> int:
    """0, or the errno of the system's rename with flags; ENOSYS where there is none."""
    import ctypes

    libc = _load_libc()
    old, new = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin":
        call = getattr(libc, "renamex_np", None)
        result = call(old, new, darwin) if call else -1
    else:
        call = getattr(libc, "renameat2", None)
        result = call(_AT_FDCWD, old, _AT_FDCWD, new, linux) if call else -1
    if call is None:
        return errno.ENOSYS
    return 0 if result == 0 else ctypes.get_errno()
