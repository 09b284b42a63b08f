"""People's answers: each becomes an event, and a conversation that ended with an open question goes on with them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from hermes_company.domain.run import Attempt, Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.ports.approvals import Notice, Question, Questions
from hermes_company.ports.board import Board, PlaceTaken, TicketGone
from hermes_company.ports.events import Draft, Events
from hermes_company.ports.runs import Runs
from hermes_company.wording import Lang, Text, say

_log = logging.getLogger(__name__)


class Answers:
    """Delivers what people have answered. `hc approve` and `hc deny` write only files: the loop tells and moves.

    Args:
        give_feedback: keeps words with an attempt (ticket, number, words); the conversation goes on with them.
    """

    def __init__(
        self,
        questions: Questions,
        board: Board,
        runs: Runs,
        events: Events,
        give_feedback: Callable[[str, int, str], None],
        *,
        lang: Lang,
    ) -> None:
        self._questions = questions
        self._board = board
        self._runs = runs
        self._events = events
        self._give_feedback = give_feedback
        self._lang = lang
        # Names of the notices that the log tells of; None before the log was asked.
        self._told: set[str] | None = None

    def deliver(self) -> None:
        """One round. What fails is tried again at the next."""
        try:
            for notice in self._questions.notices():
                self._tell(notice)
                if self._is_settled(notice):
                    self._questions.drop(notice)
        except OSError as problem:
            _log.error("answers: %s", problem)

    def _tell(self, notice: Notice) -> None:
        if self._told is None:
            kinds = ("approval.given", "approval.denied")
            self._told = {str(e.data.get("notice")) for e in self._events.after(0) if e.kind in kinds}
        if notice.path.name not in self._told:
            data = {key: value for key, value in notice.data.items() if key != "attempt"}
            data["notice"] = notice.path.name
            draft = Draft(kind=notice.kind, ticket=notice.ticket, attempt=notice.data.get("attempt"), data=data)
            self._events.append_all([draft])
            self._told.add(notice.path.name)

    def _is_settled(self, notice: Notice) -> bool:
        """Whether nothing is left to be done about it; does what can be done."""
        questions = self._questions.of(notice.ticket) if notice.number is not None else ()
        question = next((q for q in questions if q.number == notice.number), None)
        last = next(iter(self._runs.history(notice.ticket)[-1:]), None)
        if question is None or question.taken or last is None or last.number != question.attempt:
            return True
        if last.phase is not Phase.CLOSED:
            # Its call may still take the answer; or it was given up a moment ago, then the ticket comes to blocked.
            return False
        asked = [q for q in questions if q.attempt == last.number and not q.taken]
        if last.outcome is Outcome.BLOCKED and all(q.answer for q in asked):
            self._go_on(last, asked)
        return True

    def _go_on(self, last: Attempt, asked: Sequence[Question]) -> None:
        if self._board.view(fresh=True).states.get(last.ticket) is not State.BLOCKED:
            return
        words = "\n".join(_words(question).in_lang(self._lang) for question in asked)
        self._give_feedback(last.ticket, last.number, words)
        try:
            self._board.move(last.ticket, State.BLOCKED, State.DOING)
        except (TicketGone, PlaceTaken):
            return  # a person was faster


def _words(question: Question) -> Text:
    values = {"what": question.what, "folder": question.folder or "…"}
    if question.answer and question.answer.given:
        return say("A person has approved `{what}` in {folder}. Run exactly that again, then go on.", **values)
    said = question.answer.words if question.answer else ""
    return say("A person said no to `{what}`. {words} Go on without it.", words=said, **values)
