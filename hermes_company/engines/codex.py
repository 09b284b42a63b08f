"""Codex: https://developers.openai.com/codex/cli. Runs unattended in its own window, reports through hooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal
from hermes_company.engines import codex_consents, guard, hooks, native_skills, sandbox, transcripts
from hermes_company.engines.asking import accepted, unanswered
from hermes_company.engines.programs import Program
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job, Launch, Readiness
from hermes_company.wording import say

NAME = "codex"
_PROGRAM = Program(NAME, "codex", "npm install -g @openai/codex")

# How a person reaches their model. CODEX_* of a parent session stay out.
_PASS = (
    "CODEX_HOME",
    "CODEX_SQLITE_HOME",
    "CODEX_CA_CERTIFICATE",
    "OPENAI_*",
    "AZURE_OPENAI_*",
    "AWS_*",
)
# The hooks that this version of Codex calls. It reports no failed turn and no end of the session.
_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")


class Codex:
    """See `Engine`."""

    name = NAME
    runner = "codex_runner.md"
    resumes = True
    transcript_words = transcripts.CODEX_WORDS

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`."""
        return _PROGRAM.readiness(settings, environ)

    def preflight(self, job: Job) -> Refusal | None:
        """See `Engine.preflight`."""
        try:
            return unanswered(self.consents(job), codex_consents.CODES, job) or _key_missing(job)
        except Refusal as unreadable:
            return unreadable

    def prepare(self, job: Job) -> Refusal | None:
        """See `Engine.prepare`."""
        refusal = self.preflight(job)
        if refusal is None:
            self.grant(accepted(self.consents(job)))
            native_skills.lay_out(job)
            native_skills.lay_into_outbox(job)
        return refusal

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """See `Engine.consents`."""
        return codex_consents.ask(job)

    def grant(self, consents: Iterable[Consent]) -> None:
        """See `Engine.grant`."""
        codex_consents.record(consents)

    def start(self, job: Job) -> Launch:
        """See `Engine.start`. Codex chooses the conversation's id and tells it with its first signal."""
        return self._launch(job)

    def resume(self, job: Job) -> Launch:
        """See `Engine.resume`. `job.session_id` is what the conversation's first signal said."""
        return self._launch(job, "resume", job.session_id)

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """See `Engine.read_signal`."""
        return hooks.read_signal(line)

    def read_transcript(self, line: Mapping[str, object]) -> Signal | None:
        """See `Narrator.read_transcript`."""
        return transcripts.codex(line)

    def _launch(self, job: Job, *conversation: str) -> Launch:
        model = ("--model", job.agent.model) if job.agent.model else ()
        return Launch(
            argv=(
                _PROGRAM.path(job.settings, job.environ),
                *conversation,
                *sandbox.codex_words(job),
                # Without it the first Codex starts a server that outlives it and that all others share.
                "--no-daemon",
                # Hooks that no person has reviewed on the screen are skipped in silence, ours too.
                "--dangerously-bypass-hook-trust",
                "-c",
                "check_for_update_on_startup=false",
                "-c",
                # A configuration that lies in the workdir could switch them off, the guard among them; agents can write it.
                "features.hooks=true",
                # Its search is done by the model's provider, so no hook sees it.
                *(() if job.policy.network else ("-c", 'web_search="disabled"')),
                *_hook_words(job),
                *model,
                *job.agent.args,
                "--",
            ),
            env=hooks.env(),
            pass_env=(*_PASS, *_key_names(job)),
            files={**hooks.files(), **guard.files(job)},
        )


def _hook_words(job: Job) -> Iterator[str]:
    commands = {event: (hooks.command(event), hooks.TIMEOUT_SECONDS) for event in _EVENTS}
    commands[guard.EVENT] = guard.command(job), guard.timeout(job)
    for event, (command, seconds) in commands.items():
        # A JSON string is a TOML string.
        hook = f"{{type='command',command={json.dumps(command, ensure_ascii=False)},timeout={seconds}}}"
        yield "-c"
        yield f"hooks.{event}=[{{hooks=[{hook}]}}]"


def _key_names(job: Job) -> tuple[str, ...]:
    """The variables that the person's model provider takes its key and headers from."""
    provider = codex_consents.read_config(job.environ).provider()
    names = [provider.get("env_key"), *dict(provider.get("env_http_headers", {})).values()]
    return tuple(name for name in names if isinstance(name, str))


def _key_missing(job: Job) -> Refusal | None:
    name = codex_consents.read_config(job.environ).provider().get("env_key")
    if name is None or job.environ.get(name) or not codex_consents.provider_is_certain(job):
        return None
    return Refusal(
        "codex-key-missing",
        fact=say("Codex takes its model provider's key from the variable {name}, which is not set here.", name=name),
        cause=say("It would show an error and wait."),
        remedy=say("Set {name} where the company is started.", name=name),
    )
