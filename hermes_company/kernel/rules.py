"""The company's rules around an attempt: what its guard refused or asked is told, what was changed all the same is put back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.kernel.parts import Parts
from hermes_company.ports.events import Draft, Event
from hermes_company.ports.protection import Change
from hermes_company.wording import say

# What the guard reports: the event that tells of it, and what is in `Signal.error`.
_HEARD: Mapping[SignalKind, tuple[str, str]] = {
    SignalKind.GUARD_REFUSED: ("guard.refused", "rule"),
    SignalKind.GUARD_ASKED: ("approval.asked", "question"),
}
_REPORTS = frozenset(kind for kind, _ in _HEARD.values())
_CHANGED = "guard.changed"
# A flag each for so many changed files; the rest is counted.
_MOST_FLAGS = 5


class Rules:
    """Tells each refusal, question and change once, whatever loop was there before."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        # How many of an attempt's reports and of its changes the log tells of, by ticket, attempt and kind.
        self._told: dict[tuple[str | None, int | None, bool], int] = {}
        # How many lines of the engine were looked at, and how many reports were among them, by ticket and attempt.
        self._heard: dict[tuple[str, int], tuple[int, int]] = {}

    def remember(self, event: Event) -> None:
        """Learn from the log what an earlier loop has told."""
        if event.kind in _REPORTS or event.kind == _CHANGED:
            key = (event.ticket, event.attempt, event.kind == _CHANGED)
            self._told[key] = self._told.get(key, 0) + 1

    def hear(self, run: Attempt, signals: Sequence[Signal]) -> None:
        """Tell what is new among the engine's lines."""
        lines, reports = self._heard.get((run.ticket, run.number), (0, 0))
        if len(signals) == lines:
            return
        drafts = [_report(run, signal) for signal in signals[lines:] if signal.kind in _HEARD]
        self._tell(run, drafts, reports, changes=False)
        self._heard[run.ticket, run.number] = len(signals), reports + len(drafts)

    def settle(self, run: Attempt, signals: Sequence[Signal]) -> Attempt:
        """Tell the rest, and put back what the attempt changed in the company's own files. Its processes are gone.

        Returns:
            The attempt, flagged for its reviewer.
        """
        self.hear(run, signals)
        changes = self._parts.protection.restore(self._parts.runs.folder(run.ticket, run.number))
        drafts = [_draft(run, _CHANGED, {"path": c.path, "put_back": c.put_back, "kept": c.kept}) for c in changes]
        self._tell(run, drafts, 0, changes=True)
        return _flagged(run, changes)

    def forget(self, run: Attempt) -> None:
        """Drop what is known of a closed attempt."""
        self._heard.pop((run.ticket, run.number), None)
        for changes in (False, True):
            self._told.pop((run.ticket, run.number, changes), None)

    def _tell(self, run: Attempt, drafts: Sequence[Draft], before: int, *, changes: bool) -> None:
        """Write the events that the log has not got yet.

        Args:
            before: how many came before the first of these.
        """
        key = (run.ticket, run.number, changes)
        told = self._told.get(key, 0)
        self._parts.events.append_all(drafts[max(0, told - before) :])
        self._told[key] = max(told, before + len(drafts))


def _report(run: Attempt, signal: Signal) -> Draft:
    kind, error = _HEARD[signal.kind]
    return _draft(run, kind, {error: signal.error, "call": signal.detail})


def _draft(run: Attempt, kind: str, data: Mapping[str, object]) -> Draft:
    return Draft(kind=kind, ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)


def _flagged(run: Attempt, changes: Sequence[Change]) -> Attempt:
    flags = [change.says for change in changes[:_MOST_FLAGS]]
    if len(changes) > _MOST_FLAGS:
        more = len(changes) - _MOST_FLAGS
        flags.append(say("{count} more of the company's files: `hc events --ticket {ticket}`.", count=more, ticket=run.ticket))
    return replace(run, flags=(*run.flags, *flags))
