"""The story of `hc demo`, told from what the folders and the event log say. A step that does not come in time ends it."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TypeVar

from hermes_company.cli import reviewing
from hermes_company.cli.consents import prepare_agent
from hermes_company.cli.demo_stage import Loop, end_tmux
from hermes_company.cli.demo_tickets import TICKETS, DemoTicket
from hermes_company.cli.door import Door, Ended
from hermes_company.cli.lines import event_line
from hermes_company.cli.new_ticket import make_ticket
from hermes_company.cli.seeing import explain, look
from hermes_company.domain.agent import Agent
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.company_files import init_company
from hermes_company.folders.watch import ring
from hermes_company.ports.events import Event
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_T = TypeVar("_T")
_PATIENCE_SECONDS = {"shell": 60.0, "claude-code": 900.0, "codex": 900.0}
_LOOK_SECONDS = 0.05
_MOST_LINES = 16
# Three tickets, one of them twice.
_RUNS = 4


def tell_story(door: Door, *, engine: str, keep: bool, yes: bool) -> None:
    """Found a company, run it, and show what becomes of three tickets.

    Raises:
        Refusal: what the engine lacks; `demo-step-missing`: a step did not come.
    """
    with ExitStack() as stack:
        stack.enter_context(_ended_politely())
        company = stack.enter_context(_company(door, keep=keep))
        _hire(door, company, engine, yes=yes)
        _Story(door, company, engine, stack).tell()


@contextmanager
def _ended_politely() -> Iterator[None]:
    """An end from outside goes the same way as Ctrl-C: through all that has to be cleaned up."""

    def asked(number: int, _frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGTERM, asked)
    signal.signal(signal.SIGHUP, asked)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _company(door: Door, *, keep: bool) -> Iterator[Company]:
    """A company in a temporary folder, whose name makes its tmux server's name unique too."""
    import shutil

    from hermes_company.bootstrap import Company

    folder = Path(tempfile.mkdtemp(prefix="hc-demo-"))
    try:
        made = init_company(folder, environ=door.environ, lang=door.lang, name="demo")
        yield Company(made.layout, door.environ)
    finally:
        if keep:
            door.tell(say("The company stays in {folder}: `cd {folder}`, then `hc status` or `hc run`.", folder=folder))
        else:
            shutil.rmtree(folder)
            door.tell(say("The folder {folder} is removed; --keep would have left it.", folder=folder))


def _hire(door: Door, company: Company, engine: str, *, yes: bool) -> None:
    """Two agents, and a person's consent where their work is billed.

    Raises:
        Refusal: the engine's program is missing, it would not start, or nobody agrees.
    """
    for name in ("ann", "bob"):
        company.agents.create(Agent(name=name, engine=engine, role=door.words(say("shop assistant"))), lang=door.lang)
    used = company.engines[engine]
    missing = used.check(company.sight.engine_settings(engine), door.environ).refusal
    if missing:
        raise missing
    if engine == "shell":
        return
    door.tell(
        say("{runs} small runs will be made with your own login of {engine}.", runs=_RUNS, engine=engine),
        say("They count towards your plan, or are billed to your key: usually a few cents each."),
    )
    if not (yes or door.ask(say("Go on?"))):
        raise Ended(1)
    for name in ("ann", "bob"):
        prepare_agent(Door(door.environ, door.cwd, door.lang, root=company.layout.root), name, [], yes=yes)
        problem = used.preflight(company.job_for(_agent(company, name), company.layout.outbox_root / name))
        if problem:
            raise problem


def _agent(company: Company, name: str) -> Agent:
    agent = company.agents.read(name)
    assert isinstance(agent, Agent), agent
    return agent


class _Story:
    """One telling. Events are shown as they come; each step waits for what it tells of."""

    def __init__(self, door: Door, company: Company, engine: str, stack: ExitStack) -> None:
        self._door = door
        self._company = company
        self._engine = engine
        self._stack = stack
        self._tickets = TICKETS[door.lang]
        self._happened: list[Event] = []
        self._step = 0

    def tell(self) -> None:
        self._found()
        self._run()
        first, second, third = self._drop()
        self._at_work(first, second)
        self._judge(first, second)
        self._again(second)
        self._learned(first, third)
        self._door.line()
        self._door.tell(say("That was all of it: files in folders, and real processes in tmux."))

    def _found(self) -> None:
        layout = self._company.layout
        self._head(say("A company is founded and hires two agents, ann and bob"))
        self._line(f"hc init {layout.root}")
        for name in ("ann", "bob"):
            self._line(f"hc agent add {name} --engine {self._engine}")
        folders = sorted(path.name for path in layout.root.iterdir() if not path.name.startswith("."))
        self._line(f"{layout.root}: {'  '.join(folders)}")

    def _run(self) -> None:
        self._head(say("It runs"))
        self._stack.callback(end_tmux, self._company)
        self._loop = self._stack.enter_context(Loop(self._company, self._door.lang))
        # First of all, when it is over: a second Ctrl-C must not leave half of it behind.
        self._stack.callback(signal.signal, signal.SIGINT, signal.SIG_IGN)
        self._line(f"hc run   # pid {self._loop.pid}")
        attach = " ".join(self._company.workers.attach_command(None))
        # It says so once it holds the lock and has its tmux server: only then does it run.
        self._until(say("hc run holds the company"), lambda: attach in self._loop.last_words() or None)
        self._line(say("To watch the agents: {command}", command=attach))

    def _drop(self) -> tuple[str, str, str]:
        self._head(say("Three tickets are dropped into tasks/todo"))
        first = self._new(self._tickets.first, "ann")
        second = self._new(self._tickets.second, "bob")
        third = self._new(self._tickets.third, "ann", needs=first)
        self._line(
            say("{ticket} waits: {reason}", ticket=third, reason=explain(self._company, look(self._company), third).reason)
        )
        return first, second, third

    def _at_work(self, first: str, second: str) -> None:
        self._head(say("They are claimed, and run in tmux"))
        for ticket in (first, second):
            self._event("attempt.started", ticket)
        self._head(say("DONE is written: they go to review"))
        for ticket in (first, second):
            self._event("attempt.closed", ticket)
            self._in_review(ticket)
        self._window(first)

    def _judge(self, first: str, second: str) -> None:
        self._head(say("A person approves one and sends the other back"))
        self._line(f"hc review approve {first}")
        reviewing.approve(self._company, first, "")
        self._line(f'hc review reject {second} -m "{self._tickets.feedback}"')
        reviewing.reject(self._company, second, self._tickets.feedback, anew=False)
        ring(self._company.layout.doorbell)
        self._event("ticket.approved", first)
        self._event("ticket.rejected", second)

    def _again(self, second: str) -> None:
        self._head(say("The rejected one runs again, with the feedback"))
        self._event("attempt.started", second, attempt=2)
        self._event("attempt.closed", second, attempt=2)
        self._in_review(second)
        self._greeting(second)
        prompt = self._company.runs.folder(second, 2) / "prompt.md"
        self._line(say("Its prompt, {file}, says:", file=prompt))
        self._quote([line for line in prompt.read_text("utf-8").splitlines() if self._tickets.feedback in line])

    def _learned(self, first: str, third: str) -> None:
        self._head(say("The third one starts, and is told what the first one learned"))
        self._event("attempt.started", third)
        prompt = self._company.runs.folder(third, 1) / "prompt.md"
        records = _records(prompt.read_text("utf-8"))
        if not any(first in line for line in records):
            self._fail(say("{file} carries nothing of {ticket}", file=prompt, ticket=first))
        self._line(say("Its prompt, {file}, says:", file=prompt))
        self._quote(records)
        self._event("attempt.closed", third)
        self._in_review(third)

    def _new(self, ticket: DemoTicket, owner: str, needs: str = "") -> str:
        fields = {"title": ticket.title, "owner": owner, "needs": (needs,) if needs else (), "workdir": ""}
        body = ticket.body(scripted=self._engine == "shell")
        path, _ = make_ticket(self._company, fields, body, ticket_id="", cwd=self._company.layout.root)
        ring(self._company.layout.doorbell)
        self._line(f"{path.relative_to(self._company.layout.root)}  {ticket.title}")
        return path.stem

    def _in_review(self, ticket: str) -> None:
        """Where it lies decides; a ticket that went elsewhere will not come."""
        seen = look(self._company)
        if seen.view.states.get(ticket) is not State.REVIEW:
            self._fail(explain(self._company, seen, ticket).reason)
        item = reviewing.review_of(self._company, ticket)
        if item.outbox:
            self._line(f"{item.outbox}: {'  '.join(sorted(path.name for path in item.outbox.iterdir()))}")

    def _window(self, ticket: str) -> None:
        run = self._company.runs.history(ticket)[-1]
        shown = self._company.workers.tail(self._company.runs.folder(ticket, run.number), run.pane, _MOST_LINES)
        self._line(say("Its window, {window}, showed:", window=run.window))
        self._quote(shown.splitlines())

    def _greeting(self, ticket: str) -> None:
        written = self._company.layout.outbox("bob", ticket) / "greeting.txt"
        if written.is_file():
            self._line(f"cat {written}")
            self._quote(written.read_text("utf-8").splitlines())

    def _event(self, kind: str, ticket: str, attempt: int | None = None) -> Event:
        def come() -> Event | None:
            fitting = (e for e in self._happened if e.kind == kind and e.ticket == ticket and attempt in (None, e.attempt))
            return next(fitting, None)

        return self._until(say("{kind} of {ticket}", kind=kind, ticket=ticket), come)

    def _until(self, what: Text, come: Callable[[], _T | None]) -> _T:
        """What `come` answers, as soon as it answers anything. Events are shown meanwhile."""
        deadline = time.monotonic() + _PATIENCE_SECONDS[self._engine]
        while True:
            for event in self._company.events.after(self._happened[-1].seq if self._happened else 0):
                self._happened.append(event)
                self._line(event_line(event, self._door.lang))
            found = come()
            if found is not None:
                return found
            if not self._loop.runs:
                self._fail(say("`hc run` ended before {what}", what=what))
            if time.monotonic() > deadline:
                self._fail(say("{what} did not come within {seconds:g} s", what=what, seconds=_PATIENCE_SECONDS[self._engine]))
            time.sleep(_LOOK_SECONDS)

    def _fail(self, reason: Text) -> NoReturn:
        raise Refusal(
            "demo-step-missing",
            fact=say("{reason}.", reason=reason),
            cause=say("What `hc run` said last: {words}", words=self._loop.last_words()),
            remedy=say("`hc demo --keep` leaves the company to be looked at: `hc status`, `hc events`."),
            status=1,
        )

    def _head(self, text: Text) -> None:
        self._step += 1
        self._door.line()
        self._door.line(f"{self._step}. {self._door.words(text)}", bold=True)

    def _line(self, text: Text | str) -> None:
        self._door.line(f"   {text if isinstance(text, str) else self._door.words(text)}")

    def _quote(self, lines: list[str]) -> None:
        for line in lines[:_MOST_LINES]:
            self._door.line(f"   │ {line}".rstrip())


def _records(prompt: str) -> list[str]:
    """What the prompt carries of earlier tickets, between its two markers."""
    lines = prompt.splitlines()
    begins = [place for place, line in enumerate(lines) if line.startswith("<<<records ")]
    ends = [place for place, line in enumerate(lines) if line.startswith("records ") and line.endswith(">>>")]
    return [line for line in lines[begins[0] + 1 : ends[0]] if line.strip()] if begins and ends else []
