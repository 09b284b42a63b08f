"""From a ready ticket to a running process: intent, one rename that commits, launch.

`docs/reference/protocol.md` has the crash windows; each step here may be repeated for the same attempt, because the
launcher's start fence lets only one of them run.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from hermes_company.domain.agent import Agent
from hermes_company.domain.environment import choose
from hermes_company.domain.pausing import go_on
from hermes_company.domain.run import RULES, Attempt, Outcome, Phase
from hermes_company.domain.settling import Decision
from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.workdir import missing_workdir, workdir_of
from hermes_company.errors import Refusal
from hermes_company.kernel.assessing import Assessor, Conversation
from hermes_company.kernel.ending import Ender
from hermes_company.kernel.parts import Mind, Parts
from hermes_company.ports.board import PlaceTaken, TicketGone
from hermes_company.ports.engine import Engine, Job
from hermes_company.ports.prompts import RenderedPrompt
from hermes_company.ports.workers import WorkerOrder
from hermes_company.wording import say

_TRY_LATER = 75
# What stopped the attempt was not its work: the conversation simply goes on.
_GOES_ON = (Outcome.PAUSED, Outcome.BUDGET)


class Claimer:
    """Claims tickets and launches attempts."""

    def __init__(self, parts: Parts, mind: Mind, assessor: Assessor, ender: Ender) -> None:
        self._parts = parts
        self._mind = mind
        self._assessor = assessor
        self._ender = ender

    def claim(self, ticket: Ticket, agent: Agent, source: State) -> bool:
        """Try to make the ticket ours and start it. False when somebody else was faster or it changed meanwhile."""
        earlier = self._assessor.earlier(ticket) if source is State.DOING else None
        run = self._intent(ticket, agent, source, earlier)
        self._parts.runs.open(run)
        # From here on the claim may have happened: whatever is raised below, `carry_on` finds out.
        self._mind.keep(run)
        if source is not State.DOING and not self._commit(run):
            self._undo(run)
            return False
        self.launch(run)
        return True

    def carry_on(self, run: Attempt) -> None:
        """Go on with an intent that was interrupted: launch it if its ticket was moved, else it never happened."""
        if run.ticket in self._parts.board.view(fresh=True).doing:
            if self._mind.known.get(run.ticket) is not State.DOING:
                self._tell_claimed(run)
            self.launch(run)
        else:
            self._undo(run)

    def _undo(self, run: Attempt) -> None:
        self._parts.runs.forget(run)
        self._mind.forget(run)

    def launch(self, run: Attempt) -> None:
        """Start the attempt's process; may be called again for an attempt whose fate is unknown."""
        # Once the attempt is on record: whoever leaves words later sees that they come too late.
        run = replace(run, feedback=self._feedback(run))
        self._mind.keep(run)
        try:
            ticket, agent = self._read_again(run)
            self._start(run, ticket, agent)
        except TicketGone:
            self._ender.refuse(run, Decision(outcome=Outcome.TAKEN_AWAY, reason=say("A person took the ticket away.")))
        except Refusal as problem:
            outcome = Outcome.PAUSED if problem.status == _TRY_LATER else Outcome.REFUSED
            words = say("{fact} {cause} {remedy}", fact=problem.fact, cause=problem.cause, remedy=problem.remedy)
            self._ender.refuse(self._mind.open[run.ticket], Decision(outcome=outcome, reason=words))

    def _intent(self, ticket: Ticket, agent: Agent, source: State, earlier: Conversation | None) -> Attempt:
        parts = self._parts
        now = parts.clock.now()
        resumable = earlier is not None and earlier.resumable
        return Attempt(
            ticket=ticket.id,
            number=parts.runs.next_number(ticket.id),
            agent=agent.name,
            engine=agent.engine,
            token=parts.new_token(),
            session_id=earlier.attempt.session_id if earlier and resumable else parts.new_session(),
            claimed_from=source,
            digest=ticket.digest,
            title=ticket.title,
            outbox=str(parts.outbox.folder(agent.name, ticket.id)),
            timeout_minutes=ticket.timeout_minutes or agent.timeout_minutes,
            taken_at=now,
            lease_expires=now + parts.lease,
            resumes=earlier.attempt.number if earlier and resumable else None,
            window=self._window(agent),
        )

    def _feedback(self, run: Attempt) -> str | None:
        """A reviewer's words on the attempt before; or those that it was to act on and failed to, or did not come to."""
        for last in [past for past in self._parts.runs.history(run.ticket) if past.number < run.number][-1:]:
            still_to_do = last.outcome in _GOES_ON or (last.outcome is not None and RULES[last.outcome].counts)
            return self._parts.runs.feedback(run.ticket, last.number) or (last.feedback if still_to_do else None)
        return None

    def _window(self, agent: Agent) -> str:
        """One window an agent; an agent with more capacity gets one a place, numbered from the second on."""
        taken = {run.window for run in self._mind.open.values()}
        first = f"agent_{agent.name}"
        names = [first, *(f"{first}_{place}" for place in range(2, agent.capacity + 1))]
        return next((name for name in names if name not in taken), names[-1])

    def _commit(self, run: Attempt) -> bool:
        try:
            self._parts.board.move(run.ticket, run.claimed_from, State.DOING)
        except (TicketGone, PlaceTaken):
            return False
        self._tell_claimed(run)
        return True

    def _tell_claimed(self, run: Attempt) -> None:
        self._mind.known[run.ticket] = State.DOING
        data = {"from": run.claimed_from.value, "to": State.DOING.value, "by": "hc"}
        self._parts.events.append("ticket.moved", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)

    def _read_again(self, run: Attempt) -> tuple[Ticket, Agent]:
        """The ticket and its agent as they are now that the ticket is ours.

        Raises:
            TicketGone: a person took it.
            Refusal: one of them is no longer fit to be started.
        """
        ticket = self._parts.board.read(run.ticket, State.DOING)
        if not isinstance(ticket, Ticket):
            raise Refusal(ticket.code, fact=ticket.reason, cause=say("The ticket can't be read."), remedy=ticket.remedy)
        agent = self._parts.agents.all().get(run.agent)
        if not isinstance(agent, Agent) or agent.engine != run.engine or (ticket.owner or run.agent) != run.agent:
            raise Refusal(
                "claim-overtaken",
                fact=say("The ticket's owner or the profile of {agent} was changed while it was claimed.", agent=run.agent),
                cause=say("It would run as something that nobody asked for."),
                remedy=say("Move it back to todo."),
            )
        if run.ticket in self._parts.talking():
            raise Refusal(
                "in-conversation",
                fact=say("A person has its conversation open (`hc chat`)."),
                cause=say("Two at once would spoil it."),
                remedy=say("It can start when they leave it."),
                status=_TRY_LATER,
            )
        return ticket, agent

    def _start(self, run: Attempt, ticket: Ticket, agent: Agent) -> None:
        parts = self._parts
        engine = parts.engines[run.engine]
        resuming = run.resumes is not None
        outbox = parts.outbox.begin(agent.name, ticket.id, run.number, resuming=resuming)
        workdir = self._workdir(ticket, outbox)
        run = replace(run, workdir=str(workdir), digest=ticket.digest, title=ticket.title)
        run = replace(run, packs=ticket.skill_pack or agent.skills_pack, trust=ticket.trust)
        prompt = self._prompt(run, ticket, agent, engine)
        run = replace(run, project=prompt.project)
        job = self._job(run, ticket, agent, prompt)
        parts.protection.snapshot(job.run_dir, open_to=(workdir, outbox))
        self._record_prompt(run, prompt)
        problem = engine.prepare(job)
        if problem:
            raise problem
        launch = engine.resume(job) if resuming else engine.start(job)
        order = WorkerOrder(
            run_dir=job.run_dir,
            window=run.window,
            token=run.token,
            workdir=workdir,
            launch=launch,
            environ=choose(parts.environ, (*launch.pass_env, *agent.env), {**self._fixed(run), **launch.env}),
            stop_grace_seconds=parts.settings.stop_grace_seconds,
        )
        self._mind.launched[run.token] = parts.clock.boottime()
        run = replace(run, phase=Phase.LAUNCHED, pane=parts.workers.spawn(order))
        parts.runs.save(run)
        self._mind.keep(run)
        self._tell_started(run)

    def _workdir(self, ticket: Ticket, outbox: Path) -> Path:
        path = workdir_of(ticket, self._parts.places)
        if path is None:
            return outbox
        if not Path(path).is_dir():
            raise missing_workdir(ticket.id, path)
        return Path(path)

    def _prompt(self, run: Attempt, ticket: Ticket, agent: Agent, engine: Engine) -> RenderedPrompt:
        parts = self._parts
        outbox, workdir = Path(run.outbox), Path(run.workdir)
        previous = parts.outbox.last_summary(agent.name, ticket.id)
        paused = self._paused(run)
        if paused:
            text = go_on(run.ticket, run.outbox, run.token).in_lang(parts.settings.lang)
            return RenderedPrompt(text=text, project=paused.project)
        if run.resumes is not None:
            return parts.prompts.render_feedback(
                ticket,
                agent,
                attempt=run.number,
                token=run.token,
                workdir=workdir,
                outbox=outbox,
                feedback=run.feedback or self._default_feedback(),
                previous_summary=previous,
            )
        return parts.prompts.render(
            ticket,
            agent,
            attempt=run.number,
            token=run.token,
            workdir=workdir,
            outbox=outbox,
            runner=engine.runner,
            feedback=run.feedback,
            previous_summary=previous if run.feedback else None,
        )

    def _paused(self, run: Attempt) -> Attempt | None:
        """The paused attempt whose conversation this one simply goes on with."""
        if run.resumes is None or self._parts.runs.feedback(run.ticket, run.resumes):
            return None
        earlier = [a for a in self._parts.runs.history(run.ticket) if a.number == run.resumes]
        return earlier[0] if earlier and earlier[0].outcome in _GOES_ON else None

    def _default_feedback(self) -> str:
        text = say("Go on with this ticket: it was sent back to you. Read its file again, it may have been edited.")
        return text.in_lang(self._parts.settings.lang)

    def _job(self, run: Attempt, ticket: Ticket, agent: Agent, prompt: RenderedPrompt) -> Job:
        run_dir = self._parts.runs.folder(run.ticket, run.number)
        return Job(
            ticket=run.ticket,
            agent=agent,
            attempt=run.number,
            token=run.token,
            session_id=run.session_id,
            root=self._parts.root,
            run_dir=run_dir,
            outbox=Path(run.outbox),
            workdir=Path(run.workdir),
            prompt=prompt.text,
            prompt_file=run_dir / "prompt.md",
            body=ticket.body,
            settings=self._parts.engine_settings(run.engine),
            environ=self._parts.environ,
            feedback=run.feedback,
            skills=prompt.skills,
            policy=self._parts.policy(),
            tmux_socket=self._parts.tmux_socket,
        )

    def _record_prompt(self, run: Attempt, prompt: RenderedPrompt) -> None:
        self._parts.runs.write(run.ticket, run.number, "prompt.md", prompt.text)
        items = [
            {"id": i.id, "kind": i.kind, "path": i.path, "source": i.source, "score": i.score, "terms": i.terms}
            for i in prompt.injected
        ]
        skills = [{"name": skill.name, "path": skill.path} for skill in prompt.skills]
        text = json.dumps({"memories": items, "skills": skills}, ensure_ascii=False)
        self._parts.runs.write(run.ticket, run.number, "injected.json", text)

    def _fixed(self, run: Attempt) -> dict[str, str]:
        parts = self._parts
        return {
            "HC_ROOT": str(parts.root),
            "HC_TICKET": run.ticket,
            "HC_AGENT": run.agent,
            "HC_ATTEMPT": str(run.number),
            "HC_RUN_DIR": str(parts.runs.folder(run.ticket, run.number)),
            "HC_RUN_TOKEN": run.token,
            "HC_OUTBOX": run.outbox,
            "HC_WORKDIR": run.workdir,
            "HC_LANG": parts.settings.lang,
            "HC_FEEDBACK": run.feedback or "",
            "HC_DOORBELL": str(parts.doorbell),
        }

    def _tell_started(self, run: Attempt) -> None:
        data = {"engine": run.engine, "window": run.window, "workdir": run.workdir, "title": run.title}
        if run.resumes is not None:
            data["resumes"] = str(run.resumes)
        self._parts.events.append("attempt.started", ticket=run.ticket, agent=run.agent, attempt=run.number, data=data)
        block = {"locked_by": "hc", "locked_at": run.taken_at.isoformat(timespec="seconds")}
        self._parts.board.mark(run.ticket, State.DOING, {**block, "agent": run.agent, "attempt": run.number})
