"""What was handed in, and a person's answer to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.acts import Did, last_attempt, move, where
from hermes_company.cli.report import title_of
from hermes_company.cli.seeing import look
from hermes_company.domain.names import SKILL_TICKET
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.safe_read import read_head
from hermes_company.ports.board import TicketGone
from hermes_company.userspace.memory.approval import blame
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.cli.door import Door
    from hermes_company.userspace.skills.shelf import Shelved

_MOST_SUMMARY_BYTES = 65_536
_MOST_FILES = 200
# Ours, or put aside by us.
_NOT_HANDED_IN = ("DONE", "BLOCKED", ".attempts", ".agents")


@dataclass(frozen=True, kw_only=True, slots=True)
class Review:
    """One ticket that was handed in."""

    ticket: str
    state: State
    title: str
    # Empty where a person put it there without any run.
    agent: str
    attempt: int
    flags: tuple[Text, ...]
    outbox: Path | None
    # The SKILL.md that it is about, where it is the ticket of a drafted skill.
    skill: Path | None = None


def reviews(company: Company) -> list[Review]:
    """Everything in review, by id."""
    found = []
    for ticket in look(company).tickets(State.REVIEW):
        try:
            found.append(_review(company, ticket, State.REVIEW))
        except TicketGone:
            continue
    return found


def review_of(company: Company, ticket: str) -> Review:
    """One ticket, wherever it lies.

    Raises:
        Refusal: `ticket-unknown`, `ticket-twice`.
    """
    _, state = where(company, ticket)
    return _review(company, ticket, state)


def _review(company: Company, ticket: str, state: State) -> Review:
    run = last_attempt(company, ticket)
    return Review(
        ticket=ticket,
        state=state,
        title=title_of(company, ticket, state),
        agent=run.agent if run else "",
        attempt=run.number if run else 0,
        flags=run.flags if run else (),
        outbox=Path(run.outbox) if run and run.outbox else None,
        skill=skill.path if (skill := _skill(company, ticket)) else None,
    )


def _skill(company: Company, ticket: str) -> Shelved | None:
    """The drafted skill that the ticket is about, if it is that of one."""
    return company.shelf.of_ticket(ticket) if ticket.startswith(SKILL_TICKET) else None


def record_skills(door: Door, tickets: Sequence[str], verb: str) -> None:
    """Put into the history what was decided on drafted skills."""
    skills = [skill.name for ticket in tickets if (skill := _skill(door.company, ticket))]
    if skills:
        from hermes_company.cli.curating import record

        record(door, f"skills: {verb} {' '.join(skills)}")


def review_json(company: Company, item: Review) -> dict[str, object]:
    """One ticket that was handed in, for `--json`."""
    return {
        "ticket": item.ticket,
        "state": item.state.value,
        "title": item.title,
        "agent": item.agent or None,
        "attempt": item.attempt or None,
        "flags": [flag.in_lang("en") for flag in item.flags],
        "outbox": str(item.outbox) if item.outbox else None,
        "files": [str(path) for path in _files(item)],
        "summary": _summary(item),
        "thin": _thin(item, _summary(item)),
    }


def review_lines(company: Company, item: Review, lang: Lang) -> Iterator[str]:
    """One ticket that was handed in, for people."""
    yield f"{item.ticket}  {item.title}"
    if item.attempt:
        line = say("In {state}, by {agent}, attempt {number}.", state=item.state.value, agent=item.agent, number=item.attempt)
    else:
        line = say("In {state}; no agent has worked on it.", state=item.state.value)
    yield f"  {line.in_lang(lang)}"
    for flag in item.flags:
        yield f"  ! {flag.in_lang(lang)}"
    summary = _summary(item)
    if _thin(item, summary):
        thin = say("Its summary has none of the headings that prompts ask for: nothing can be learned from it.")
        yield f"  ! {thin.in_lang(lang)}"
    files = _files(item)
    folder = item.skill.parent if item.skill else item.outbox
    if files and folder:
        yield ""
        yield say("Files in {folder}:", folder=folder).in_lang(lang)
        yield from (f"  {path.relative_to(folder)}" for path in files)
    if summary:
        yield ""
        yield summary.strip()
    if item.state is State.REVIEW:
        yield ""
        answers = say("`hc review approve {ticket}` or `hc review reject {ticket} -m …`", ticket=item.ticket)
        yield f"→ {answers.in_lang(lang)}"


def _files(item: Review) -> list[Path]:
    """What was handed in, without following links."""
    if item.skill:
        return [item.skill]
    if item.outbox is None or not item.outbox.is_dir():
        return []
    found: list[Path] = []
    for folder, folders, names in os.walk(item.outbox):
        if Path(folder) == item.outbox:
            folders[:] = [name for name in folders if name not in _NOT_HANDED_IN]
            names = [name for name in names if name not in _NOT_HANDED_IN]
        found += [Path(folder) / name for name in names]
        if len(found) >= _MOST_FILES:
            break
    return sorted(found)[:_MOST_FILES]


def _summary(item: Review) -> str | None:
    file = item.skill or (item.outbox / "summary.md" if item.outbox else None)
    raw = read_head(file, _MOST_SUMMARY_BYTES) if file else None
    return None if raw is None else raw.decode("utf-8", "replace")


def _thin(item: Review, summary: str | None) -> bool:
    """Whether an agent's summary is there and the memory has no use for it."""
    from hermes_company.userspace.memory.summary import parse_summary

    return bool(item.attempt and summary and summary.strip() and parse_summary(summary).thin)


def approve(company: Company, ticket: str, words: str) -> Did:
    """Accept what was handed in.

    Raises:
        Refusal: `ticket-unknown`, `not-in-review`, `ticket-moved`; of a drafted skill's ticket what `skilling.approve` refuses.
    """
    _, state = where(company, ticket)
    skill = _skill(company, ticket)
    if skill:
        from hermes_company.cli.skilling import approve as approve_skill

        return approve_skill(company, skill.name)
    if state is State.DONE:
        return Did(False, say("{ticket} is accepted already.", ticket=ticket))
    if state is not State.REVIEW:
        raise _not_in_review(ticket, state)
    run = last_attempt(company, ticket)
    if words and run:
        company.runs.write(ticket, run.number, "approval.md", words)
    move(company, ticket, State.REVIEW, State.DONE)
    return Did(True, say("{ticket} is accepted.", ticket=ticket))


def reject(company: Company, ticket: str, words: str, *, anew: bool, blamed: Sequence[str] = ()) -> Did:
    """Send it back with feedback, which is kept with the attempt before the ticket moves; blame notes that misled its agent.

    Raises:
        Refusal: `ticket-unknown`, `not-in-review`, `feedback-empty`, `no-attempt`, `ticket-moved`; of a drafted skill's
            ticket `skill-has-no-agent`, or what `skilling.reject` refuses.
    """
    _, state = where(company, ticket)
    skill = _skill(company, ticket)
    if skill:
        from hermes_company.cli.skilling import reject as reject_skill

        if anew:
            raise _nobody_s(ticket)
        return reject_skill(company, skill.name, words)
    if state not in (State.REVIEW, State.DONE):
        raise _not_in_review(ticket, state)
    if not words.strip():
        raise Refusal(
            "feedback-empty",
            fact=say("The feedback is empty."),
            cause=say("Its agent would do the same again."),
            remedy=say("Say with -m what is to be done differently."),
        )
    run = last_attempt(company, ticket)
    if run is None:
        raise Refusal(
            "no-attempt",
            fact=say("No agent has worked on {ticket}.", ticket=ticket),
            cause=say("Feedback belongs to an attempt, and there is none."),
            remedy=say("Write it into the ticket, then `mv {file} tasks/todo/`.", file=f"tasks/{state.value}/{ticket}.md"),
        )
    company.runs.give_feedback(ticket, run.number, words, blamed=blamed)
    blame(company.notes, blamed, ticket)
    move(company, ticket, state, State.TODO if anew else State.DOING)
    if anew:
        return Did(True, say("{ticket} is queued again, from the beginning.", ticket=ticket))
    return Did(True, say("{ticket} goes back to {agent} with your feedback.", ticket=ticket, agent=run.agent))


def _not_in_review(ticket: str, state: State) -> Refusal:
    return Refusal(
        "not-in-review",
        fact=say("{ticket} is in {state}, not in review.", ticket=ticket, state=state.value),
        cause=say("There is nothing handed in to judge."),
        remedy=say("`hc why {ticket}` says what it waits for.", ticket=ticket),
    )


def _nobody_s(ticket: str) -> Refusal:
    return Refusal(
        "skill-has-no-agent",
        fact=say("{ticket} is about a drafted skill.", ticket=ticket),
        cause=say("No agent works on it that could begin again."),
        remedy=say(
            "Reject it without --anew, or change the draft: `hc skill edit {name}`.", name=ticket.removeprefix(SKILL_TICKET)
        ),
    )
