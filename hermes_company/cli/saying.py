"""Telling an agent something: typed into its window while it is at work, else with the attempt that comes next."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.acts import last_attempt, move, where
from hermes_company.cli.seeing import living_loop
from hermes_company.domain.redaction import redact
from hermes_company.domain.run import RULES, Attempt, Phase, WorkerPhase
from hermes_company.domain.ticket import State, Ticket
from hermes_company.domain.words import starts_like_a_command, takes_enter, typable
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import create_exclusive
from hermes_company.ports.board import TicketGone
from hermes_company.ports.follow_up import Receipts, Talk
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_MOST_BYTES = 20_000
_MOST_KEPT_BYTES = 60_000
_MOST_SHOWN = 500
_START_SECONDS = 10.0
_LOOK_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """What became of the words."""

    ticket: str
    # The attempt that they were said to, or that they are kept with.
    attempt: int
    # `typed` into its window, `resumed` by sending the ticket back to work, `kept` for when it is started.
    how: str
    says: tuple[Text, ...]
    receipts: Receipts | None = None
    # The move that was made; None where there was none.
    moved: tuple[State, State] | None = None
    changed: bool = True

    def to_json(self) -> dict[str, object]:
        """For `--json`."""
        delivered, submitted = (self.receipts.delivered, self.receipts.submitted) if self.receipts else (None, None)
        return {
            "ticket": self.ticket,
            "attempt": self.attempt,
            "how": self.how,
            "changed": self.changed,
            "from": self.moved[0].value if self.moved else None,
            "to": self.moved[1].value if self.moved else None,
            "receipts": {
                "delivered": delivered.isoformat() if delivered else None,
                "submitted": submitted.isoformat() if submitted else None,
            },
            "says": " ".join(text.in_lang("en") for text in self.says),
        }


def words_of(words: str, file: str, cwd: Path) -> str:
    """What is to be said, fit to be typed.

    Raises:
        Refusal: `words-missing`, `words-unreadable`, `words-too-long`.
    """
    if bool(words) == bool(file):
        raise _missing()
    source = file or ("-" if words == "-" else "")
    try:
        text = _read(source, cwd) if source else words
        text.encode()
    except (OSError, UnicodeError) as problem:
        raise _unreadable(source, problem) from None
    said = typable(text)
    if not said:
        raise _missing()
    if len(said.encode()) > _MOST_BYTES:
        raise _too_long(_MOST_BYTES)
    return said


def _read(file: str, cwd: Path) -> str:
    if file == "-":
        raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        with (cwd / Path(file).expanduser()).open("rb") as source:
            raw = source.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise _too_long(_MOST_BYTES)
    return raw.decode("utf-8-sig")


def tell(company: Company, ticket: str, words: str) -> Said:
    """Tell whoever works on the ticket, or goes on with it next.

    Raises:
        Refusal: `ticket-unknown`, `ticket-twice`, `no-attempt`, `ticket-done`, `attempt-starting`, `attempt-ending`,
            `window-…`, `words-not-sent`, `ticket-moved`.
    """
    seen, state = where(company, ticket)
    run = seen.running.get(ticket)
    if run is not None:
        return _type(company, run, state, words)
    last = last_attempt(company, ticket)
    if last is None:
        raise _never_ran(ticket, state)
    if state is State.DONE:
        raise _done(ticket)
    said = _send_back(company, last, state, words)
    return said or tell(company, ticket, words)


def _type(company: Company, run: Attempt, state: State, words: str) -> Said:
    """Into the window of the engine at work."""
    from hermes_company.engines.screens import SCREENS
    from hermes_company.folders.heard import Ear
    from hermes_company.terminal.follow_up import TmuxFollowUp

    engine, screen = company.engines.get(run.engine), SCREENS.get(run.engine)
    _require_at_work(company, run, state)
    if engine is None or screen is None:
        raise _not_spoken_to(run)
    folder = company.runs.folder(run.ticket, run.number)
    typed = _as_typed(words, company.settings.lang)
    ear = Ear(folder, engine, screen, typed)
    talk = Talk(
        run_dir=folder,
        screen=screen,
        still_open=lambda: _require_open(company, run),
        heard=ear.heard,
    )
    receipts = TmuxFollowUp(company.workers.tmux, company.clock).tell(talk, typed)
    _keep(folder, typed)
    _note(company, run, words, how="typed", submitted=receipts.submitted is not None)
    taken_up = say("{agent} has taken it up.", agent=run.agent)
    waits = say("{agent} takes it up after what it does at the moment.", agent=run.agent)
    return Said(
        ticket=run.ticket,
        attempt=run.number,
        how="typed",
        says=(say("It was said in the window of {agent}.", agent=run.agent), taken_up if receipts.submitted else waits),
        receipts=receipts,
    )


def _as_typed(words: str, lang: Lang) -> str:
    """The words with what keeps an engine from taking them, or the Enter behind them, for something else."""
    greeting = say("A word from the person whom you work for:").in_lang(lang)
    before = f"{greeting}\n" if starts_like_a_command(words) else ""
    return f"{before}{words}{' ' if takes_enter(words) else ''}"


def _require_at_work(company: Company, run: Attempt, state: State) -> None:
    """Raises:
    Refusal: `attempt-starting`, `attempt-ending`.
    """
    if run.phase is Phase.INTENT:
        raise _starting(run)
    if run.phase is Phase.ENDING or state is not State.DOING:
        raise _ending(run)
    worker = company.workers.state(company.runs.folder(run.ticket, run.number)).phase
    if worker is WorkerPhase.NOT_STARTED:
        raise _starting(run)
    if worker is not WorkerPhase.RUNNING:
        raise _ending(run) if living_loop(company) else _unsettled(run)


def _require_open(company: Company, run: Attempt) -> None:
    """Whether the attempt goes on, looked at once more.

    Raises:
        Refusal: `attempt-ending`.
    """
    last = last_attempt(company, run.ticket)
    markers = company.outbox.markers(run.agent, run.ticket, run.token)
    over = last is None or last.number != run.number or last.phase is not Phase.LAUNCHED
    if over or markers.done or markers.blocked is not None or company.runs.stop_asked(run.ticket, run.number) is not None:
        raise _ending(run)
    if run.ticket not in company.board.view(fresh=True).doing:
        raise _ending(run)


def _send_back(company: Company, last: Attempt, state: State, words: str) -> Said | None:
    """With the attempt that comes next, as a reviewer's feedback is; None when that has just been started without them."""
    ticket = last.ticket
    before = company.runs.feedback(ticket, last.number) or _undelivered(last)
    there_already = before is not None and (before == words or before.endswith(f"\n\n{words}"))
    whole = before if before and there_already else f"{before}\n\n{words}" if before else words
    if len(whole.encode()) > _MOST_KEPT_BYTES:
        raise _too_long(_MOST_KEPT_BYTES)
    company.runs.give_feedback(ticket, last.number, whole)
    moves = state in (State.REVIEW, State.BLOCKED)
    if moves:
        move(company, ticket, state, State.DOING)
    elif not _is_kept(company, last, words):
        return None
    changed = moves or not there_already
    if changed:
        _note(company, last, words, how="resumed" if moves else "kept", submitted=False)
    nobody = () if living_loop(company) else (say("Nobody runs the company at the moment: `hc run` takes it up again."),)
    return Said(
        ticket=ticket,
        attempt=last.number,
        how="resumed" if moves else "kept",
        says=(*_says(company, last, state, moved=moves), *nobody),
        moved=(state, State.DOING) if moves else None,
        changed=changed,
    )


def _undelivered(last: Attempt) -> str | None:
    """What an attempt was to act on that failed: the next one is told it again."""
    return last.feedback if last.outcome is not None and RULES[last.outcome].counts else None


def _is_kept(company: Company, last: Attempt, words: str) -> bool:
    """Whether the next attempt gets the words: the loop reads them once it has recorded that attempt."""
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        newest = last_attempt(company, last.ticket)
        if newest is None or newest.number == last.number or words in (newest.feedback or ""):
            return True
        if newest.phase is not Phase.INTENT:
            return False
        time.sleep(_LOOK_SECONDS)
    raise _starting(last)


def _says(company: Company, last: Attempt, state: State, *, moved: bool) -> tuple[Text, ...]:
    if not moved:
        kept = say("{ticket} waits in {state}: it is told when its next attempt starts.", ticket=last.ticket, state=state.value)
        return (kept,) if state is State.DOING else (kept, say("That begins a new conversation."))
    goes = say("{ticket} goes from {state} to doing with your words.", ticket=last.ticket, state=state.value)
    if _resumes(company, last.ticket):
        return goes, say("{agent} goes on in the same conversation.", agent=last.agent)
    return goes, say("It begins anew: the conversation with {agent} can't be resumed.", agent=last.agent)


def _resumes(company: Company, ticket: str) -> bool:
    with suppress(TicketGone):
        content = company.board.read(ticket, State.DOING)
        earlier = company.assessor.earlier(content) if isinstance(content, Ticket) else None
        return earlier is not None and earlier.resumable
    return True  # claimed or moved at this very moment: what follows is told as events


def _keep(folder: Path, words: str) -> None:
    """Keep what an agent was told beside what it was told first, as `told-1.md` and so on."""
    for number in itertools.count(1):
        with suppress(FileExistsError):
            create_exclusive(folder / f"told-{number}.md", words, mode=0o600, durable=False)
            return


def _note(company: Company, run: Attempt, words: str, *, how: str, submitted: bool) -> None:
    shown = redact(words).text[:_MOST_SHOWN]
    data: Mapping[str, object] = {"how": how, "words": shown, "bytes": len(words.encode()), "submitted": submitted}
    company.told.leave(run.ticket, run.agent, run.number, data)


def _missing() -> Refusal:
    return Refusal(
        "words-missing",
        fact=say("There is nothing to be said, or it comes from two places."),
        cause=say("Nobody was told anything."),
        remedy=say('`hc say TICKET "…"`, or `--file FILE`, or `-` for standard input.'),
    )


def _unreadable(source: str, problem: Exception) -> Refusal:
    reason = problem.strerror if isinstance(problem, OSError) else None
    return Refusal(
        "words-unreadable",
        fact=say("{file} was not read: {reason}.", file=source or "-", reason=reason or say("it is not UTF-8 text")),
        cause=say("Nobody was told anything."),
        remedy=say("Name a UTF-8 text file, or `-` for standard input."),
    )


def _too_long(limit: int) -> Refusal:
    return Refusal(
        "words-too-long",
        fact=say("The words are longer than {limit} bytes.", limit=limit),
        cause=say("Nobody was told anything."),
        remedy=say("Put them into a file that the agent can read, and tell it the file's path."),
    )


def _never_ran(ticket: str, state: State) -> Refusal:
    return Refusal(
        "no-attempt",
        fact=say("No agent has worked on {ticket}.", ticket=ticket),
        cause=say("There is nobody to be told, and no conversation to go on with."),
        remedy=say("Write it into the ticket: {file}.", file=f"tasks/{state.value}/{ticket}.md"),
    )


def _done(ticket: str) -> Refusal:
    return Refusal(
        "ticket-done",
        fact=say("{ticket} is done and accepted.", ticket=ticket),
        cause=say("A word about it would take its acceptance back."),
        remedy=say("If that is meant: `hc review reject {ticket} -m …`.", ticket=ticket),
    )


def _starting(run: Attempt) -> Refusal:
    return Refusal(
        "attempt-starting",
        fact=say("{ticket} is being started with {agent}.", ticket=run.ticket, agent=run.agent),
        cause=say("Words that are typed while an engine starts get lost."),
        remedy=say("Say it again in a moment."),
        status=75,
    )


def _ending(run: Attempt) -> Refusal:
    return Refusal(
        "attempt-ending",
        fact=say("Attempt {number} of {ticket} is over or about to be.", number=run.number, ticket=run.ticket),
        cause=say("The words would be lost with it."),
        remedy=say("Say it again in a moment: then its conversation is resumed with them."),
        status=75,
    )


def _unsettled(run: Attempt) -> Refusal:
    return Refusal(
        "attempt-ending",
        fact=say("The process of attempt {number} has ended, and nobody has settled it.", number=run.number),
        cause=say("Nobody runs the company at the moment."),
        remedy=say("Start `hc run`, then say it again."),
        status=75,
    )


def _not_spoken_to(run: Attempt) -> Refusal:
    return Refusal(
        "window-unknown",
        fact=say("{agent} works with {engine}, whose window hc cannot read.", agent=run.agent, engine=run.engine),
        cause=say("Nobody could tell whether the words arrive."),
        remedy=say("Type them yourself (`hc attach {agent}`), or say them when the attempt is over.", agent=run.agent),
    )
