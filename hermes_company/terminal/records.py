"""The small JSON files of an attempt's folder: seen whole or not at all. On the launcher's path: see `launcher.py`."""

from __future__ import annotations

import errno
import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LAUNCH = "launch.json"  # what to start
ENVIRONMENT = "env.json"  # the engine's whole environment; deleted by the launcher as soon as it is read
PROMPT = "prompt.md"
FENCE = "started.json"  # whoever makes it appear may start the engine, nobody else ever
STANDBY = "standby"  # the FIFO at which the launcher waits for its next attempt
EXIT = "exit.json"  # how it ended; written when nothing of the process tree is left

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


def read_bytes(path: str) -> bytes:
    """The file's bytes.

    Raises:
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes 3 ms to import
        return file.read()


def read(path: str) -> dict[str, Any]:
    """The record at `path`.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a record.
    """
    record = json.loads(read_bytes(path))
    if not isinstance(record, dict):
        raise ValueError(f"{path}: not a JSON object")
    return record


def write(path: str, data: bytes, mode: int = 0o600) -> None:
    """Replace `path` with `data`: a reader finds the old bytes or the new ones.

    Not forced to the disk: after a power loss the boot id tells that the attempt is over, whatever its files say.
    """
    temporary = _write_beside(path, data, mode)
    os.replace(temporary, path)  # noqa: PTH105


def create(path: str, data: bytes) -> bool:
    """Make `data` appear at `path`, complete, only if nothing is there. Returns whether it is ours."""
    temporary = _write_beside(path, data, 0o600)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as problem:
        if problem.errno not in _NO_LINKS:
            raise
        return _create_in_place(path, data)
    finally:
        os.unlink(temporary)  # noqa: PTH108
    return True


def encode(record: dict[str, Any]) -> bytes:
    """The record as one line of JSON."""
    return json.dumps(record).encode() + b"\n"


def _create_in_place(path: str, data: bytes) -> bool:
    try:
        _write_new(path, data, 0o600, os.O_EXCL)
    except FileExistsError:
        return False
    return True


def _write_beside(path: str, data: bytes, mode: int) -> str:
    temporary = f"{path}.{os.getpid()}.tmp"
    _write_new(temporary, data, mode, os.O_TRUNC)
    return temporary


def _write_new(path: str, data: bytes, mode: int, flag: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | flag, mode)
    with open(descriptor, "wb", buffering=0) as file:  # noqa: PTH123
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) :]
