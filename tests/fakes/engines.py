"""An engine that describes a process which nobody starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hermes_company.domain.failure import Failure, FailureKind
from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import BACKGROUND, Signal, SignalKind
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job, Launch, Readiness


@dataclass(slots=True)
class FakeEngine:
    """`Engine` without a program.

    Args:
        missing: why it can't be started at all, if so.
        objection: what `preflight` objects to, if anything.
    """

    name: str = "fake"
    runner: str = "fake_runner.md"
    resumes: bool = True
    missing: Refusal | None = None
    objection: Refusal | None = None
    # What it was asked to start, in order.
    jobs: list[Job] = field(default_factory=list)

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`."""
        return Readiness(program=None if self.missing else Path("/usr/bin/fake"), refusal=self.missing)

    def preflight(self, job: Job) -> Refusal | None:
        """See `Engine.preflight`."""
        return self.objection

    def prepare(self, job: Job) -> Refusal | None:
        """See `Engine.prepare`."""
        return self.preflight(job)

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """It asks nothing."""
        return ()

    def grant(self, consents: Iterable[Consent]) -> None:
        """There is nothing to record."""

    def start(self, job: Job) -> Launch:
        """See `Engine.start`."""
        self.jobs.append(job)
        return Launch(argv=("fake", "--session", job.session_id))

    def resume(self, job: Job) -> Launch:
        """See `Engine.resume`."""
        self.jobs.append(job)
        return Launch(argv=("fake", "--resume", job.session_id))

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """Lines carry our own kinds: `{"event": "turn_ended", "at": 1.0}`."""
        try:
            kind = SignalKind(str(line.get("event")))
        except ValueError:
            return None
        at = line.get("at")
        session, rule, call = line.get("session_id"), line.get("rule"), line.get("call")
        transcript = line.get("transcript")
        failed = line.get("failure")
        until = line.get("until")
        return Signal(
            kind=kind,
            at=datetime.fromtimestamp(at if isinstance(at, float) else 0.0, UTC),
            session_id=session if isinstance(session, str) else None,
            transcript=transcript if isinstance(transcript, str) else None,
            error=rule if isinstance(rule, str) else None,
            detail=BACKGROUND if line.get("background") else call if isinstance(call, str) else None,
            failure=None
            if failed is None
            else Failure(
                kind=FailureKind(str(failed)),
                said="so it is",
                until=datetime.fromisoformat(str(until)) if until else None,
            ),
        )


@dataclass(slots=True)
class TellingEngine(FakeEngine):
    """A fake whose reports are complete (`Narrator`): its transcript's lines are as those of its reports."""

    transcript_words: tuple[bytes, ...] = (b"answered", b"turn_failed")

    def read_transcript(self, line: Mapping[str, object]) -> Signal | None:
        """See `Narrator.read_transcript`."""
        return self.read_signal(line)
