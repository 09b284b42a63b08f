"""What Claude Code asks people before it works, and where it keeps the answers.

In the order in which its dialogs open: onboarding, trust in the folder, a custom API key (default: no), the warning of the
bypass mode (default: exit).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hermes_company.engines.asking import to_record
from hermes_company.engines.programs import home
from hermes_company.engines.repository import repository_root
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job
from hermes_company.wording import say

CODES = {
    "onboarding": "claude-not-onboarded",
    "trust": "claude-folder-not-trusted",
    "api-key": "claude-api-key-not-approved",
    "bypass": "claude-bypass-not-accepted",
}
# A key is told from others by its end; Claude Code keeps no more of it either.
_KEY_TAIL = 20
_LOGINS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
)


def ask(job: Job) -> tuple[Consent, ...]:
    """Every question for this job, answered or not.

    Raises:
        Refusal: `claude-config-unreadable`.
    """
    folder = _folder(job.environ)
    file = _state_file(job.environ)
    state = _read(file)
    asked = [_onboarding(job, folder, file, state), _trust(job, file, state)]
    key = job.environ.get("ANTHROPIC_API_KEY", "").strip()
    if key:
        asked.append(_api_key(job, file, state, key[-_KEY_TAIL:]))
    return (*asked, _bypass(job, folder / "settings.json", state))


def record(consents: Iterable[Consent]) -> None:
    """Write the person's yes into Claude Code's files.

    Raises:
        Refusal: `claude-config-unreadable`, `engine-file-busy`, `engine-file-not-written`.
    """
    from hermes_company.engines.engine_file import rewrite  # few commands write

    for consent in to_record(consents):
        rewrite(consent.file, _edited(consent), lock_folder=True)


def _folder(environ: Mapping[str, str]) -> Path:
    named = environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else home(environ) / ".claude"


def _state_file(environ: Mapping[str, str]) -> Path:
    older = _folder(environ) / ".config.json"
    if older.exists():
        return older
    named = environ.get("CLAUDE_CONFIG_DIR")
    return (Path(named) if named else home(environ)) / ".claude.json"


def _onboarding(job: Job, folder: Path, file: Path, state: Mapping[str, Any]) -> Consent:
    logged_in = any(job.environ.get(name) for name in _LOGINS) or (folder / ".credentials.json").exists()
    return Consent(
        kind="onboarding",
        question=say("Claude Code was never set up here: which colours, which login?"),
        file=file,
        given=state.get("hasCompletedOnboarding") is True,
        accepted="onboarding" in job.settings.accept,
        by_hand=None if logged_in else say("Start `claude` once in a terminal and log in."),
    )


def _trust(job: Job, file: Path, state: Mapping[str, Any]) -> Consent:
    workdir = job.workdir.resolve()
    places = {workdir, *workdir.parents, repository_root(workdir)}
    projects = _mapping(state.get("projects"))
    return Consent(
        kind="trust",
        question=say("Is {folder} trusted? Settings and hooks that lie in it may run commands.", folder=str(workdir)),
        file=file,
        subject=str(workdir),
        given=any(_mapping(projects.get(str(place))).get("hasTrustDialogAccepted") is True for place in places),
        accepted="trust" in job.settings.accept,
    )


def _api_key(job: Job, file: Path, state: Mapping[str, Any], tail: str) -> Consent:
    answers = _mapping(state.get("customApiKeyResponses"))
    # A key that was turned down before is passed over in silence: no dialog either.
    answered = (*_list(answers.get("approved")), *_list(answers.get("rejected")))
    return Consent(
        kind="api-key",
        question=say("May the API key from the environment that ends in {end} be used and billed?", end=f"…{tail[-4:]}"),
        file=file,
        subject=tail,
        given=tail in answered,
        accepted="api-key" in job.settings.accept,
    )


def _bypass(job: Job, file: Path, state: Mapping[str, Any]) -> Consent:
    said = _read(file).get("skipDangerousModePermissionPrompt") is True
    return Consent(
        kind="bypass",
        question=say("May Claude Code run every command and change every file without asking (bypass permissions mode)?"),
        file=file,
        given=said or state.get("bypassPermissionsModeAccepted") is True,
        accepted="bypass" in job.settings.accept,
    )


def _edited(consent: Consent) -> Callable[[bytes | None], str]:
    def edit(before: bytes | None) -> str:
        values = _parse(consent.file, before)
        if consent.kind == "onboarding":
            values["hasCompletedOnboarding"] = True
        elif consent.kind == "trust":
            _below(_below(values, "projects"), consent.subject)["hasTrustDialogAccepted"] = True
        elif consent.kind == "api-key":
            answers = _below(values, "customApiKeyResponses")
            answers["approved"] = [*_list(answers.get("approved")), consent.subject]
        else:
            values["skipDangerousModePermissionPrompt"] = True
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    return edit


def _below(values: dict[str, Any], key: str) -> dict[str, Any]:
    values[key] = dict(_mapping(values.get(key)))
    inner: dict[str, Any] = values[key]
    return inner


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(file: Path) -> dict[str, Any]:
    try:
        return _parse(file, file.read_bytes())
    except FileNotFoundError:
        return {}


def _parse(file: Path, data: bytes | None) -> dict[str, Any]:
    if data is None:
        return {}
    try:
        values = json.loads(data)
    except ValueError as problem:
        raise _unreadable(file, str(problem)) from None
    if not isinstance(values, dict):
        raise _unreadable(file, "not an object")
    return values


def _unreadable(file: Path, problem: str) -> Refusal:
    return Refusal(
        "claude-config-unreadable",
        fact=say("{file} is not readable JSON: {problem}.", file=str(file), problem=problem),
        cause=say("Claude Code would stop and ask whether to reset it."),
        remedy=say("Repair the file, or put it aside and start `claude` once."),
    )
