"""Claude Code: https://code.claude.com. Runs unattended in its bypass permissions mode, reports through hooks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from hermes_company.domain.settings import EngineSettings
from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.engines import claude_consents, failures, guard, hooks, native_skills, sandbox, transcripts
from hermes_company.engines.asking import accepted, unanswered
from hermes_company.engines.programs import Program
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job, Launch, Readiness
from hermes_company.wording import say

NAME = "claude-code"
_PROGRAM = Program(NAME, "claude", "npm install -g @anthropic-ai/claude-code")

# How a person reaches their model. Nothing of a parent session: a nested Claude Code refuses to start, or answers for it.
_PASS = (
    "ANTHROPIC_*",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_EXTRA_BODY",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "AWS_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "CLOUD_ML_REGION",
    "VERTEX_REGION_*",
    "MAX_THINKING_TOKENS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DO_NOT_TRACK",
    "IS_SANDBOX",
)


class ClaudeCode:
    """See `Engine`."""

    name = NAME
    runner = "claude_runner.md"
    resumes = True
    transcript_words = transcripts.CLAUDE_WORDS

    def __init__(self, user: Callable[[], int] = os.geteuid) -> None:
        self._user = user

    def check(self, settings: EngineSettings, environ: Mapping[str, str]) -> Readiness:
        """See `Engine.check`."""
        return _PROGRAM.readiness(settings, environ)

    def preflight(self, job: Job) -> Refusal | None:
        """See `Engine.preflight`."""
        if self._user() == 0 and job.environ.get("IS_SANDBOX") != "1" and not job.settings.sandboxed:
            return _refuses_root()
        try:
            return unanswered(self.consents(job), claude_consents.CODES, job) or sandbox.claude_problem(job)
        except Refusal as unreadable:
            return unreadable

    def prepare(self, job: Job) -> Refusal | None:
        """See `Engine.prepare`."""
        refusal = self.preflight(job)
        if refusal is None:
            # The bypass mode is agreed to for this run alone, in its own settings file.
            self.grant(c for c in accepted(self.consents(job)) if c.kind != "bypass")
            native_skills.lay_out(job)
        return refusal

    def consents(self, job: Job) -> tuple[Consent, ...]:
        """See `Engine.consents`."""
        return claude_consents.ask(job)

    def grant(self, consents: Iterable[Consent]) -> None:
        """See `Engine.grant`."""
        claude_consents.record(consents)

    def start(self, job: Job) -> Launch:
        """See `Engine.start`. The conversation gets our id."""
        return self._launch(job, "--session-id")

    def resume(self, job: Job) -> Launch:
        """See `Engine.resume`. The conversation keeps its id."""
        return self._launch(job, "--resume")

    def read_signal(self, line: Mapping[str, object]) -> Signal | None:
        """See `Engine.read_signal`."""
        signal = hooks.read_signal(line)
        if signal is None or signal.kind is not SignalKind.TURN_FAILED:
            return signal
        said = str(line.get("said") or signal.error)
        return replace(signal, failure=failures.claude(signal.error or "", said, signal.at))

    def read_transcript(self, line: Mapping[str, object]) -> Signal | None:
        """See `Narrator.read_transcript`."""
        return transcripts.claude(line)

    def _launch(self, job: Job, conversation: str) -> Launch:
        model = ("--model", job.agent.model) if job.agent.model else ()
        # Not `--plugin-dir`: a plugin's skills lose every character of their names that is not ASCII.
        skills = native_skills.folder(job)
        return Launch(
            argv=(
                _PROGRAM.path(job.settings, job.environ),
                "--dangerously-skip-permissions",
                conversation,
                job.session_id,
                "--settings",
                str(job.run_dir / "settings.json"),
                *(("--add-dir", str(skills)) if skills else ()),
                *model,
                *job.agent.args,
                "--",
            ),
            env={
                **hooks.env(),
                # An update under a running company would change the engine between two attempts.
                "DISABLE_AUTOUPDATER": "1",
                # Its own number of retries takes three minutes; after half of that the company waits, with nothing running.
                "CLAUDE_CODE_MAX_RETRIES": job.environ.get("CLAUDE_CODE_MAX_RETRIES") or "8",
                **({"IS_SANDBOX": "1"} if job.settings.sandboxed else {}),
            },
            pass_env=_PASS,
            files={**hooks.files(), **guard.files(job), "settings.json": _settings(job)},
        )


def _settings(job: Job) -> str:
    """Settings for this run, on top of the person's own."""
    commands = {event: (hooks.command(event), hooks.TIMEOUT_SECONDS) for event in hooks.KINDS}
    commands[guard.EVENT] = guard.command(job), guard.timeout(job)
    settings: dict[str, object] = {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": command, "timeout": seconds}]}]
            for event, (command, seconds) in commands.items()
        },
        # Settings that lie in the workdir could switch all hooks off, the guard among them; agents can write them.
        "disableAllHooks": False,
        # … or lead what they call elsewhere.
        "env": {**hooks.env(), "HC_RUN_DIR": str(job.run_dir), "HC_OUTBOX": str(job.outbox), "HC_RUN_TOKEN": job.token},
        **sandbox.claude_settings(job),
        # What an agent learns goes through the company's memory, where a person approves it.
        "autoMemoryEnabled": False,
        # A suggested next prompt can be sent by a stray Enter (anthropics/claude-code#90755).
        "promptSuggestionEnabled": False,
    }
    bypass = [consent for consent in claude_consents.ask(job) if consent.kind == "bypass"]
    if not any(consent.missing for consent in bypass):
        settings["skipDangerousModePermissionPrompt"] = True
    return json.dumps(settings, indent=2)


def _refuses_root() -> Refusal:
    return Refusal(
        "claude-refuses-root",
        fact=say("Claude Code refuses its bypass permissions mode for the user root."),
        cause=say("It would end at once, because unattended work needs that mode."),
        remedy=say(
            "Run the company as another user. If this machine is a sandbox that may be lost, say so: "
            "`IS_SANDBOX=1` in the environment, or `engines.claude-code.sandboxed: true` in company.yaml."
        ),
    )
