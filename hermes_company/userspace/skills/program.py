"""Drafts skills from patterns that keep coming back, and does what a person decided by moving a draft's ticket."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hermes_company.domain.names import SKILL_TICKET
from hermes_company.domain.ticket import State
from hermes_company.ports.desk import TicketDesk
from hermes_company.ports.events import Event, Events
from hermes_company.ports.files import ReplaceText, WriteText
from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.userspace.memory.notebook import NoteBook
from hermes_company.userspace.skills.draft import Draft, draft_text, skill_name, ticket_body, ticket_fields, untouched
from hermes_company.userspace.skills.patterns import Evidence, Patterns
from hermes_company.userspace.skills.shelf import NameTaken, Place, Shelf, Shelved
from hermes_company.userspace.skills.skill_file import MAX_BYTES
from hermes_company.wording import Lang, Text, say

_CHANGES = ("ticket.added", "ticket.approved", "ticket.rejected", "ticket.moved")
# What a ticket's folder says of its skill. One that is done may have been rejected before: that is for good.
_MEANT: Mapping[State, Mapping[Place, Place]] = {
    State.DONE: {Place.DRAFT: Place.APPROVED},
    State.REVIEW: {Place.APPROVED: Place.DRAFT, Place.REJECTED: Place.DRAFT},
    State.BLOCKED: {Place.APPROVED: Place.DRAFT},
    State.TODO: {Place.APPROVED: Place.REJECTED, Place.DRAFT: Place.REJECTED},
    State.DOING: {Place.APPROVED: Place.REJECTED, Place.DRAFT: Place.REJECTED},
}


class SkillDrafts:
    """A program that drafts what at least `least` accepted tickets taught alike, once, and files it for review.

    It runs after the archive. What lies in the folders decides, so every event may come twice.

    Args:
        book: the notes.
        shelf: the skills.
        desk: takes the tickets that drafts are filed with.
        events: told of `skill.drafted` and `skill.unfit`.
        lang: the language that drafts and their tickets are written in.
        least: in how many accepted tickets; 0: never.
        write: replaces a file.
        replace: replaces a file that nobody has changed meanwhile.
    """

    name = "skills"

    def __init__(
        self,
        book: NoteBook,
        shelf: Shelf,
        desk: TicketDesk,
        events: Events,
        *,
        lang: Lang,
        least: int,
        write: WriteText,
        replace: ReplaceText,
    ) -> None:
        self._book = book
        self._shelf = shelf
        self._events = events
        self._patterns = Patterns(book)
        self._lang = lang
        self._least = least
        self._write = write
        self._replace = replace
        self._desk = desk

    def handle(self, event: Event) -> None:
        """See `Program.handle`."""
        if event.ticket is None or event.kind not in _CHANGES:
            return
        if event.ticket.startswith(SKILL_TICKET):
            with self._shelf.deciding():
                self._decided(event)
        elif self._least and _may_count_otherwise(event):
            taught = self._patterns.taught_by(event.ticket)
            if taught:
                self._look(taught, event.at[:10])

    def _look(self, taught: set[str], today: str) -> None:
        for evidence in self._patterns.evidence(taught, least=self._least, today=today):
            often = len(evidence.sightings) >= self._least
            name = evidence.drafted or (self._drafted_from(evidence) if often else "")
            if name:
                self._renew(name, evidence)
            elif often:
                self._draft(evidence, today)

    def _drafted_from(self, evidence: Evidence) -> str:
        """The skill that says to be made of one of these patterns: its draft was written, and nothing noted yet."""
        ids = {note.id for note in evidence.notes}
        for place in Place:
            for name, metadata in self._shelf.origins(place):
                if ids & set(metadata.get("hc-patterns", "").split()):
                    return name
        return ""

    def _draft(self, evidence: Evidence, today: str) -> None:
        name = skill_name(evidence, self._taken)
        draft = Draft(name=name, ticket=f"{SKILL_TICKET}{name}", drafted=today, evidence=evidence)
        self._write(self._shelf.write_into(name), draft_text(draft, self._lang))
        self._file(draft)

    def _file(self, draft: Draft) -> None:
        self._desk.file(draft.ticket, ticket_fields(draft, self._lang), ticket_body(draft, self._lang))
        tickets = [sighting.ticket for sighting in draft.evidence.sightings]
        self._events.append("skill.drafted", ticket=draft.ticket, data={"name": draft.name, "tickets": tickets})
        self._note(draft.name, draft.evidence)

    def _renew(self, name: str, evidence: Evidence) -> None:
        """Bring a draft that nobody has touched up to date; one without a ticket is filed again until it is decided."""
        self._note(name, evidence)
        skill = self._shelf.find(name)
        if skill is None or skill.place is not Place.DRAFT:
            return
        metadata = self._shelf.metadata(skill)
        draft = Draft(name=name, ticket=skill.ticket, drafted=metadata.get("hc-drafted", ""), evidence=evidence)
        before, after = _text(skill.path), draft_text(draft, self._lang)
        if evidence.sightings and untouched(before, metadata) and after != before:
            self._replace(skill.path, before, after)
        if metadata.get("hc-ticket") == skill.ticket and self._desk.where(skill.ticket) is None:
            self._file(draft)

    def _note(self, name: str, evidence: Evidence) -> None:
        for note in evidence.notes:
            if not note.drafted:
                self._book.change(note, {"drafted": name})

    def _decided(self, event: Event) -> None:
        ticket = event.ticket or ""
        state, skill = self._desk.where(ticket), self._shelf.of_ticket(ticket)
        to = _MEANT[state].get(skill.place) if state and skill else None
        # Where it was just filed it says nothing yet; it may have been moved on before the loop saw it at all.
        if skill is None or to is None or (event.kind == "ticket.added" and state is State.REVIEW):
            return
        problems = self._unfit(skill) if to is Place.APPROVED else []
        if not problems:
            try:
                self._shelf.move(skill, to)
            except NameTaken:
                problems = [say("there is a skill `{name}` already", name=skill.name)]
        if problems:
            data = {"name": skill.name, "problems": [problem.to_json() for problem in problems]}
            self._events.append("skill.unfit", ticket=ticket, data=data)

    def _unfit(self, skill: Shelved) -> list[Text]:
        return [finding.problem for finding in self._shelf.problems(skill)]

    def _taken(self, name: str) -> bool:
        return self._shelf.find(name) is not None or self._desk.where(f"{SKILL_TICKET}{name}") is not None


def _may_count_otherwise(event: Event) -> bool:
    """Whether it makes a ticket count as accepted, or no longer."""
    return event.kind in ("ticket.approved", "ticket.rejected") or event.data.get("from") == State.DONE


def _text(path: Path) -> str:
    try:
        return read_text(path, MAX_BYTES)
    except (FileNotFoundError, Unreadable):
        return ""
