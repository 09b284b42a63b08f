"""Engines by name: ours, and those that other packages offer under the entry-point group `hermes_company.engines`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Engine, Job, Launch, Readiness
from hermes_company.wording import say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "hermes_company.engines"
# Known without installed metadata too, and never replaced by another package.
_OURS = {
    "claude-code": ("claude_code", "ClaudeCode"),
    "codex": ("codex", "Codex"),
    "shell": ("shell", "Shell"),
    "custom": ("custom", "Custom"),
}


class Engines(Mapping[str, Engine]):
    """Every engine by name, loaded when it is first asked for. One that cannot be loaded is there too, and says so."""

    def __init__(self) -> None:
        self._loaded: dict[str, Engine] = {}

    def __getitem__(self, name: str) -> Engine:
        if name not in self._loaded:
            try:
                self._loaded[name] = get_engine(name)
            except Refusal:
                raise KeyError(name) from None
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_OURS, *_offered()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def get_engine(name: str) -> Engine:
    """The engine of that name.

    Raises:
        Refusal: `engine-unknown`.
    """
    if name in _OURS:
        module, class_name = _OURS[name]
        built: Engine = getattr(import_module(f"hermes_company.engines.{module}"), class_name)()
        return built
    point = _offered().get(name)
    if point is None:
        raise _unknown(name, (*_OURS, *_offered()))
    try:
        stranger: Engine = point.load()()
    except (ImportError, AttributeError) as problem:
        return BrokenEngine(name, point.value, problem)
    return stranger


class BrokenEngine:
    """In the place of an engine whose package cannot be loaded: the company runs, its agents don't. See `Engine`."""

    runner = "base.md"
    resumes = False

    def __init__(self, name: str, where: str, problem: Exception) -> None:
        self.name = name
        self._refusal = Refusal(
            "engine-broken",
            fact=say(
                "The engine {name} could not be loaded from {where}: {problem}", name=name, where=where, problem=str(problem)
            ),
            cause=say("Its agents can't work."),
            remedy=say("Repair or remove the package that brings it."),
        )

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`."""
        return Readiness(program=None, refusal=self._refusal)

    def preflight(self, job: Job) -> Refusal:
        """See `Engine.preflight`."""
        return self._refusal

    prepare = preflight

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """See `Engine.consents`."""
        return ()

    def grant(self, consents: Iterable[Consent]) -> None:
        """See `Engine.grant`."""

    def start(self, job: Job) -> Launch:
        """See `Engine.start`."""
        raise self._refusal

    resume = start

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """See `Engine.read_signal`."""
        return None


def _offered() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # costs more than all engines together

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in _OURS}


def _unknown(name: str, known: Iterable[str]) -> Refusal:
    import difflib

    close = difflib.get_close_matches(name.casefold(), known, n=1)
    listed = say("Known engines: {known}.", known=", ".join(sorted(known)))
    return Refusal(
        "engine-unknown",
        fact=say("There is no engine named `{name}`.", name=name),
        cause=say("Nothing could be started with it."),
        remedy=say("Did you mean `{close}`? {listed}", close=close[0], listed=listed) if close else listed,
    )
