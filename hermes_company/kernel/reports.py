"""What engines report of open attempts: the five receipts, and the end of those that never got under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from hermes_company.domain.pulse import Pulse, moved
from hermes_company.domain.receipts import not_started, not_submitted, reported
from hermes_company.domain.run import Attempt, WorkerState
from hermes_company.domain.settling import Decision
from hermes_company.domain.signals import Signal
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.ports.engine import Narrator
from hermes_company.ports.events import Draft

# Between two looks at whether an attempt that reports nothing at all does something all the same.
_LOOK_SECONDS = 15.0


class Reports:
    """Reads what engines report, when it has grown."""

    def __init__(self, parts: Parts, mind: Mind) -> None:
        self._parts = parts
        self._mind = mind
        # The last look at attempts that report nothing, by token, with its moment in waking time.
        self._silent: dict[str, tuple[Pulse, float]] = {}

    def signals(self, run: Attempt) -> Sequence[Signal]:
        """What its engine reported so far, oldest first."""
        engine = self._parts.engines.get(run.engine)
        return self._parts.runs.signals(run.ticket, run.number, engine) if engine else ()

    def told(self, run: Attempt, signals: Sequence[Signal]) -> Sequence[Signal]:
        """What its engine's transcript says besides, oldest first."""
        engine = self._parts.engines.get(run.engine)
        path = next((signal.transcript for signal in reversed(signals) if signal.transcript), None)
        if path is None or not isinstance(engine, Narrator):
            return ()
        return self._parts.runs.told(run.ticket, run.number, path, engine)

    def note(self, run: Attempt, worker: WorkerState, told: Sequence[Signal], *, produced: bool) -> Attempt:
        """Record and tell the receipts that are new."""
        now = self._parts.clock.now()
        found = reported(self.signals(run), told, run.taken_at)
        if worker.started_awake is not None and not worker.refusal:
            since = now - timedelta(seconds=self._parts.clock.awake() - worker.started_awake)
            # Of another boot, or after a jump of the clock, that may lie anywhere.
            found["delivered"] = min(max(since, run.taken_at), now)
        if produced:
            found["produced"] = now
        known = run.receipts
        fresh = {name: at for name, at in found.items() if known[name] is None}
        later = found.get("progressing", run.progressing_at)
        if not fresh and later == run.progressing_at:
            return run
        changes: dict[str, Any] = {f"{name}_at": at for name, at in fresh.items()}
        noted = replace(run, **{**changes, "progressing_at": later})
        if fresh:
            drafts = [self._draft(run, name, fresh[name].isoformat()) for name in known if name in fresh]
            self._parts.events.append_all(drafts)
            self._parts.runs.save(noted)
        self._mind.keep(noted)
        return noted

    def overdue(self, run: Attempt, worker: WorkerState) -> Decision | None:
        """The end of a living attempt whose prompt or work is not reported in time; None for engines that don't report it."""
        parts, settings = self._parts, self._parts.settings
        if run.started_at or not isinstance(parts.engines.get(run.engine), Narrator) or worker.started_awake is None:
            return None
        age = parts.clock.awake() - worker.started_awake
        if run.submitted_at is None:
            if 0 < settings.submit_seconds < age and (self.signals(run) or self._is_still(run)):
                return not_submitted(settings.submit_seconds)
            return None
        # Whatever the wall clock did meanwhile, it can't have waited longer than its process is there.
        waited = min(age, (parts.clock.now() - run.submitted_at).total_seconds())
        return not_started(settings.start_seconds) if 0 < settings.start_seconds < waited else None

    def forget_all_but(self, tokens: set[str]) -> None:
        """Drop what is known of attempts that are closed."""
        self._silent = {token: look for token, look in self._silent.items() if token in tokens}

    def _is_still(self, run: Attempt) -> bool:
        """Whether an attempt that reports nothing does nothing either: a person may have switched reports off."""
        now = self._parts.clock.awake()
        last = self._silent.get(run.token)
        if last and now - last[1] < _LOOK_SECONDS:
            return False
        activity = self._parts.workers.activity(self._parts.runs.folder(run.ticket, run.number), run.pane)
        pulse = Pulse(cpu_seconds=activity.cpu_seconds, screen=activity.screen, signals=0, files=0)
        self._silent[run.token] = (pulse, now)
        return last is not None and not moved(last[0], pulse, now - last[1])

    def _draft(self, run: Attempt, name: str, at: str) -> Draft:
        data = {"receipt": name, "at": at}
        return Draft(kind="attempt.receipt", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
