"""Attempts and how they end. An attempt is one start of one engine for one ticket."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hermes_company.domain.ticket import State, Trust
from hermes_company.wording import Text


class Outcome(StrEnum):
    """How an attempt ended: a closed set, each with one meaning, one next folder and one counting rule."""

    FINISHED = "finished"  # DONE in this attempt and a summary
    BLOCKED = "blocked"  # the agent wrote BLOCKED with a reason
    DIED = "died"  # its process ended without DONE or BLOCKED
    TIMED_OUT = "timed_out"  # over its time
    STOPPED = "stopped"  # a person asked for the end
    TAKEN_AWAY = "taken_away"  # a person moved or deleted the ticket
    REFUSED = "refused"  # could not be started as asked (workdir gone, engine missing)
    NO_DELIVERABLE = "no_deliverable"  # DONE, but nothing that could be reviewed
    PAUSED = "paused"  # the engine's limit; the same conversation goes on later
    BUDGET = "budget"  # a budget is used up; the same conversation goes on when there is room again
    LOST = "lost"  # its record is damaged or its fate cannot be known


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from an outcome."""

    # Where the ticket goes; None leaves it where a person put it.
    to: State | None
    # Whether it uses up one of the ticket's retries. Only then may the ticket go back to `todo` by itself.
    counts: bool


RULES: dict[Outcome, Rule] = {
    Outcome.FINISHED: Rule(State.REVIEW, counts=False),
    Outcome.BLOCKED: Rule(State.BLOCKED, counts=False),
    Outcome.DIED: Rule(State.TODO, counts=True),
    Outcome.TIMED_OUT: Rule(State.BLOCKED, counts=False),
    Outcome.STOPPED: Rule(State.BLOCKED, counts=False),
    Outcome.TAKEN_AWAY: Rule(None, counts=False),
    Outcome.REFUSED: Rule(State.BLOCKED, counts=False),
    Outcome.NO_DELIVERABLE: Rule(State.TODO, counts=True),
    Outcome.PAUSED: Rule(State.DOING, counts=False),
    Outcome.BUDGET: Rule(State.DOING, counts=False),
    Outcome.LOST: Rule(State.TODO, counts=True),
}


class Phase(StrEnum):
    """How far an attempt has come. It only moves forward."""

    INTENT = "intent"  # recorded, ticket not yet moved: nothing has happened
    LAUNCHED = "launched"  # the ticket is ours and the launcher was asked to start
    ENDING = "ending"  # the outcome is decided, the process tree is being ended
    CLOSED = "closed"  # tree gone, ticket moved


RECEIPTS = ("delivered", "submitted", "started", "progressing", "produced")


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """The record of one attempt, `.hc/runs/<ticket>/<number>/run.json`."""

    ticket: str
    number: int
    agent: str
    engine: str
    # Names this attempt in the process environment and in DONE; unguessable, so that an older attempt can't claim it.
    token: str
    # The engine's conversation. Pinned by us where the engine allows it, else filled in from its first signal.
    session_id: str
    phase: Phase = Phase.INTENT
    claimed_from: State = State.TODO
    digest: str = ""
    title: str = ""
    workdir: str = ""
    project: str | None = None
    outbox: str = ""
    timeout_minutes: float = 30.0
    taken_at: datetime
    lease_expires: datetime
    # The attempt whose conversation this one continues.
    resumes: int | None = None
    feedback: str | None = None
    # Where what it teaches comes from: the skill packs it was to use, and how far its ticket was trusted when it began.
    packs: tuple[str, ...] = ()
    trust: Trust = Trust.TRUSTED
    window: str = ""
    pane: str | None = None
    outcome: Outcome | None = None
    reason: Text | None = None
    # What a reviewer should know: missing deliverables, survivors.
    flags: tuple[Text, ...] = ()
    moved_to: State | None = None
    # Why its turn failed (`domain/failure.py`), and until when its engine is paused for that.
    failure: str = ""
    paused_until: datetime | None = None
    closed_at: datetime | None = None
    # Receipts, by what was reported: its process was up, our prompt arrived, the model or a tool began, the last sign of
    # work, the deliverables were there.
    delivered_at: datetime | None = None
    submitted_at: datetime | None = None
    started_at: datetime | None = None
    progressing_at: datetime | None = None
    produced_at: datetime | None = None

    @property
    def receipts(self) -> dict[str, datetime | None]:
        """The receipts by name, in the order in which they come."""
        return {name: getattr(self, f"{name}_at") for name in RECEIPTS}


class WorkerPhase(StrEnum):
    """What can be known of an attempt's process without asking anybody."""

    NOT_STARTED = "not_started"  # no start fence yet
    RUNNING = "running"  # fence written, that very process lives
    EXITED = "exited"  # exit record written: the tree is gone
    VANISHED = "vanished"  # fence written, the process is gone, no exit record


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerState:
    """The process side of an attempt, read from its fence and exit record and from the process table."""

    phase: WorkerPhase
    # The launcher, and the engine below it.
    pid: int | None = None
    engine_pid: int | None = None
    # When it started, as `Clock.awake()` counts: what is between is how long it could work, whatever the wall clock did.
    started_awake: float | None = None
    exit_code: int | None = None
    exit_signal: int | None = None
    # The signal that asked the launcher to stop: TERM from us, HUP when its window or tmux went away, INT; with `EXITED`.
    stopped_by: str | None = None
    # Why the launcher could not start the engine, e.g. `workdir-missing`; with `EXITED`.
    refusal: str | None = None
    refusal_detail: str | None = None
