"""Reading an engine's transcript on from where it was read to: JSON objects, a line each, of which the last may be torn."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from hermes_company.domain.usage import Tokens
from hermes_company.wording import Text, say

# A line of a transcript may hold a picture; one that is longer than this is no line of any engine.
_LONGEST_LINE = 64 * 1_048_576
_LONGEST_MODEL = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """How far a transcript has been read, and what its next lines build on."""

    offset: int = 0
    # Codex: the running total there, and the model at work.
    total: Tokens = field(default_factory=Tokens)
    model: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Used:
    """Tokens that one answer of a model took."""

    at: datetime
    model: str
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class Reading:
    """What is new in a transcript, and how far it has been read now."""

    used: tuple[Used, ...]
    mark: Mark
    # Set where it isn't as we know it: what was used may be more.
    problem: Text | None = None


class NotAsKnown(Exception):
    """A line that says something of tokens in a way that we don't know.

    Args:
        then: what the lines behind it build on; None where it changes nothing.
    """

    def __init__(self, then: Mark | None = None) -> None:
        super().__init__()
        self.then = then


Line = Mapping[str, Any]


def read_on(path: Path, mark: Mark, words: Sequence[bytes], take: Callable[[Line, Mark], Mark]) -> tuple[Mark, Text | None]:
    """Hand over every whole line behind the mark in which one of the words occurs, and the mark as it is there.

    Args:
        take: returns the mark with what the line changes in it, or raises NotAsKnown: then the line is passed over.

    Returns:
        The mark at the end of the last whole line, and the problem where not all was as we know it.

    Raises:
        OSError: it can't be read.
    """
    with _open(path) as file:
        if file.seek(0, os.SEEK_END) < mark.offset:
            return mark, _not_as_known(path, mark.offset)
        problem = None
        offset = mark.offset
        for behind, raw in _whole_lines(file, offset):
            try:
                if any(word in raw for word in words):
                    mark = take(_object(raw), mark)
            except NotAsKnown as unknown:
                mark = unknown.then or mark
                problem = problem or _not_as_known(path, offset)
            offset = behind
        return replace(mark, offset=offset), problem


def _open(path: Path) -> BinaryIO:
    # Without O_NONBLOCK a FIFO of that name would hold us up for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def _whole_lines(file: BinaryIO, offset: int) -> Iterator[tuple[int, bytes]]:
    """Lines that have their end, each with the offset behind it."""
    file.seek(offset)
    while (raw := file.readline(_LONGEST_LINE)) and (raw.endswith(b"\n") or len(raw) == _LONGEST_LINE):
        offset += len(raw)
        yield offset, raw


def _object(raw: bytes) -> Line:
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError):
        raise NotAsKnown from None
    if not isinstance(line, dict):
        raise NotAsKnown
    return line


def _not_as_known(path: Path, offset: int) -> Text:
    return say("{path} is not written as we know it (behind byte {offset}).", path=str(path), offset=offset)


def part(line: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An object inside of another.

    Raises:
        NotAsKnown: there is none.
    """
    value = line.get(key)
    if not isinstance(value, dict):
        raise NotAsKnown
    return value


def number(values: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A number of tokens; `default` is for what older versions did not write.

    Raises:
        NotAsKnown: there is none, or it is none.
    """
    value = values.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise NotAsKnown
    return value


def moment(line: Mapping[str, Any]) -> datetime:
    """When a line was written.

    Raises:
        NotAsKnown: it does not say.
    """
    try:
        at = datetime.fromisoformat(str(line.get("timestamp")))
    except ValueError:
        raise NotAsKnown from None
    if at.tzinfo is None:
        raise NotAsKnown
    return at


def model_name(values: Mapping[str, Any]) -> str:
    """The model's name, which is shown to people.

    Raises:
        NotAsKnown: there is none that could be one.
    """
    name = values.get("model")
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= _LONGEST_MODEL:
        raise NotAsKnown
    return name


# Reads a transcript on from a mark. Raises OSError.
Reader = Callable[[Path, Mark], Reading]
# The files beside a transcript that belong to the same conversation.
Beside = Callable[[Path], Iterable[Path]]
