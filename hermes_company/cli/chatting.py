"""A ticket's conversation in the person's terminal: resumed by its engine, kept from everybody else, and handed back."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.acts import last_attempt, where
from hermes_company.cli.consents import usable_agent
from hermes_company.cli.door import Door
from hermes_company.cli.seeing import explain, look
from hermes_company.domain.environment import choose
from hermes_company.domain.run import Attempt
from hermes_company.domain.signals import SignalKind
from hermes_company.domain.workdir import missing_workdir
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.watch import ring
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.domain.agent import Agent
    from hermes_company.ports.engine import Launch

# What the person's terminal is, for a program that runs in it.
_TERMINAL = ("TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "NO_COLOR")


def talk(door: Door, ticket: str) -> None:
    """Open it, wait until the person leaves it, say what becomes of the ticket.

    Raises:
        Refusal: `ticket-unknown`, `ticket-twice`, `no-attempt`, `conversation-unavailable`, `workdir-missing`, `ticket-runs`,
            `chat-open`, `chat-needs-terminal`, what keeps the engine from being started.
    """
    company = door.company
    where(company, ticket)
    run = last_attempt(company, ticket)
    if run is None:
        raise _never_ran(ticket)
    agent = _able(company, run)
    with company.chats.hold(ticket) as folder:
        # Once it is ours: the loop starts nothing any more, and what it started before is on record.
        _require_rest(company, ticket)
        launch = _launch(company, run, agent, folder)
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise _no_terminal()
        door.tell(say("The conversation of {ticket} with {agent}; leave the engine to hand it back.", **_names(run)))
        began = company.clock.boottime()
        _run(
            launch,
            run,
            choose(company.environ, (*launch.pass_env, *agent.env, *_TERMINAL), _fixed(company, run, folder, launch)),
        )
        talked = {"seconds": round(company.clock.boottime() - began)}
        company.told.leave(ticket, run.agent, run.number, talked, kind="ticket.chat")
    ring(company.layout.doorbell)
    why = explain(company, look(company), ticket)
    door.tell(say("{ticket} is handed back.", ticket=ticket), why.reason, why.remedy)


def _able(company: Company, run: Attempt) -> Agent:
    """The attempt's agent, whose engine can go on in that conversation.

    Raises:
        Refusal: `conversation-unavailable`, `agent-unknown`, `engine-missing`, `workdir-missing`.
    """
    engine = company.engines.get(run.engine)
    reported = company.runs.signals(run.ticket, run.number, engine) if engine else ()
    begun = any(signal.kind is SignalKind.PROMPT_SUBMITTED for signal in reported)
    if engine is None or not engine.resumes:
        raise _unavailable(run, say("{engine} has no conversations that could be resumed.", engine=run.engine))
    if not begun:
        raise _unavailable(run, say("Its engine has not reported that the conversation began."))
    agent = usable_agent(company, run.agent)
    if agent.begins_anew or agent.engine != run.engine:
        raise _unavailable(run, say("The profile of {agent} leaves no way to go on in it.", agent=run.agent))
    problem = engine.check(company.sight.engine_settings(run.engine), company.environ).refusal
    if problem:
        raise problem
    if not Path(run.workdir).is_dir():
        raise missing_workdir(run.ticket, run.workdir)
    return agent


def _require_rest(company: Company, ticket: str) -> None:
    """Raises:
    Refusal: `ticket-runs`.
    """
    run = look(company).running.get(ticket)
    if run is not None:
        raise Refusal(
            "ticket-runs",
            fact=say("{agent} is at work on {ticket}.", agent=run.agent, ticket=ticket),
            cause=say("Its conversation is open in its own window."),
            remedy=say("Talk to it there: `hc attach {agent}`, or `hc say {ticket} …`.", agent=run.agent, ticket=ticket),
        )


def _launch(company: Company, run: Attempt, agent: Agent, folder: Path) -> Launch:
    """How its engine resumes the conversation, with the files that this needs."""
    job = replace(
        company.job_for(agent, Path(run.workdir)),
        ticket=run.ticket,
        attempt=run.number,
        session_id=run.session_id,
        run_dir=folder,
        outbox=Path(run.outbox),
        prompt_file=folder / "prompt.md",
    )
    launch = company.engines[run.engine].resume(job)
    for name, text in launch.files.items():
        write_atomic(folder / name, text, mode=0o700 if name.endswith(".sh") else 0o600, durable=False)
    (folder / "signals.jsonl").unlink(missing_ok=True)
    # As if it had been asked for its deliverables twice: nobody is nudged to hand in while a person talks.
    write_atomic(folder / "nudges", b"..", mode=0o600, durable=False)
    return launch


def _fixed(company: Company, run: Attempt, folder: Path, launch: Launch) -> dict[str, str]:
    return {
        "HC_ROOT": str(company.layout.root),
        "HC_TICKET": run.ticket,
        "HC_AGENT": run.agent,
        "HC_ATTEMPT": str(run.number),
        "HC_RUN_DIR": str(folder),
        "HC_OUTBOX": run.outbox,
        "HC_WORKDIR": run.workdir,
        "HC_LANG": company.settings.lang,
        **launch.env,
    }


def _run(launch: Launch, run: Attempt, environ: dict[str, str]) -> None:
    """In the foreground. Ctrl-C is the engine's: a handler of ours is no handler of its."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        subprocess.run(launch.argv, cwd=run.workdir, env=environ, check=False)
    finally:
        signal.signal(signal.SIGINT, before)


def _names(run: Attempt) -> dict[str, object]:
    return {"ticket": run.ticket, "agent": run.agent}


def _never_ran(ticket: str) -> Refusal:
    return Refusal(
        "no-attempt",
        fact=say("No agent has worked on {ticket}.", ticket=ticket),
        cause=say("There is no conversation to be opened."),
        remedy=say("`hc why {ticket}` says what it waits for.", ticket=ticket),
    )


def _unavailable(run: Attempt, cause: Text) -> Refusal:
    return Refusal(
        "conversation-unavailable",
        fact=say("The conversation of attempt {number} of {ticket} can't be resumed.", number=run.number, ticket=run.ticket),
        cause=cause,
        remedy=say("What it left: {folder}.", folder=run.outbox),
    )


def _no_terminal() -> Refusal:
    return Refusal(
        "chat-needs-terminal",
        fact=say("Nobody sits at a terminal here."),
        cause=say("The engine shows the conversation in one."),
        remedy=say('For a word without one: `hc say TICKET "…"`.'),
    )
