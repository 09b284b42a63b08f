"""Changing a file that belongs to an engine: `~/.claude.json`, `config.toml`.

Engines rewrite these files while they run, and half-written ones lose people's logins. So: one writer at a time, all of it
or nothing, and a copy of what was there before we first touched it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hermes_company.errors import Refusal
from hermes_company.wording import say

_LOOK_AGAIN_SECONDS = 0.05
# Claude Code renews its lock folder every few seconds and takes an older one over.
_STALE_SECONDS = 10.0


def rewrite(path: Path, change: Callable[[bytes | None], str], *, lock_folder: bool = False, patience: float = 15.0) -> None:
    """Replace what `path` holds by `change(bytes)`; `change` gets None where there is no file, and may raise to leave it.

    With `lock_folder` the file's own engine is kept out too, by the folder `<name>.lock` that Claude Code uses for that.
    Waits `patience` seconds for other writers.

    Raises:
        Refusal: `engine-file-busy`, `engine-file-not-written`, or what `change` raised. The file is as it was.
    """
    path = path.resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _only_writer(path, lock_folder, patience):
            before = path.read_bytes() if path.exists() else None
            after = change(before)
            if before is not None:
                _keep_once(path, before)
            _replace(path, after)
    except OSError as problem:
        raise Refusal(
            "engine-file-not-written",
            fact=say("{path} could not be changed: {problem}", path=str(path), problem=problem.strerror or str(problem)),
            cause=say("Your yes can't be recorded where the engine looks for it."),
            remedy=say("Make the file writable, or answer the engine's question yourself by starting it once."),
        ) from None


@contextmanager
def _only_writer(path: Path, lock_folder: bool, patience: float) -> Iterator[None]:
    from filelock import FileLock, Timeout

    own = path.with_name(f"{path.name}.hc-lock")
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(own, timeout=patience))
        except Timeout:
            raise _busy(own, patience) from None
        if lock_folder:
            held.enter_context(_lock_folder(path.with_name(f"{path.name}.lock"), patience))
        yield


@contextmanager
def _lock_folder(folder: Path, patience: float) -> Iterator[None]:
    deadline = time.monotonic() + patience
    while not _made(folder):
        if time.monotonic() > deadline:
            raise _busy(folder, patience)
        time.sleep(_LOOK_AGAIN_SECONDS)
    try:
        yield
    finally:
        folder.rmdir()


def _made(folder: Path) -> bool:
    try:
        folder.mkdir()
    except FileExistsError:
        _remove_stale(folder)
        return False
    return True


def _remove_stale(folder: Path) -> None:
    try:
        if time.time() - folder.stat().st_mtime > _STALE_SECONDS:
            folder.rmdir()
    except FileNotFoundError:
        pass  # given back just now


def _keep_once(path: Path, data: bytes) -> None:
    backup = path.with_name(f"{path.name}.hc-backup")
    try:
        descriptor = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.hc-tmp")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(descriptor)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _busy(lock: Path, patience: float) -> Refusal:
    return Refusal(
        "engine-file-busy",
        fact=say("Another program has held {lock} for {seconds} seconds.", lock=str(lock), seconds=round(patience)),
        cause=say("Writing at the same time would damage the file."),
        remedy=say("Try again; if no engine is running, remove {lock}.", lock=str(lock)),
        status=75,
    )
