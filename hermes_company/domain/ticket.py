"""A ticket as its file says it. Its state is the folder that the file lies in, so it is not a field here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hermes_company.wording import Text


class State(StrEnum):
    """The five folders below `tasks/`. A ticket lies in exactly one."""

    TODO = "todo"
    DOING = "doing"
    BLOCKED = "blocked"
    REVIEW = "review"
    DONE = "done"


class Priority(StrEnum):
    """How urgent a ticket is; `rank` 0 goes first."""

    URGENT = "urgent"
    HIGH = "high"
    NORMAL = "normal"
    LOW = "low"

    @property
    def rank(self) -> int:
        return _RANKS[self]


class Approval(StrEnum):
    """Whether a person has to approve a ticket before it starts, and has."""

    BEFORE = "before"
    GIVEN = "given"


_RANKS = {priority: rank for rank, priority in enumerate(Priority)}


class Trust(StrEnum):
    """Whether a ticket works on what strangers wrote (web pages, mail): what it teaches then stays with its own agent."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ticket:
    """What the orchestrator reads from a ticket's file. Unknown keys stay in the file and are not here."""

    id: str
    title: str
    body: str = ""
    owner: str | None = None
    priority: Priority = Priority.NORMAL
    needs: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    skill_pack: tuple[str, ...] = ()
    # As written: `~` and a project's name are resolved by `workdir.py`.
    workdir: str | None = None
    project: str | None = None
    timeout_minutes: float | None = None
    created: datetime | None = None
    created_by: str | None = None
    hold: bool = False
    # None: nobody has to approve it.
    approve: Approval | None = None
    not_before: datetime | None = None
    expects: tuple[str, ...] = ()
    # `memory: off` keeps recalled experience out of this ticket's prompt.
    memory: bool = True
    trust: Trust = Trust.TRUSTED
    # sha256 of the file's bytes without our own `runtime:` block: tells whether a person changed it.
    digest: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A file in `tasks/` that is not a ticket we can act on. It stays where it is; nothing of it is lost."""

    id: str
    # Relative to the company root.
    path: str
    code: str
    reason: Text
    remedy: Text
    # 1-based, where known.
    line: int | None = None
