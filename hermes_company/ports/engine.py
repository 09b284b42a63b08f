"""An engine: how to start, resume and check one command line tool, and how to read what it reports.

It knows no tickets' folders and no tmux. `start` and `resume` only describe a process; the launcher starts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from hermes_company.domain.agent import Agent
from hermes_company.domain.policy import Policy
from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal
from hermes_company.errors import Refusal
from hermes_company.ports.memory import SkillEntry
from hermes_company.wording import Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """All that an engine may know of one attempt."""

    ticket: str
    agent: Agent
    attempt: int
    token: str
    session_id: str
    root: Path
    # `.hc/runs/<ticket>/<attempt>`, mode 0700; the launch files go there.
    run_dir: Path
    outbox: Path
    workdir: Path
    # The rendered prompt (or, when resuming, the feedback).
    prompt: str
    prompt_file: Path
    # The ticket's Markdown body: what the shell engine executes.
    body: str
    settings: EngineSettings
    # The orchestrator's own environment, to look programs and configuration folders up in. Not to be copied wholesale.
    environ: Mapping[str, str]
    feedback: str | None = None
    # The company's skills that fit the ticket; its prompt names them, an engine may offer them by its own means as well.
    skills: tuple[SkillEntry, ...] = ()
    # What the guard holds the agent to, fixed for the attempt.
    policy: Policy = field(default_factory=Policy)
    # Name of the company's own tmux server.
    tmux_socket: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """A process to be started, in words that never pass through a shell.

    The launcher changes into `Job.workdir`, sets the environment and executes `argv`; with `prompt_as_argument` it appends
    the bytes of `prompt.md` as the last argument, exactly (or, above 100 KB, a sentence that names the file).
    """

    argv: tuple[str, ...]
    prompt_as_argument: bool = True
    # Set for this process.
    env: Mapping[str, str] = field(default_factory=dict)
    # Copied from the orchestrator's environment where present (names; `PREFIX_*` allowed).
    pass_env: tuple[str, ...] = ()
    # Written into the run folder before the start: name → text; mode 0600, 0700 for names ending in `.sh`.
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Readiness:
    """Whether the engine's program can be started at all."""

    program: Path | None
    version: str | None = None
    # Set when it can't: shown by `hc agent add`, `hc why`, `hc doctor`.
    refusal: Refusal | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Consent:
    """Something that an engine asks a person on its screen before it works, and whether it was answered."""

    # The word for `engines.<name>.accept` in company.yaml: trust, bypass, api-key, …
    kind: str
    # What it asks, and what a yes means.
    question: Text
    # The file that the engine keeps the answer in, and the entry there (a folder, the end of a key).
    file: Path
    subject: str = ""
    # Recorded by the engine already.
    given: bool
    # Said in advance in company.yaml.
    accepted: bool
    # What the person has to do instead where nobody else can answer, e.g. log in.
    by_hand: Text | None = None

    @property
    def missing(self) -> bool:
        """Whether the engine would open a dialog that nobody has agreed to."""
        return not (self.given or self.accepted)


class Engine(Protocol):
    """One command line tool that can do tickets."""

    name: str
    # The file in `runners/` that its prompt is rendered from.
    runner: str
    # Whether `resume` continues the same conversation.
    resumes: bool

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """Whether the program is there. Looks at files only; starts nothing, so `version` is None unless it is free."""

    def preflight(self, job: Job) -> Refusal | None:
        """What would make this start hang or fail: missing consent, root without sandbox. None when nothing is known to.

        Reads only. A consent that company.yaml accepts in advance counts as given: `prepare` records it.
        """

    def prepare(self, job: Job) -> Refusal | None:
        """For the launch: record the consents that company.yaml accepts in advance, lay out files that the engine reads.

        Answers as `preflight` does; after a refusal nothing is started.
        """

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """What the engine asks before it works on such a job in that folder, answered or not. Reads only.

        Raises:
            Refusal: the engine's own file cannot be read; it would open a dialog about that.
        """

    def grant(self, consents: Iterable[Consent]) -> None:
        """Record a person's yes where the engine keeps it; what is given already or can only be done by hand is left out.

        Locked, atomic, only these entries; the file as it was before our first change stays beside it as `<name>.hc-backup`.

        Raises:
            Refusal: the file cannot be read or written; it is as it was.
        """

    def start(self, job: Job) -> Launch:
        """How to begin a new conversation with `job.prompt`.

        Raises:
            Refusal: the job cannot be started as asked (e.g. a shell ticket without any `sh` block).
        """

    def resume(self, job: Job) -> Launch:
        """How to go on in the conversation `job.session_id` with `job.prompt`."""

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """One parsed line of `signals.jsonl` in our vocabulary; None when it says nothing to us."""


@runtime_checkable
class Narrator(Protocol):
    """An engine whose transcript tells what its reports don't: that the model answers, that a turn failed.

    Only of such an engine can be said that a prompt was not submitted or that no work was started.
    """

    # Lines in which none of these occurs are not even parsed.
    transcript_words: tuple[bytes, ...]

    def read_transcript(self, line: Mapping[str, object]) -> Signal | None:
        """One parsed line of the transcript that its reports name; None when it says nothing to us."""
