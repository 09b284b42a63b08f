"""The loop and the records of attempts: what nobody looks after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

from hermes_company.domain.run import Attempt, Phase
from hermes_company.domain.settings import Settings
from hermes_company.folders.company_lock import holder, is_held
from hermes_company.folders.examine_tickets import shortened
from hermes_company.folders.layout import Layout
from hermes_company.folders.run_files import RunFiles
from hermes_company.ports.clock import Clock
from hermes_company.ports.doctor import Finding, Severity, well
from hermes_company.ports.runs import Damaged
from hermes_company.wording import Text, say


def check_loop(layout: Layout, runs: RunFiles, settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Whether somebody runs the company, whether that loop is alive, and what lies idle while nobody does."""
    open_runs = [run for run in runs.opened() if isinstance(run, Attempt) and run.phase is not Phase.CLOSED]
    if is_held(layout):
        yield from _running(layout, open_runs, settings, clock)
        return
    if layout.kernel_holder.exists():
        yield _stale_holder(layout)
    if open_runs:
        names = sorted(f"{run.ticket} ({run.agent})" for run in open_runs)
        yield Finding(
            code="runs-unattended",
            severity=Severity.WARN,
            seen=say("Nobody runs the company, and these attempts are open: {names}.", names=shortened(names)),
            remedy=say("`hc run` takes them up again, or closes those that have ended."),
        )
    else:
        yield well("loop", say("Nobody runs the company, and nothing is open."))


def _running(layout: Layout, open_runs: list[Attempt], settings: Settings, clock: Clock) -> Iterator[Finding]:
    who = holder(layout)
    name = say("process {pid} on {host}", pid=who.pid, host=who.host) if who else say("another process")
    # A loop renews a claim when half of its time is gone.
    overdue = [run for run in open_runs if clock.now() > run.lease_expires + timedelta(seconds=settings.lease_seconds)]
    if overdue:
        yield Finding(
            code="loop-silent",
            severity=Severity.BAD,
            seen=say(
                "The company is run by {who}, which has not renewed the claim on {ticket} since {moment}.",
                who=name,
                ticket=overdue[0].ticket,
                moment=(overdue[0].lease_expires - timedelta(seconds=settings.lease_seconds)).isoformat(timespec="seconds"),
            ),
            remedy=say(
                "It hangs, or the clock was set: see logs/hc.log. End it and start `hc run` again; agents go on meanwhile."
            ),
        )
    else:
        yield well("loop", say("The company is run by {who}.", who=name))


def _stale_holder(layout: Layout) -> Finding:
    who = holder(layout)
    pid = who.pid if who else "-"
    return Finding(
        code="loop-died",
        severity=Severity.WARN,
        seen=say("{file} names process {pid}, which no longer runs the company.", file=".hc/kernel.json", pid=pid),
        remedy=say("`hc run` replaces it, `hc doctor --fix` removes it."),
        fix=partial(_remove_holder, layout),
        needs_rest=True,
    )


def _remove_holder(layout: Layout) -> Text:
    layout.kernel_holder.unlink(missing_ok=True)
    return say("Removed {file} of a loop that had died.", file=".hc/kernel.json")


def check_runs(layout: Layout, runs: RunFiles) -> Iterator[Finding]:
    """Records that can't be read, and intents that nothing came of."""
    for found in runs.opened():
        if isinstance(found, Damaged):
            yield _damaged(found)
    idle = _without_record(layout, runs)
    if idle:
        yield Finding(
            code="intents-stale",
            severity=Severity.WARN,
            seen=say("Claims that were begun and never recorded: {names}.", names=shortened(idle)),
            remedy=say("`hc doctor --fix` removes their entries; nothing was started for them."),
            fix=partial(_remove_intents, layout, runs),
            needs_rest=True,
        )


def _damaged(found: Damaged) -> Finding:
    return Finding(
        code="record-damaged",
        severity=Severity.BAD,
        seen=say(
            "The record of {ticket}, attempt {number}, can't be read: {problem}.",
            ticket=found.ticket,
            number=found.number,
            problem=found.problem,
        ),
        remedy=say("`hc run` closes the attempt as lost and queues the ticket again."),
    )


def _without_record(layout: Layout, runs: RunFiles) -> list[str]:
    """Entries on the list of open attempts to which no record belongs."""
    if not layout.open_runs.is_dir():
        return []
    listed = {entry.name for entry in layout.open_runs.iterdir() if not entry.name.startswith(".")}
    return sorted(listed - {found.ticket for found in runs.opened()})


def _remove_intents(layout: Layout, runs: RunFiles) -> Text:
    idle = _without_record(layout, runs)
    for name in idle:
        (layout.open_runs / name).unlink(missing_ok=True)
    return say("Removed the entries of {count} claims that nothing came of.", count=len(idle))
