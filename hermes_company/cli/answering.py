"""What waits for a person's yes, and the answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_company.cli.acts import Did, move, rewrite, where, who, will
from hermes_company.cli.seeing import Snapshot, look, open_questions
from hermes_company.cli.words import clock_time, columns
from hermes_company.domain.ticket import Approval, State, Ticket
from hermes_company.errors import Refusal
from hermes_company.folders.questions import QuestionFiles
from hermes_company.folders.ticket_edit import with_approval
from hermes_company.ports.approvals import Answer, Question
from hermes_company.ports.board import TicketGone
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits for an answer: a ticket, or a question of its agent."""

    ticket: Ticket
    state: State
    question: Question | None

    @property
    def id(self) -> str:
        return self.question.id if self.question else self.ticket.id


def pendings(company: Company) -> list[Pending]:
    """Everything that waits, by ticket."""
    seen = look(company)
    found = []
    for ticket, state in sorted(seen.view.states.items()):
        if state in (State.REVIEW, State.DONE):
            continue
        content = _content(company, ticket, state)
        if content is None:
            continue
        if content.approve is Approval.BEFORE and state in (State.TODO, State.DOING):
            found.append(Pending(content, state, None))
        found += [Pending(content, state, question) for question in open_questions(company, seen, ticket, state)]
    return found


def pending_json(company: Company, found: Sequence[Pending]) -> dict[str, object]:
    """For `--json`."""
    return {
        "waiting": [_json(item) for item in found],
        "always": [
            {"rule": entry.get("rule"), "what": entry.get("what"), "by": entry.get("by"), "id": entry.get("asked")}
            for entry in QuestionFiles(company.layout).allowed().values()
        ],
    }


def _json(item: Pending) -> dict[str, object]:
    question = item.question
    return {
        "id": item.id,
        "ticket": item.ticket.id,
        "state": item.state.value,
        "title": item.ticket.title,
        "question": question
        and {
            "attempt": question.attempt,
            "rule": question.rule,
            "what": question.what,
            "folder": question.folder,
            "call": question.call,
            "at": question.at.isoformat(),
            "until": question.until.isoformat(),
        },
    }


def pending_lines(company: Company, found: Sequence[Pending], lang: Lang, width: int | None) -> Iterator[str]:
    """For people."""
    now = company.clock.now()
    rows = []
    for item in found:
        question = item.question
        if question is None:
            rows.append((item.id, "", say("not to start before: {title}", title=item.ticket.title).in_lang(lang)))
        else:
            asks = say(
                "{what} (rule {rule}, in {folder})", what=question.what, rule=question.rule, folder=question.folder or "…"
            )
            rows.append((item.id, clock_time(question.at, now), asks.in_lang(lang)))
    yield from columns(rows, most=width, indent=0)
    if not found:
        yield say("Nothing waits for your yes.").in_lang(lang)
    else:
        yield say("`hc approve {id}`, or `hc deny {id} -m …`", id=found[0].id).in_lang(lang)
    standing = QuestionFiles(company.layout).allowed().values()
    if standing:
        yield ""
        yield say("Approved for good (`hc deny ID` takes it back):").in_lang(lang)
        yield from columns([(str(e.get("asked")), str(e.get("rule")), str(e.get("what"))) for e in standing], most=width)


def approve(company: Company, identity: str, words: str, *, always: bool) -> Did:
    """Say yes.

    Raises:
        Refusal: `question-unknown`, `question-unclear`, `nothing-to-approve`, `always-needs-question`, and what `where` and
            `rewrite` raise; `answer-by-agent`.
    """
    answer = Answer(given=True, words=words, by=_person(company))
    question = _question(company, identity)
    if question is None:
        if always:
            raise _only_questions(identity)
        return _approve_ticket(company, identity, answer)
    files = QuestionFiles(company.layout)
    if always:
        files.allow(question, answer)
    if question.answer and question.answer.given:
        return Did(always, say("{id} is approved already.", id=identity))
    files.answer(question, answer)
    return Did(True, _goes_on(company, question, say("{id} is approved.", id=question.id)))


def deny(company: Company, identity: str, words: str) -> Did:
    """Say no; of what was approved for good, take it back.

    Raises:
        Refusal: see `approve`.
    """
    answer = Answer(given=False, words=words, by=_person(company))
    question = _question(company, identity)
    if question is None:
        return _deny_ticket(company, identity, answer)
    files = QuestionFiles(company.layout)
    taken_back = files.disallow(question)
    if question.answer and not question.answer.given:
        return Did(taken_back, say("{id} is denied already.", id=identity))
    if taken_back and question.taken:
        return Did(True, say("`{what}` is no longer approved for good.", what=question.what))
    files.answer(question, answer)
    return Did(True, _goes_on(company, question, say("{id} is denied.", id=question.id)))


def _person(company: Company) -> str:
    """Who answers: whoever is no agent."""
    agent = company.environ.get("HC_AGENT")
    if agent and company.environ.get("HC_RUN_TOKEN"):
        raise Refusal(
            "answer-by-agent",
            fact=say("This is the attempt of an agent, {agent}.", agent=agent),
            cause=say("Agents ask; people answer."),
            remedy=say("Answer from a shell of your own."),
        )
    return who(company)


def _question(company: Company, identity: str) -> Question | None:
    """The question that is meant; None where the id is a ticket's that is to be approved itself.

    Raises:
        Refusal: `question-unknown`, `question-unclear`.
    """
    if "/" in identity:
        question = QuestionFiles(company.layout).find(identity)
        if question is None:
            raise Refusal(
                "question-unknown",
                fact=say("There is no question {id}.", id=identity),
                cause=say("No agent has asked it."),
                remedy=say("`hc approvals` shows what waits for your yes."),
            )
        return question
    seen, state = where(company, identity)
    content = _content(company, identity, state)
    asked = open_questions(company, seen, identity, state)
    if (content and content.approve is Approval.BEFORE) or not asked:
        return None
    if len(asked) > 1:
        raise Refusal(
            "question-unclear",
            fact=say("{ticket} has several open questions: {ids}.", ticket=identity, ids=", ".join(q.id for q in asked)),
            cause=say("Each may have another answer."),
            remedy=say("Name one of them: `hc approve {id}`.", id=asked[0].id),
        )
    return asked[0]


def _approve_ticket(company: Company, ticket: str, answer: Answer) -> Did:
    _, state = where(company, ticket)
    content = _content(company, ticket, state)
    if content is None or content.approve is None or state in (State.REVIEW, State.DONE):
        raise _nothing_to_approve(ticket, state)
    files = QuestionFiles(company.layout)
    denied = state is State.BLOCKED and (said := files.of_ticket(ticket)) is not None and not said.given
    if content.approve is Approval.GIVEN and not denied:
        return Did(False, say("{id} is approved already.", id=ticket))
    rewrite(company, ticket, with_approval)
    files.answer_ticket(ticket, answer)
    if denied:
        move(company, ticket, State.BLOCKED, State.TODO)
    return Did(True, will(company, say("{ticket} is approved and may start.", ticket=ticket)))


def _deny_ticket(company: Company, ticket: str, answer: Answer) -> Did:
    seen, state = where(company, ticket)
    content = _content(company, ticket, state)
    if content is None or content.approve is None or ticket in seen.running or state in (State.REVIEW, State.DONE):
        raise _nothing_to_approve(ticket, state)
    if state is State.BLOCKED:
        return Did(False, say("{ticket} is in blocked already.", ticket=ticket))
    QuestionFiles(company.layout).answer_ticket(ticket, answer)
    move(company, ticket, state, State.BLOCKED)
    return Did(True, say("{ticket} is denied and parked in blocked.", ticket=ticket))


def _goes_on(company: Company, question: Question, says: Text) -> Text:
    seen: Snapshot = look(company)
    if question.ticket in seen.running:
        return will(company, say("{says} The agent goes on with that.", says=says))
    if seen.view.states.get(question.ticket) is State.BLOCKED:
        return will(company, say("{says} Its conversation goes on once all its questions are answered.", says=says))
    return says


def _content(company: Company, ticket: str, state: State) -> Ticket | None:
    try:
        content = company.board.read(ticket, state)
    except TicketGone:
        return None
    return content if isinstance(content, Ticket) else None


def _nothing_to_approve(ticket: str, state: State) -> Refusal:
    return Refusal(
        "nothing-to-approve",
        fact=say("{ticket} (in {state}) does not wait for a yes.", ticket=ticket, state=state.value),
        cause=say("Only a ticket with `approve: before` does before it starts, and one whose agent has asked something."),
        remedy=say("`hc why {ticket}` says what it waits for; what was handed in is for `hc review`.", ticket=ticket),
    )


def _only_questions(identity: str) -> Refusal:
    return Refusal(
        "always-needs-question",
        fact=say("--always is for commands, and {id} is a ticket.", id=identity),
        cause=say("There is no command in it that could be approved for good."),
        remedy=say("`hc approve {id}` approves this ticket.", id=identity),
    )
