"""Prompts from the company's `runners/` templates. What people and agents wrote goes in as values and is never a template."""

from __future__ import annotations

import hashlib
import re
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes_company.domain.agent import Agent
from hermes_company.domain.settings import Settings
from hermes_company.domain.ticket import State, Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.people_file import UnreadableFile, read_people_file
from hermes_company.folders.templates import template_source
from hermes_company.ports.memory import Retriever, SkillFinder
from hermes_company.ports.prompts import RenderedPrompt
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from jinja2 import Environment

RULES = ("COMPANY.md", "AGENT_WORK_RULES.md", "SECURITY_RULES.md")
FEEDBACK_RUNNER = "feedback.md"
_BACKTICKS = re.compile(r"`{3,}")


class PromptWriter:
    """`Prompts` from the files in `runners/`, `company/` and what the memory finds.

    Args:
        layout: the company.
        settings: its name and its projects.
        retriever: finds experience that is relevant to a ticket.
        skill_finder: finds company skills that fit a ticket.
    """

    def __init__(self, layout: Layout, settings: Settings, retriever: Retriever, skill_finder: SkillFinder) -> None:
        self._layout = layout
        self._settings = settings
        self._retriever = retriever
        self._skill_finder = skill_finder
        self._environment: Environment | None = None

    def render(
        self,
        ticket: Ticket,
        agent: Agent,
        *,
        attempt: int,
        token: str,
        workdir: Path,
        outbox: Path,
        runner: str,
        feedback: str | None = None,
        previous_summary: Path | None = None,
    ) -> RenderedPrompt:
        """See `Prompts.render`."""
        remembers = ticket.memory and agent.memory
        project = self.project_of(ticket, workdir)
        experience = tuple(self._retriever.recall(ticket, agent, project=project)) if remembers else ()
        skills = tuple(self._skill_finder.skills_for(ticket, agent))
        values = {
            **self._common(ticket, agent, attempt=attempt, token=token, workdir=workdir, outbox=outbox),
            "experience": experience,
            "skills": skills,
            "rules": [{"name": name, "text": self._rule(name)} for name in RULES],
            "feedback": feedback,
            "previous_summary": previous_summary,
        }
        return RenderedPrompt(text=self._fill(runner, values), injected=experience, skills=skills, project=project)

    def render_feedback(
        self,
        ticket: Ticket,
        agent: Agent,
        *,
        attempt: int,
        token: str,
        workdir: Path,
        outbox: Path,
        feedback: str,
        previous_summary: Path | None = None,
    ) -> RenderedPrompt:
        """See `Prompts.render_feedback`."""
        values = {
            **self._common(ticket, agent, attempt=attempt, token=token, workdir=workdir, outbox=outbox),
            "feedback": feedback,
            "previous_summary": previous_summary,
        }
        # Told once already, but a resumed engine has to be offered them again.
        skills = tuple(self._skill_finder.skills_for(ticket, agent))
        return RenderedPrompt(text=self._fill(FEEDBACK_RUNNER, values), skills=skills, project=self.project_of(ticket, workdir))

    def _common(self, ticket: Ticket, agent: Agent, *, attempt: int, token: str, workdir: Path, outbox: Path) -> dict[str, Any]:
        return {
            "company": self._settings.name,
            "root": self._layout.root,
            "agent": agent,
            "ticket": ticket,
            "ticket_text": ticket.body if ticket.body.strip() else ticket.title,
            "ticket_file": self._layout.ticket(ticket.id, State.DOING),
            "attempt": attempt,
            "token": token,
            # Unguessable for whoever wrote the records, so that no record can close the fence it stands in.
            "nonce": hashlib.sha256(f"records {token}".encode()).hexdigest()[:12],
            "workdir": workdir,
            "outbox": outbox,
        }

    def project_of(self, ticket: Ticket, workdir: Path) -> str | None:
        """The project that the work belongs to: named by the ticket, or the one whose folder holds `workdir`."""
        if ticket.project:
            return ticket.project
        for name, folder in self._settings.projects.items():
            if workdir.resolve().is_relative_to((self._layout.root / Path(folder).expanduser()).resolve()):
                return name
        return None

    def _rule(self, name: str) -> str:
        try:
            return read_people_file(self._layout.root, self._layout.company / name)
        except FileNotFoundError:
            raise _rules_unreadable(name, say("it is missing")) from None
        except UnreadableFile as problem:
            raise _rules_unreadable(name, problem.reason) from None

    def _fill(self, runner: str, values: Mapping[str, Any]) -> str:
        import jinja2

        if self._environment is None:
            self._environment = _environment(self._load)
        try:
            text = self._environment.get_template(runner).render(values)
        except jinja2.TemplateNotFound as problem:
            raise _runner_missing(str(problem.name or runner)) from None
        except UnreadableFile as problem:
            raise _runner_broken(runner, problem.line, problem.reason) from None
        except (jinja2.TemplateError, *_EXPRESSION_ERRORS) as problem:
            raise self._broken(runner, problem) from None
        # A process argument ends at the first NUL: show it instead of losing what follows.
        return text.replace("\0", "\N{SYMBOL FOR NULL}")

    def _load(self, name: str) -> tuple[str, str, Callable[[], bool]] | None:
        path = self._layout.runners / name
        seen = _stamp(path)
        try:
            source = read_people_file(self._layout.root, path)
        except FileNotFoundError:
            return None
        return source, str(path), lambda: _stamp(path) == seen

    def _broken(self, runner: str, problem: Exception) -> Refusal:
        # A syntax error names its place; any other error carries it in the traceback, which Jinja maps to the template.
        place: tuple[str | None, int | None] = (getattr(problem, "name", None), getattr(problem, "lineno", None))
        for frame in traceback.extract_tb(problem.__traceback__):
            if Path(frame.filename).parent == self._layout.runners:
                place = (Path(frame.filename).name, frame.lineno)
        return _runner_broken(place[0] or runner, place[1], say("{problem}", problem=str(problem)))


# What an expression in a template may raise besides Jinja's own errors: `{{ 1 / 0 }}`, `{{ 1 + "a" }}`, a self-include.
_EXPRESSION_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


def _environment(load: Callable[[str], tuple[str, str, Callable[[], bool]] | None]) -> Environment:
    """Sandboxed: a runner is a person's file, but an agent that rewrites one must not get to run code in the orchestrator."""
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fenced"] = fenced
    return environment


def fenced(text: str) -> str:
    """`text` as a Markdown code block whose fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns


def _rules_unreadable(name: str, reason: Text) -> Refusal:
    return Refusal(
        "rules-unreadable",
        fact=say("company/{name} was not read: {reason}.", name=name, reason=reason),
        cause=say("An agent would work without a part of the company's rules."),
        remedy=say("Put the file there; it may be empty."),
    )


def _runner_missing(name: str) -> Refusal:
    return Refusal(
        "runner-missing",
        fact=say("runners/{name} is missing.", name=name),
        cause=say("Prompts are rendered from it."),
        remedy=say("Copy it from {folder}.", folder=template_source() / "runners"),
    )


def _runner_broken(name: str, line: int | None, problem: Text) -> Refusal:
    if line is None:
        fact = say("runners/{name}: {problem}.", name=name, problem=problem)
    else:
        fact = say("runners/{name}, line {line}: {problem}.", name=name, line=line, problem=problem)
    return Refusal(
        "runner-broken",
        fact=fact,
        cause=say("The prompt would lack what this part says."),
        remedy=say("Correct the template, or copy it again from {folder}.", folder=template_source() / "runners"),
    )
