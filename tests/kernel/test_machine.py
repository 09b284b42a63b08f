"""A Hypothesis machine over everything people, agents, processes and clocks may do to a company.

After every step the promises of docs/explanation/architecture.md §5 hold. Each of these mutations of the kernel turns it
red, in one run without shrinking (tried by hand):

1. `domain/settling.py` `decide`: `_taken_away` is never returned (a person's move no longer ends the run);
2. `kernel/ending.py` `_finish`: the ticket is moved while `progress` is still ENDING (tree not proved gone);
3. `folders/outbox.py` `begin`: nothing is put aside (an old DONE finishes a new attempt);
4. `kernel/queue.py` `waiting`: tickets in doing with an open attempt are not left out (a second one beside a living one);
5. `kernel/ending.py` `_target`: failures never reach `retries` (retries without end);
6. `kernel/loop.py` `recover`: open attempts are not taken up (a living run is forgotten after kill -9);
7. `kernel/claiming.py` `_commit`: moves with an overwriting rename (a file in doing loses its bytes);
8. `kernel/ending.py` `_move`: creates the target anew when the ticket is gone (a deleted ticket comes back).
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.company_lock import company_lock
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.ticket_file import without_runtime
from tests.fakes.crashing import FULL_DISK, Crash, Plan
from tests.support.kernel_rig import Rig

RETRIES = 2
_WHICH = st.integers(0, 2)


class CompanyMachine(RuleBasedStateMachine):
    """People, two agents, a loop that is killed and restarted, clocks that jump."""

    @initialize()
    def found(self) -> None:
        """An empty company."""
        self.folder = Path(tempfile.mkdtemp(prefix="hc-machine-"))
        self.rig = Rig(self.folder)
        self.lock = ExitStack()
        self.lock.enter_context(company_lock(self.rig.layout, self.rig.clock))
        self.rig.agent("bob", capacity=2)
        # The end of a process tree takes more than one look, so that things may happen in between.
        self.rig.workers.slow_end = 2
        # What people wrote, what agents delivered, and how often each ticket was started since a person touched it.
        self.text: dict[str, bytes] = {}
        self.delivered: set[bytes] = set()
        self.touched: dict[str, int] = {}
        # The attempts whose DONE was really written by their own agent.
        self.done: set[tuple[str, int]] = set()
        self.number = 0
        self.drop("ann", State.TODO)
        self.drop(None, State.TODO)

    def teardown(self) -> None:
        """Nothing stays behind."""
        self.lock.close()
        shutil.rmtree(self.folder)

    # People

    @precondition(lambda self: len(self.text) < 3)
    @rule(owner=st.sampled_from(["ann", "bob", None]), state=st.sampled_from([State.TODO] * 6 + list(State)))
    def drop(self, owner: str | None, state: State) -> None:
        """A file is dropped into any folder."""
        self.number += 1
        ticket = f"T-{self.number}"
        text = f"---\ntitle: 票 {self.number}\n" + (f"owner: {owner}\n" if owner else "") + "timeout_minutes: 10000\n---\nbody"
        self.rig.drop(ticket, text, state)
        self.text[ticket] = text.encode()
        self.touched[ticket] = 0

    @rule(which=_WHICH, to=st.sampled_from(list(State)))
    def move(self, which: int, to: State) -> None:
        """A person moves a file from any folder to any other."""
        ticket = self._pick(which)
        if self.rig.where(ticket) is not to:
            running = self._living(ticket)
            self.rig.mv(ticket, to)
            self.touched[ticket] = len(self._starts(ticket))
            self.rig.tick()
            assert to in (State.TODO, State.DOING) or self.rig.where(ticket) is to, "a person's move wins"
            self.rig.tick(2)
            assert not (running and running.alive), "whoever was at work has been ended"

    @rule(which=_WHICH, other=st.sampled_from(list(State)))
    def late_save(self, which: int, other: State) -> None:
        """An editor that was left open brings a file of that name back in another folder; later the person removes it."""
        ticket = self._pick(which)
        if self.rig.where(ticket) is not other:
            ghost = self.rig.drop(ticket, "from the editor", other)
            living = self._living(ticket)
            self.rig.tick(3)
            assert ghost.read_text(encoding="utf-8") == "from the editor", "no file is overwritten"
            assert living is None or self._living(ticket) in (living, None), "a ghost starts nothing"
            ghost.unlink()

    @rule(which=_WHICH)
    def edit(self, which: int) -> None:
        """A person edits the body, keeping our block, as an editor does."""
        ticket = self._pick(which)
        path = self.rig.layout.ticket(ticket, self.rig.where(ticket))
        raw = path.read_bytes() + "\n补充".encode()
        path.write_bytes(raw)
        self.text[ticket] = without_runtime(raw)

    @rule(which=_WHICH)
    def delete(self, which: int) -> None:
        """A person deletes a file."""
        ticket = self._pick(which)
        self.rig.layout.ticket(ticket, self.rig.where(ticket)).unlink()
        del self.text[ticket]

    @rule(which=_WHICH, words=st.sampled_from(["短一点", "shorter"]))
    def reject(self, which: int, words: str) -> None:
        """A reviewer sends a ticket back with feedback."""
        ticket = self._pick(which)
        attempts = self.rig.history(ticket)
        if attempts and self.rig.where(ticket) is State.REVIEW:
            RunFiles(self.rig.layout).give_feedback(ticket, attempts[-1].number, words)
            self.move(which, State.DOING)

    @rule(which=_WHICH)
    def stop(self, which: int) -> None:
        """A person asks for the end of the newest attempt, running or not."""
        ticket = self._pick(which)
        attempts = self.rig.history(ticket)
        if attempts:
            RunFiles(self.rig.layout).ask_stop(ticket, attempts[-1].number, "enough")

    # Agents and their processes

    @rule(which=_WHICH, summary=st.sampled_from(["words", "", None]), turn=st.booleans())
    def deliver(self, which: int, summary: str | None, turn: bool) -> None:
        """The agent writes DONE, with a summary, an empty one or none yet, and its turn ends, or not."""
        ticket = self._pick(which)
        run = self._living(ticket)
        if run:
            outbox = run.order.workdir
            if summary == "":
                (outbox / "summary.md").touch()
            elif summary and not (outbox / "summary.md").exists():
                words = f"# {ticket} {len(self.delivered)}".encode()
                (outbox / "summary.md").write_bytes(words)
                self.delivered.add(words)
            (outbox / "DONE").touch()
            self.done.add((ticket, int(run.order.run_dir.name)))
            if turn:
                self.rig.workers.report(ticket, "turn_ended")

    @rule(which=_WHICH)
    def deliver_and_be_sent_back(self, which: int) -> None:
        """What was handed in is not accepted, and the ticket begins again beside what lies in its outbox."""
        ticket = self._pick(which)
        if self._living(ticket):
            self.rig.workers.broken = False
            self.deliver(which, "words", turn=True)
            self.rig.tick(5, seconds=1)
            if self.rig.where(ticket) is State.REVIEW:
                self.move(which, State.TODO)
                self.rig.tick(3, seconds=30)

    @rule(which=_WHICH)
    def deleted_while_it_ends(self, which: int) -> None:
        """A person deletes the file while the attempt's processes are being ended."""
        ticket = self._pick(which)
        if self._living(ticket):
            self.deliver(which, "words", turn=True)
            self.rig.tick()
            if self.rig.where(ticket) is State.DOING:
                self.delete(which)
                self.rig.tick(4, seconds=1)

    @rule(which=_WHICH)
    def ask_a_person(self, which: int) -> None:
        """The agent writes BLOCKED."""
        ticket = self._pick(which)
        run = self._living(ticket)
        if run:
            (run.order.workdir / "BLOCKED").write_text("which?", encoding="utf-8")
            self.rig.workers.report(ticket, "turn_ended")

    @rule(which=_WHICH, code=st.sampled_from([0, 1, 75, None]))
    def process_ends(self, which: int, code: int | None) -> None:
        """Its process exits, asks to be tried later, or is gone without a record."""
        ticket = self._pick(which)
        if self._living(ticket):
            if code is None:
                self.rig.workers.vanish(ticket)
            else:
                self.rig.workers.exit(ticket, code)

    @rule(which=_WHICH)
    def dies_again_and_again(self, which: int) -> None:
        """Whatever is started for it dies at once; sooner or later nothing is started any more."""
        ticket = self._pick(which)
        self.rig.workers.broken = False
        before = len(self._starts(ticket))
        for _ in range(RETRIES * 4):
            if self._living(ticket):
                self.rig.workers.exit(ticket, 1)
            self.rig.tick(3, seconds=4_000)
        assert len(self._starts(ticket)) - before <= RETRIES + 1, "retries without end"

    @rule()
    def tmux_dies(self) -> None:
        """Every process is gone at once."""
        for process in self.rig.workers.processes.values():
            process.alive = False

    @rule(broken=st.booleans())
    def tmux_answers_or_not(self, broken: bool) -> None:
        """Nothing can be started for a while."""
        self.rig.workers.broken = broken

    # Time and the loop

    @rule(seconds=st.sampled_from([0.0, 1.0, 25.0, 400.0, 2_000.0, 700_000.0]), times=st.integers(1, 3))
    def tick(self, seconds: float, times: int) -> None:
        """The loop goes round as time passes."""
        self.rig.tick(times, seconds=seconds)

    @rule(seconds=st.sampled_from([-86_400.0, -5.0, 5.0, 86_400.0]))
    def clock_jumps(self, seconds: float) -> None:
        """Somebody sets the wall clock."""
        self.rig.clock.jump(seconds)
        self.rig.tick()

    @rule(at=st.integers(0, 60), after=st.booleans())
    def killed(self, at: int, after: bool) -> None:
        """The loop is killed at some call, or at the end of a tick, and started again."""
        self.rig.plan = Plan(at=at, after=after)
        try:
            self.rig.restart()
            self.rig.tick(2)
        except Crash:
            pass
        self.rig.plan = None
        self.rig.restart()

    @rule(at=st.integers(0, 60), lasting=st.integers(1, 12))
    def disk_full(self, at: int, lasting: int) -> None:
        """Some calls fail with a full disk; the loop stays up, or cannot even start and is started again."""
        self.rig.plan = Plan(at=at, error=FULL_DISK, lasting=lasting)
        try:
            self.rig.restart()
            self.rig.tick(3)
        except OSError:
            pass
        self.rig.plan = None
        self.rig.restart()

    @rule()
    def second_loop(self) -> None:
        """Somebody starts another loop beside this one: it is refused by the company's lock."""
        with pytest.raises(Refusal, match="company-already-runs"), company_lock(self.rig.layout, self.rig.clock):
            self.rig.restart()

    @rule()
    def claims_wiped(self) -> None:
        """Somebody deletes the list of open attempts, and the loop starts again."""
        shutil.rmtree(self.rig.layout.open_runs, ignore_errors=True)
        self.rig.restart()

    @rule()
    def cache_wiped(self) -> None:
        """Everything derived is deleted."""
        shutil.rmtree(self.rig.layout.cache, ignore_errors=True)
        self.rig.restart()

    # Promises

    @invariant()
    def every_ticket_lies_in_one_folder_with_its_bytes(self) -> None:
        """Promises 1, 3 and 8: one folder, never lost, people's bytes untouched, nothing comes back from the dead."""
        lying = [path for state in State for path in self.rig.layout.state(state).glob("*.md")]
        assert sorted(path.stem for path in lying) == sorted(self.text)
        for path in lying:
            assert without_runtime(path.read_bytes()) == self.text[path.stem]

    @invariant()
    def at_most_one_live_process_a_ticket(self) -> None:
        """Promise 2, and at most one start an attempt."""
        living = [folder.parent.name for folder, process in self.rig.workers.processes.items() if process.alive]
        assert len(living) == len(set(living))
        assert len(self.rig.workers.starts) == len(set(self.rig.workers.starts))

    @invariant()
    def a_closed_attempt_has_no_process(self) -> None:
        """Promise 5."""
        for folder, process in self.rig.workers.processes.items():
            attempts = {a.number: a for a in self.rig.history(folder.parent.name)}
            attempt = attempts.get(int(folder.name))
            assert attempt is not None, "a started attempt keeps its record"
            assert not (process.alive and attempt.phase is Phase.CLOSED)

    @invariant()
    def only_its_own_done_finishes_an_attempt(self) -> None:
        """Promise 6."""
        for ticket in self.text:
            for attempt in self.rig.history(ticket):
                if attempt.outcome is Outcome.FINISHED:
                    assert (ticket, attempt.number) in self.done

    @invariant()
    def retries_are_finite(self) -> None:
        """Promise 9: a ticket that nobody touches is not started for ever."""
        for ticket in self.text:
            since = self._starts(ticket)[self.touched[ticket] :]
            counted = [a for a in self.rig.history(ticket) if a.number in since and a.outcome is not Outcome.PAUSED]
            assert len(counted) <= RETRIES + 2, (ticket, [a.outcome for a in counted])

    @invariant()
    def what_agents_delivered_is_kept(self) -> None:
        """Promise 8: every summary is still somewhere below the outbox."""
        kept = {path.read_bytes() for path in self.rig.layout.outbox_root.rglob("summary.md")}
        assert self.delivered <= kept

    def _pick(self, which: int) -> str:
        """One of the tickets that are there; a new one where there is none."""
        if not self.text:
            self.drop("bob", State.TODO)
        return sorted(self.text)[which % len(self.text)]

    def _starts(self, ticket: str) -> list[int]:
        return [int(folder.name) for folder in self.rig.workers.starts if folder.parent.name == ticket]

    def _living(self, ticket: str):  # type: ignore[no-untyped-def]
        living = [p for f, p in self.rig.workers.processes.items() if f.parent.name == ticket and p.alive]
        return living[0] if living else None


CompanyMachine.TestCase.settings = settings(
    max_examples=60, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCompany = CompanyMachine.TestCase
