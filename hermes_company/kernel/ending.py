"""The one way an attempt ends: decide, end its process tree and prove it, move the ticket, close the record.

Every step may be repeated after a crash; the record says how far it came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hermes_company.domain.breaker import EngineNote, failed, succeeded
from hermes_company.domain.pausing import breaker_after, end_by, standing_failure
from hermes_company.domain.redaction import redact
from hermes_company.domain.retrying import failures, pause
from hermes_company.domain.run import RULES, Attempt, Outcome, Phase, WorkerPhase, WorkerState
from hermes_company.domain.settling import Decision, RunFacts, decide
from hermes_company.domain.signals import Signal
from hermes_company.domain.ticket import State
from hermes_company.kernel.asking import Dialogs
from hermes_company.kernel.claims import checked
from hermes_company.kernel.parts import Look, Mind, Parts
from hermes_company.kernel.reports import Reports
from hermes_company.kernel.rules import Rules
from hermes_company.kernel.watching import Watcher
from hermes_company.ports.board import BoardView, PlaceTaken, TicketGone
from hermes_company.ports.workers import EndProgress
from hermes_company.wording import Text, say

_TAIL_LINES = 40
_TAIL_COLUMNS = 200
_PAUSE_SECONDS = 300.0
_LOOK_SECONDS = 1.0
_RACY_SECONDS = 0.02


class Ender:
    """Settles open attempts."""

    def __init__(self, parts: Parts, mind: Mind, rules: Rules) -> None:
        self._parts = parts
        self._mind = mind
        self._rules = rules
        self._watcher = Watcher(parts, mind)
        self._dialogs = Dialogs(parts, mind)
        self._reports = Reports(parts, mind)

    def settle(self, run: Attempt, view: BoardView) -> None:
        """Look at one open attempt and go one step further if it is over."""
        if run.phase is Phase.LAUNCHED:
            look = self._look(run, view)
            if look is None:
                return
            decision = self._decide(run, view)
            if decision is None:
                self._renew(self._mind.open[run.ticket])
                self._mind.looked[run.token] = look
                return
            run = self._mind.open[run.ticket]
            run = checked(self._parts, run, decision, view.doing.get(run.ticket), self._reports.signals(run))
            run = self._begin_end(run, decision)
        if run.phase is Phase.ENDING:
            self._finish(run)

    def refuse(self, run: Attempt, decision: Decision) -> None:
        """End an attempt that could not be started."""
        self._finish(self._begin_end(run, decision))

    def _look(self, run: Attempt, view: BoardView) -> Look | None:
        """What there is to look at; None when the last look is recent and nothing that it depended on has changed since."""
        parts = self._parts
        depends = (
            parts.runs.stamp(run.ticket, run.number),
            parts.outbox.stamp(run.agent, run.ticket),
            run.ticket in view.doing,
        )
        now = parts.clock.boottime()
        last = self._mind.looked.get(run.token)
        if last and last.depends == depends and now - last.at < _LOOK_SECONDS and run.token not in self._mind.marked:
            return None
        # A folder this young may change again under the same time stamp: then the next look is never spared.
        young = parts.clock.now().timestamp() - max(depends[:2]) / 1e9 <= _RACY_SECONDS
        return Look(depends, float("-inf") if young else now)

    def _decide(self, run: Attempt, view: BoardView) -> Decision | None:
        parts = self._parts
        worker = parts.workers.state(parts.runs.folder(run.ticket, run.number))
        markers = parts.outbox.markers(run.agent, run.ticket, run.token)
        now = parts.clock.boottime()
        signals = self._reports.signals(run)
        self._rules.hear(run, signals)
        told = self._reports.told(run, signals)
        run = self._reports.note(run, worker, told, produced=markers.done and markers.summary)
        marked = now
        if markers.done or markers.blocked is not None:
            marked = self._mind.marked.setdefault(run.token, now)
        for name in markers.odd:
            text = say("{name} in the outbox is no regular file and does not count.", name=name)
            self._point_out(run, text, "attempt.odd_marker", {"name": name})
        facts = RunFacts(
            # A second file of that name somewhere else (an editor's late save) does not take the running one away.
            place=State.DOING if run.ticket in view.doing else view.states.get(run.ticket),
            worker=worker,
            done=markers.done,
            blocked=markers.blocked,
            summary=markers.summary,
            turn_over=bool(signals) and signals[-1].ends_work,
            marker_age=now - marked,
            running_for=parts.clock.awake() - worker.started_awake if worker.started_awake is not None else 0.0,
            launched_for=now - self._mind.launched.setdefault(run.token, now),
            stop_asked=parts.runs.stop_asked(run.ticket, run.number),
            failed=self._failed(run, signals, told),
        )
        decision = decide(run, facts, done_grace=parts.settings.done_grace_seconds)
        alive = decision is None and worker.phase is WorkerPhase.RUNNING
        asks = alive and self._dialogs.look(run, signals)
        if not alive or markers.done or markers.blocked is not None:
            return self._watcher.look(run, len(signals)) if alive else decision
        # As long as it asks a person something, that person may answer.
        overdue = None if asks else self._reports.overdue(run, worker)
        return overdue or self._overdrawn(run) or self._watcher.look(run, len(signals))

    def _overdrawn(self, run: Attempt) -> Decision | None:
        reason = self._parts.spending.overdrawn(run.ticket, run.number, run.agent, run.engine)
        return Decision(outcome=Outcome.BUDGET, reason=reason) if reason else None

    def _failed(self, run: Attempt, signals: Sequence[Signal], told: Sequence[Signal]) -> Decision | None:
        failure = standing_failure(signals, told)
        if failure is None:
            return None
        return end_by(failure, run, self._parts.runs.engine(run.engine), self._parts.clock.now())

    def _renew(self, run: Attempt) -> None:
        now = self._parts.clock.now()
        started = next((s for s in self._reports.signals(run) if s.session_id), None)
        session = started.session_id if started and started.session_id else run.session_id
        if session == run.session_id and run.lease_expires - now > self._parts.lease / 2:
            return
        renewed = replace(run, session_id=session, lease_expires=now + self._parts.lease)
        self._parts.runs.save(renewed)
        self._mind.keep(renewed)

    def _begin_end(self, run: Attempt, decision: Decision) -> Attempt:
        reported = [s.session_id for s in self._reports.signals(run) if s.session_id]
        session = reported[0] if reported else run.session_id
        ending = replace(run, phase=Phase.ENDING, outcome=decision.outcome, reason=decision.reason, session_id=session)
        ending = replace(ending, failure=decision.failure, paused_until=decision.until)
        self._parts.runs.save(ending)
        self._mind.keep(ending)
        return ending

    def _finish(self, run: Attempt) -> None:
        """End the tree; once that is proved, move the ticket and close."""
        parts = self._parts
        folder = parts.runs.folder(run.ticket, run.number)
        worker = parts.workers.state(folder)
        progress = parts.workers.end(folder, run.token)
        if progress is EndProgress.STUCK:
            self._alarm(run)
        if progress is not EndProgress.ENDED:
            return
        decided = run.reason
        run = self._rules.settle(run, self._reports.signals(run))
        target, reason = self._target(run)
        run = replace(run, reason=reason, moved_to=self._move(run, target), closed_at=parts.clock.now())
        if worker.phase is not WorkerPhase.NOT_STARTED:
            parts.workers.keep_output(folder, run.pane)
        self._mark(run, folder_tail=self._tail(run, worker))
        self._note_engine(run, decided)
        self._tell(run, worker)
        parts.runs.close(replace(run, phase=Phase.CLOSED))
        self._mind.forget(run)
        self._rules.forget(run)
        tokens = {other.token for other in self._mind.open.values()}
        self._watcher.forget_all_but(tokens)
        self._dialogs.forget_all_but(tokens)
        self._reports.forget_all_but(tokens)

    def _note_engine(self, run: Attempt, decided: Text | None) -> None:
        """Let the engine's breaker know how the attempt went."""
        runs, now = self._parts.runs, self._parts.clock.now()
        note = runs.engine(run.engine)
        if run.paused_until and decided:
            self._open_breaker(run, note, breaker_after(run, note, decided, self._parts.settings.lang))
            return
        if run.outcome in (Outcome.FINISHED, Outcome.BLOCKED):
            # Work that was handed in says nothing about a limit that somebody else has just met.
            if note != succeeded() and not (note.kind and note.is_open(now)):
                runs.remember_engine(run.engine, succeeded())
            return
        if run.outcome not in (Outcome.DIED, Outcome.NO_DELIVERABLE) or decided is None:
            return
        self._open_breaker(run, note, failed(note, run.ticket, decided.in_lang(self._parts.settings.lang), now))

    def _open_breaker(self, run: Attempt, note: EngineNote, changed: EngineNote) -> None:
        self._parts.runs.remember_engine(run.engine, changed)
        if changed.opened > note.opened and changed.until:
            data = {"engine": run.engine, "until": changed.until.isoformat(), "reason": changed.reason}
            self._parts.events.append("engine.paused", ticket=run.ticket, agent=run.agent, data=data)

    def _alarm(self, run: Attempt) -> None:
        survivors = self._parts.workers.survivors(run.token)
        text = say("Processes survive their end: {pids}.", pids=", ".join(map(str, survivors)))
        self._point_out(run, text, "attempt.stuck", {"pids": list(survivors)})

    def _point_out(self, run: Attempt, text: Text, kind: str, data: Mapping[str, object]) -> None:
        """Flag an open attempt and tell it, once."""
        run = self._mind.open.get(run.ticket, run)
        if text in run.flags:
            return
        flagged = replace(run, flags=(*run.flags, text))
        self._parts.runs.save(flagged)
        self._mind.keep(flagged)
        self._parts.events.append(kind, ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)

    def _target(self, run: Attempt) -> tuple[State | None, Text | None]:
        """Where the ticket goes, and why. Remembers the pause before a next try."""
        outcome = run.outcome or Outcome.LOST
        rule = RULES[outcome]
        runs, now = self._parts.runs, self._parts.clock.now()
        note = runs.note(run.ticket)
        if outcome is Outcome.PAUSED and run.paused_until is None:
            runs.remember(run.ticket, replace(note, retry_at=now + pause(1, _PAUSE_SECONDS, 0.0)))
            return rule.to, run.reason
        if not rule.counts:
            return rule.to, run.reason
        tries = 1 + failures([a for a in runs.history(run.ticket) if a.number != run.number], note.forgiven)
        if tries > self._parts.settings.retries:
            reason = say("{reason} It was tried {tries} times.", reason=run.reason, tries=tries)
            return State.BLOCKED, reason
        wait = pause(tries, self._parts.settings.retry_delay_seconds, self._parts.chance())
        runs.remember(run.ticket, replace(note, retry_at=now + wait))
        return rule.to, run.reason

    def _move(self, run: Attempt, target: State | None) -> State | None:
        """Move the ticket if it is still ours to move."""
        if target is None or target is State.DOING:
            return target
        try:
            self._parts.board.move(run.ticket, State.DOING, target)
        except TicketGone:
            # Moved by us just before a crash, or by a person: the folder says which, and either way it stays there.
            lies = self._parts.board.view(fresh=True).states.get(run.ticket)
            if lies is not target:
                return None
        except PlaceTaken:
            return None
        if self._mind.known.get(run.ticket) is not target:
            self._mind.known[run.ticket] = target
            data = {"from": State.DOING.value, "to": target.value, "by": "hc"}
            self._parts.events.append("ticket.moved", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
        return target

    def _tail(self, run: Attempt, worker: WorkerState) -> str:
        if run.moved_to is not State.BLOCKED or worker.phase is WorkerPhase.NOT_STARTED:
            return ""
        folder = self._parts.runs.folder(run.ticket, run.number)
        lines = self._parts.workers.tail(folder, run.pane, _TAIL_LINES).splitlines()[-_TAIL_LINES:]
        return redact("\n".join(line[:_TAIL_COLUMNS] for line in lines)).text

    def _mark(self, run: Attempt, *, folder_tail: str) -> None:
        lies = run.moved_to or self._mind.known.get(run.ticket)
        if lies is None:
            return
        block: dict[str, object] = {"agent": run.agent, "attempt": run.number}
        if run.moved_to in (State.TODO, State.BLOCKED, State.DOING) and run.reason:
            block["reason"] = run.reason.in_lang(self._parts.settings.lang)
        if run.flags:
            block["flags"] = " ".join(flag.in_lang(self._parts.settings.lang) for flag in run.flags)
        if folder_tail.strip():
            block["last_output"] = folder_tail + "\n"
        self._parts.board.mark(run.ticket, lies, block)

    def _tell(self, run: Attempt, worker: WorkerState) -> None:
        data = {
            "outcome": str(run.outcome),
            "title": run.title,
            "engine": run.engine,
            "outbox": run.outbox,
            "project": run.project,
            "packs": list(run.packs),
            "trust": run.trust.value,
            "moved_to": run.moved_to.value if run.moved_to else None,
            "reason": run.reason.in_lang(self._parts.settings.lang) if run.reason else "",
            "exit_code": worker.exit_code,
            **({"failure": run.failure} if run.failure else {}),
            **({"flags": [flag.in_lang(self._parts.settings.lang) for flag in run.flags]} if run.flags else {}),
        }
        self._parts.events.append("attempt.closed", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
