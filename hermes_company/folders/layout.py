"""Where everything lies in a company folder: the only place that spells these paths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from hermes_company.domain.ticket import State

MARKER = "company.yaml"


@dataclass(frozen=True)
class Layout:
    """The paths of one company, from its resolved root. Put together once: the loop asks for them all the time."""

    root: Path

    @cached_property
    def settings_file(self) -> Path:
        return self.root / MARKER

    @cached_property
    def company(self) -> Path:
        return self.root / "company"

    @cached_property
    def policy_file(self) -> Path:
        return self.company / "policy.yaml"

    @cached_property
    def skills(self) -> Path:
        return self.company / "skills"

    @cached_property
    def skill_drafts(self) -> Path:
        return self.company / "skills-drafts"

    @cached_property
    def glossary(self) -> Path:
        return self.company / "glossary.tsv"

    @cached_property
    def runners(self) -> Path:
        return self.root / "runners"

    @cached_property
    def tasks(self) -> Path:
        return self.root / "tasks"

    @cached_property
    def _states(self) -> dict[State, Path]:
        return {state: self.tasks / state.value for state in State}

    def state(self, state: State) -> Path:
        return self._states[state]

    def ticket(self, ticket: str, state: State) -> Path:
        return _below(self._states[state], f"{ticket}.md")

    @cached_property
    def agents(self) -> Path:
        return self.root / "agents"

    def agent(self, name: str) -> Path:
        return _below(self.agents, name)

    def profile_json(self, name: str) -> Path:
        return _below(self.agents, name, "profile.json")

    def profile_md(self, name: str) -> Path:
        return _below(self.agents, name, "profile.md")

    def runtime_json(self, name: str) -> Path:
        return _below(self.agents, name, "runtime.json")

    @cached_property
    def memory(self) -> Path:
        return self.root / "memory"

    @cached_property
    def outbox_root(self) -> Path:
        return self.root / "outbox"

    def outbox(self, agent: str, ticket: str) -> Path:
        return _below(self.outbox_root, agent, ticket)

    @cached_property
    def logs(self) -> Path:
        return self.root / "logs"

    @cached_property
    def events_file(self) -> Path:
        return self.logs / "events.jsonl"

    @cached_property
    def private(self) -> Path:
        """`.hc/`: the orchestrator's own; nobody else writes here."""
        return self.root / ".hc"

    @cached_property
    def cache(self) -> Path:
        """Derived files only: deleting it loses nothing."""
        return self.private / "cache"

    @cached_property
    def copies(self) -> Path:
        """What memory and skills were before, in a company without git."""
        return self.private / "history"

    @cached_property
    def kernel_lock(self) -> Path:
        return self.private / "kernel.lock"

    @cached_property
    def kernel_holder(self) -> Path:
        return self.private / "kernel.json"

    @cached_property
    def doorbell(self) -> Path:
        """A FIFO: one byte wakes the running loop. It carries no facts."""
        return self.private / "doorbell"

    @cached_property
    def kept(self) -> Path:
        """What the company's own files held before attempts, each content once, by its sha256."""
        return self.private / "kept"

    @cached_property
    def identity(self) -> Path:
        """`company.json`: the company's id, which tags its tmux session."""
        return self.private / "company.json"

    @cached_property
    def runs(self) -> Path:
        return self.private / "runs"

    @cached_property
    def open_runs(self) -> Path:
        """One entry a ticket whose last attempt may not be closed: what to look at after a crash."""
        return self.private / "open"

    @cached_property
    def told(self) -> Path:
        """What people said to agents, as long as the loop has not told it."""
        return self.private / "told"

    @cached_property
    def chats(self) -> Path:
        """Conversations that people have open."""
        return self.private / "chats"

    def engine_note(self, engine: str) -> Path:
        """What the loop remembers of one engine's failures."""
        return _below(self.private, "engines", f"{engine}.json")

    def ticket_runs(self, ticket: str) -> Path:
        return _below(self.runs, ticket)

    def run(self, ticket: str, attempt: int) -> Path:
        return _below(self.runs, ticket, str(attempt))

    def approvals(self, ticket: str) -> Path:
        """What its agent has asked a person, and the answers."""
        return self.runs / ticket / "approvals"

    @cached_property
    def allowed(self) -> Path:
        """What people have approved for good."""
        return self.private / "allowed.json"

    @cached_property
    def answered(self) -> Path:
        """Answers that the loop has not told and delivered yet."""
        return self.private / "answered"

    @cached_property
    def tmux_conf(self) -> Path:
        return self.private / "tmux.conf"


@lru_cache(maxsize=2_048)
def _below(folder: Path, *names: str) -> Path:
    """Putting a path together costs more than asking for its time stamp."""
    return folder.joinpath(*names)
