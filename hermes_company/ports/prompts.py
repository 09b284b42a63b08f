"""Prompts: what an engine is told, rendered from the company's own `runners/` templates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import Ticket
from hermes_company.ports.memory import Recalled, SkillEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedPrompt:
    """A prompt, and what of the company's memory went into it."""

    # Exactly what is delivered; free of NUL, which no process argument can carry.
    text: str
    injected: tuple[Recalled, ...] = ()
    skills: tuple[SkillEntry, ...] = ()
    # The project that the work belongs to, if any.
    project: str | None = None


class Prompts(Protocol):
    """What to tell an engine. Rendering reads files and writes none."""

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
        """The whole prompt of a new conversation, from `runners/<runner>`.

        `feedback` and `previous_summary` tell a new conversation what an earlier attempt was sent back for.

        Raises:
            Refusal: `runner-missing`, `runner-broken`, `rules-unreadable`.
        """

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
        """What to say in a conversation that is resumed after a rejection, from `runners/feedback.md`.

        Raises:
            Refusal: `runner-missing`, `runner-broken`.
        """
