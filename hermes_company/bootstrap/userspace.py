"""The programs that read the event log beside the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.folders.atomic import replace_text, write_atomic
from hermes_company.folders.ticket_desk import BoardDesk
from hermes_company.folders.ticket_file import render_ticket
from hermes_company.ports.board import PlaceTaken
from hermes_company.userspace.cost.program import Cost
from hermes_company.userspace.diary import Diary
from hermes_company.userspace.memory.archive import Archive
from hermes_company.userspace.memory.told import ToldNotes
from hermes_company.userspace.programs import Programs
from hermes_company.userspace.skills.program import SkillDrafts

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.ports.memory import Program


def programs_of(company: Company) -> Programs:
    """The userspace programs: archive, diary, skills, the history of what they wrote, and what attempts used."""
    return Programs(
        [
            Archive(
                company.notes,
                company.events,
                lang=company.settings.lang,
                told=ToldNotes(company.runs),
                failure_days=company.settings.learning.failure_days,
                redact=company.redact,
            ),
            *_distillers(company),
            Diary(company.layout.logs, lang=company.settings.lang, runs=company.runs),
            _skill_drafts(company),
            company.history,
            Cost(company.usage, company.usage_counter, company.spending),
        ],
        company.events,
        company.layout.private / "programs",
        company.clock,
        # What is lost of it in a power cut is done again: programs can bear that.
        write=partial(write_atomic, durable=False),
    )


def _skill_drafts(company: Company) -> SkillDrafts:
    def write(path: Path, text: str) -> None:
        write_atomic(path, text)
        company.protection.vouch((path,))

    def renew(path: Path, before: str, after: str) -> bool:
        done = replace_text(path, before, after)
        company.protection.vouch((path,) if done else ())
        return done

    desk, lang, least = BoardDesk(company.board), company.settings.lang, company.settings.draft_skill_after
    return SkillDrafts(company.notes, company.shelf, desk, company.events, lang=lang, least=least, write=write, replace=renew)


def _distillers(company: Company) -> Sequence[Program]:
    """The one program that only some companies want."""
    if not company.settings.learning.distill:
        return ()
    from hermes_company.userspace.memory.distill import Distiller

    def post(ticket: str, fields: Mapping[str, object], body: str) -> None:
        if not company.layout.ticket_runs(ticket).exists():
            with suppress(PlaceTaken):
                company.board.create(ticket, render_ticket(fields, body))

    def owner(agent: str) -> str | None:
        name = company.settings.learning.distill_owner or agent
        # That engine has no model: it would look for blocks to run. Whoever is not there makes the ticket wait, visibly.
        return None if getattr(company.agents.all().get(name), "engine", "") == "shell" else name

    return (
        Distiller(
            company.notes,
            company.events,
            company.clock,
            post=post,
            owner=owner,
            lang=company.settings.lang,
            redact=company.redact,
        ),
    )
