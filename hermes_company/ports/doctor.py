"""Examining a company: what is well, what is not, and what can be repaired without asking anybody."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from hermes_company.errors import Refusal
from hermes_company.wording import Text, say


class Severity(StrEnum):
    """How much a finding matters, the worst first."""

    BAD = "bad"  # something does not work until it is put right
    WARN = "warn"  # something may go wrong, or was left lying about
    OK = "ok"  # looked at, and well

    @property
    def rank(self) -> int:
        return list(Severity).index(self)


# Repairs one thing and says what was done. Looks again before it acts; may be called twice. Raises OSError or Refusal: what
# could not be repaired stays as it was.
Fix = Callable[[], Text]


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that was looked at."""

    # Stable kebab-case name, e.g. `disk-low`.
    code: str
    severity: Severity
    seen: Text
    # The way out; None where all is well.
    remedy: Text | None = None
    # Set only where repairing it can lose nothing that anybody may want.
    fix: Fix | None = None
    # Whether no loop may run while it is repaired.
    needs_rest: bool = False


class Examiner(Protocol):
    """Knows one room of the house well enough to examine it."""

    def examine(self) -> Sequence[Finding]:
        """Look now. Writes nothing that stays; starts nothing that stays."""


def bad(problem: Refusal, *, fix: Fix | None = None) -> Finding:
    """A refusal as what is wrong."""
    seen = say("{fact} {cause}", fact=problem.fact, cause=problem.cause)
    return Finding(code=problem.code, severity=Severity.BAD, seen=seen, remedy=problem.remedy, fix=fix)


def well(code: str, seen: Text) -> Finding:
    """Something that was looked at and is as it should be."""
    return Finding(code=code, severity=Severity.OK, seen=seen)


def gather(*checks: Callable[[], Iterable[Finding]]) -> list[Finding]:
    """What the checks find. One that cannot look, for lack of permission say, says so and keeps no other from looking."""
    found: list[Finding] = []
    for check in checks:
        try:
            found += check()
        except OSError as problem:
            found.append(_not_examined(problem))
    return found


def _not_examined(problem: OSError) -> Finding:
    return Finding(
        code="not-examined",
        severity=Severity.BAD,
        seen=say(
            "{file} could not be looked at: {problem}.", file=problem.filename or "-", problem=problem.strerror or problem
        ),
        remedy=say("Let the user who runs `hc` read it, and examine the company again."),
    )
