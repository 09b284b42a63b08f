"""Looks now and then whether open attempts still do anything: warns first, acts when every clock has stood still for long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from hermes_company.domain.pulse import Pulse, moved
from hermes_company.domain.run import Attempt, Outcome
from hermes_company.domain.settling import Decision
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.wording import say

_LOOK_SECONDS = 60.0


@dataclass(slots=True)
class _Watched:
    # None until the first look, a while after the start.
    pulse: Pulse | None
    # Moments, in waking time, of the last look and of the last movement.
    looked: float
    moved: float
    told: bool = False


class Watcher:
    """Keeps the three clocks of each open attempt."""

    def __init__(self, parts: Parts, mind: Mind) -> None:
        self._parts = parts
        self._mind = mind
        self._watched: dict[str, _Watched] = {}

    def look(self, run: Attempt, signals: int) -> Decision | None:
        """Look at an attempt that is alive, at most once a minute.

        Returns:
            Its end, when nothing at all has moved for `stuck_minutes`.
        """
        now = self._parts.clock.awake()
        watched = self._watched.setdefault(run.token, _Watched(None, now, now))
        if now - watched.looked < _LOOK_SECONDS:
            return None
        pulse = self._pulse(run, signals)
        if watched.pulse is None or moved(watched.pulse, pulse, now - watched.looked):
            if watched.told:
                self._flag(run, None)
            self._watched[run.token] = _Watched(pulse, now, now)
            return None
        watched.pulse, watched.looked = pulse, now
        return self._quiet(run, watched, (now - watched.moved) / 60)

    def forget_all_but(self, tokens: set[str]) -> None:
        """Drop what is known of attempts that are closed."""
        self._watched = {token: watched for token, watched in self._watched.items() if token in tokens}

    def _quiet(self, run: Attempt, watched: _Watched, minutes: float) -> Decision | None:
        settings = self._parts.settings
        if settings.stuck_minutes and minutes >= settings.stuck_minutes:
            reason = say(
                "Nothing has moved for {minutes:.0f} minutes: no output, no report, no file, no processor time.",
                minutes=minutes,
            )
            return Decision(outcome=Outcome.TIMED_OUT, reason=reason)
        if settings.quiet_minutes and minutes >= settings.quiet_minutes and not watched.told:
            watched.told = True
            self._flag(run, minutes)
            data = {"minutes": round(minutes)}
            self._parts.events.append("attempt.quiet", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
        return None

    def _flag(self, run: Attempt, minutes: float | None) -> None:
        text = say("Nothing has moved for more than {minutes:.0f} minutes.", minutes=self._parts.settings.quiet_minutes)
        flags = tuple(flag for flag in run.flags if flag != text) + ((text,) if minutes is not None else ())
        flagged = replace(self._mind.open.get(run.ticket, run), flags=flags)
        self._parts.runs.save(flagged)
        self._mind.keep(flagged)

    def _pulse(self, run: Attempt, signals: int) -> Pulse:
        parts = self._parts
        activity = parts.workers.activity(parts.runs.folder(run.ticket, run.number), run.pane)
        changed = (parts.outbox.last_change(Path(folder)) for folder in {run.outbox, run.workdir} if folder)
        return Pulse(cpu_seconds=activity.cpu_seconds, screen=activity.screen, signals=signals, files=max(changed, default=0))
