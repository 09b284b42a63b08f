"""What Codex asks people before it works, and where it keeps the answers: `$CODEX_HOME/config.toml` and `auth.json`.

Unattended it asks two things: a login, where its model provider needs one (a key in the environment does not count), and
trust in the folder, where that folder is a git repository or holds a `.codex` folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hermes_company.engines.asking import to_record
from hermes_company.engines.programs import home
from hermes_company.engines.repository import repository_root
from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job
from hermes_company.wording import say

CODES = {"login": "codex-not-logged-in", "trust": "codex-folder-not-trusted"}
_OPENAI = "openai"
# Words of an agent's profile that may choose another model provider than config.toml does.
_CHOOSE_PROVIDER = ("--oss", "--profile", "-p", "model_provider", "--local-provider")


@dataclass(frozen=True, slots=True)
class Config:
    """`config.toml` as text and as values; both empty where there is no such file."""

    file: Path
    text: str
    values: Mapping[str, Any]

    def provider(self) -> Mapping[str, Any]:
        """The settings of the model provider that it chooses; OpenAI's own needs a login."""
        name = self.values.get("model_provider", _OPENAI)
        chosen = _mapping(_mapping(self.values.get("model_providers")).get(name))
        return {"requires_openai_auth": name == _OPENAI, **chosen}


def provider_is_certain(job: Job) -> bool:
    """Whether the agent's own words leave the choice of the model provider to config.toml."""
    return not any(word.startswith(_CHOOSE_PROVIDER) for word in job.agent.args)


def read_config(environ: Mapping[str, str]) -> Config:
    """The person's configuration.

    Raises:
        Refusal: `codex-config-unreadable`.
    """
    file = _codex_home(environ) / "config.toml"
    return _parse(file, file.read_bytes() if file.exists() else b"")


def ask(job: Job) -> tuple[Consent, ...]:
    """Every question for this job, answered or not.

    Raises:
        Refusal: `codex-config-unreadable`.
    """
    config = read_config(job.environ)
    trust = _trust(job, config)
    return (_login(job, config), trust) if trust else (_login(job, config),)


def record(consents: Iterable[Consent]) -> None:
    """Write the person's yes into config.toml.

    Raises:
        Refusal: `codex-config-unreadable`, `engine-file-busy`, `engine-file-not-written`.
    """
    from hermes_company.engines.engine_file import rewrite  # few commands write

    for consent in to_record(consents):
        rewrite(consent.file, _trusting(consent))


def _codex_home(environ: Mapping[str, str]) -> Path:
    named = environ.get("CODEX_HOME")
    return Path(named) if named else home(environ) / ".codex"


def _login(job: Job, config: Config) -> Consent:
    file = config.file.with_name("auth.json")
    not_in_a_file = config.values.get("cli_auth_credentials_store", "file") != "file"
    needed = provider_is_certain(job) and config.provider()["requires_openai_auth"]
    return Consent(
        kind="login",
        question=say("Codex is not logged in: with ChatGPT, or with an API key?"),
        file=file,
        given=not needed or not_in_a_file or file.exists(),
        accepted=False,
        by_hand=say("Run `codex login`, or `printenv OPENAI_API_KEY | codex login --with-api-key`."),
    )


def _trust(job: Job, config: Config) -> Consent | None:
    workdir = job.workdir.resolve()
    root = repository_root(workdir)
    if root is None and not (workdir / ".codex").is_dir():
        return None
    folder = str(root or workdir)
    projects = _mapping(config.values.get("projects"))
    levels = {place: _mapping(projects.get(place)).get("trust_level") for place in (str(workdir), folder)}
    return Consent(
        kind="trust",
        question=say("Is {folder} trusted? Settings and hooks that lie in it may run commands.", folder=folder),
        file=config.file,
        subject=folder,
        given="trusted" in levels.values(),
        accepted="trust" in job.settings.accept,
        by_hand=None
        if _appendable(config, folder)
        else say("Set trust_level for {folder} in {file}.", folder=folder, file=str(config.file)),
    )


def _appendable(config: Config, folder: str) -> bool:
    """Whether an entry can be added without touching what a person wrote: not where there is one that says otherwise."""
    try:
        _values(_with_trust(config.text, folder))
    except ValueError:
        return False
    return True


def _with_trust(text: str, folder: str) -> str:
    import json

    ended = text if not text or text.endswith("\n") else f"{text}\n"
    # What JSON escapes in a string, TOML's basic strings read back.
    entry = f'[projects.{json.dumps(folder)}]\ntrust_level = "trusted"\n'
    return f"{ended}\n{entry}" if ended else entry


def _trusting(consent: Consent) -> Callable[[bytes | None], str]:
    def edit(before: bytes | None) -> str:
        after = _with_trust(_parse(consent.file, before or b"").text, consent.subject)
        return _parse(consent.file, after.encode()).text

    return edit


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _parse(file: Path, data: bytes) -> Config:
    try:
        text = data.decode()
        return Config(file, text, _values(text))
    except ValueError as problem:
        raise Refusal(
            "codex-config-unreadable",
            fact=say("{file} is not readable TOML: {problem}.", file=str(file), problem=str(problem)),
            cause=say("Codex would not start."),
            remedy=say("Repair the file, or put it aside."),
        ) from None


def _values(text: str) -> dict[str, Any]:
    import tomllib  # here and not above: every command imports this module, few read the file

    return tomllib.loads(text)
