"""Finding an engine's program, and saying how to get it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.settings import EngineSettings
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Readiness
from hermes_company.wording import say


def home(environ: Mapping[str, str]) -> Path:
    """The home folder that a program started with this environment sees."""
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


@dataclass(frozen=True, slots=True)
class Program:
    """The command line tool behind an engine."""

    engine: str
    # Its usual name on PATH, and the command that brings it there.
    name: str
    install: str

    def readiness(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """What `Engine.check` answers. Looks at files only."""
        found = self._find(settings, environ)
        return Readiness(program=found, refusal=None if found else self._missing(settings))

    def path(self, settings: EngineSettings, environ: Mapping[str, str]) -> str:
        """The program's absolute path, for the command line.

        Raises:
            Refusal: `engine-missing`.
        """
        found = self._find(settings, environ)
        if found is None:
            raise self._missing(settings)
        return str(found)

    def _find(self, settings: EngineSettings, environ: Mapping[str, str]) -> Path | None:
        from shutil import which  # not above: with its archive formats it costs more than all of the engines

        wanted = settings.command or self.name
        if wanted.startswith("~/"):
            wanted = str(home(environ) / wanted[2:])
        found = which(wanted, path=environ.get("PATH", ""))
        return Path(found).absolute() if found else None

    def _missing(self, settings: EngineSettings) -> Refusal:
        return Refusal(
            "engine-missing",
            fact=say(
                "The program `{program}` of the engine {engine} was not found.",
                program=settings.command or self.name,
                engine=self.engine,
            ),
            cause=say("Its agents can't work."),
            remedy=say(
                "Install it with `{install}`, or name its path in company.yaml as `engines.{engine}.command`.",
                install=self.install,
                engine=self.engine,
            ),
        )
