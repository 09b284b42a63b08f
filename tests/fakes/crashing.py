"""Any port, with a crash or an I/O error at a chosen call: before it, or after it has had its effect."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Crash(BaseException):
    """The process is gone at this instruction: nothing of ours may catch it."""


@dataclass(slots=True)
class Plan:
    """Counts every call through the wrapped ports and strikes at one of them.

    Args:
        at: index of the call to strike at; -1 never.
        after: strike when the call has had its effect, not before.
        error: raise OSError with this errno instead of crashing.
        lasting: how many calls in a row fail (a full disk stays full for a while).
        only: strike only at calls whose name begins so.
    """

    at: int = -1
    after: bool = False
    error: int | None = None
    lasting: int = 1
    only: str = ""
    calls: int = 0
    struck: list[str] = field(default_factory=list)

    def call(self, name: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Pass the call on, or strike."""
        index, self.calls = self.calls, self.calls + 1
        strikes = 0 <= self.at <= index < self.at + self.lasting and name.startswith(self.only)
        if strikes and not self.after:
            self._strike(name)
        result = function(*args, **kwargs)
        if strikes and self.after:
            self._strike(name)
        return result

    def _strike(self, name: str) -> None:
        self.struck.append(name)
        if self.error is not None:
            raise OSError(self.error, os.strerror(self.error))
        raise Crash(name)


FULL_DISK = errno.ENOSPC


class Crashing:
    """A port whose every call goes through a plan."""

    def __init__(self, inner: object, plan: Plan) -> None:
        self._inner = inner
        self._plan = plan

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not callable(value):
            return value
        label = f"{type(self._inner).__name__}.{name}"
        return lambda *args, **kwargs: self._plan.call(label, value, *args, **kwargs)
