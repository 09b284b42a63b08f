"""An agent as its `profile.json` says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hermes_company.domain.custom import CustomCommand
from hermes_company.wording import Text

DEFAULT_TIMEOUT_MINUTES = 30.0


class AgentStatus(StrEnum):
    """What `runtime.json` says of an agent."""

    IDLE = "idle"
    BUSY = "busy"
    PAUSED = "paused"
    OFFLINE = "offline"


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """Who does tickets: a name, an engine and what it is good at."""

    name: str
    engine: str
    role: str = ""
    skills: tuple[str, ...] = ()
    skills_pack: tuple[str, ...] = ()
    model: str | None = None
    # How many tickets it works on at the same time.
    capacity: int = 1
    timeout_minutes: float = DEFAULT_TIMEOUT_MINUTES
    # Names of environment variables that are passed through to its engine.
    env: tuple[str, ...] = ()
    # Further words for the engine's command line.
    args: tuple[str, ...] = ()
    memory: bool = True
    # `workspace-write`: its engine's own sandbox, where writing is possible in few folders only.
    sandbox: str | None = None
    # The command line tool behind engine `custom`, and only there.
    custom: CustomCommand | None = None
    # profile.md: the identity that the prompt carries.
    identity: str = ""

    @property
    def begins_anew(self) -> bool:
        """Whether it can't go on in a conversation even though its engine could: it was not said how."""
        return self.custom is not None and not self.custom.resume


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadableAgent:
    """An agent folder without a profile that we can act on."""

    name: str
    path: str
    code: str
    reason: Text
    remedy: Text
    line: int | None = None
