"""What it takes to look at a company: a part of what the kernel is given, by itself because every `hc why` loads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_company.domain.settings import EngineSettings

if TYPE_CHECKING:
    from hermes_company.domain.policy import Policy
    from hermes_company.domain.settings import Settings
    from hermes_company.domain.workdir import Places
    from hermes_company.ports.agents import AgentBook
    from hermes_company.ports.clock import Clock
    from hermes_company.ports.engine import Engine
    from hermes_company.ports.runs import Runs
    from hermes_company.ports.spending import Spending


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """What it takes to look at a company and judge its tickets; nothing here writes or starts anything by being built."""

    settings: Settings
    places: Places
    runs: Runs
    agents: AgentBook
    engines: Mapping[str, Engine]
    clock: Clock
    spending: Spending
    # What agents may do, as it is written now; a Refusal while that can't be read.
    policy: Callable[[], Policy]
    environ: Mapping[str, str]
    cores: int
    # The tickets whose conversation a person has open.
    talking: Callable[[], Collection[str]] = tuple

    def engine_settings(self, engine: str) -> EngineSettings:
        """What company.yaml says of that engine."""
        return self.settings.engines.get(engine) or EngineSettings()

    @property
    def max_running(self) -> int:
        """The company's cap: as set, else one a core, at most 8."""
        return self.settings.max_running or min(self.cores, 8)
