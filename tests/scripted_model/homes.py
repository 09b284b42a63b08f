"""Homes for the real CLIs in which no start-up dialog opens and no account is needed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

API_KEY = "sk-ant-scripted-000000000000000000000000000000000000"
_KEY_TAIL = 20


def seed_claude(folder: Path, trusted: Sequence[Path]) -> dict[str, str]:
    """Everything that Claude Code asks at first is answered; `trusted` folders cover those below them."""
    config = folder / ".claude"
    config.mkdir(parents=True, exist_ok=True)
    state = {
        "hasCompletedOnboarding": True,
        "customApiKeyResponses": {"approved": [API_KEY[-_KEY_TAIL:]], "rejected": []},
        "projects": {str(place.resolve()): {"hasTrustDialogAccepted": True} for place in trusted},
    }
    (config / ".claude.json").write_text(json.dumps(state))
    (config / "settings.json").write_text(json.dumps({"skipDangerousModePermissionPrompt": True}))
    return {
        "HOME": str(folder),
        "CLAUDE_CONFIG_DIR": str(config),
        "ANTHROPIC_API_KEY": API_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        # The tests' machine is one that may be lost; without it Claude Code refuses to work as root.
        "IS_SANDBOX": "1",
    }


def seed_codex(folder: Path, url: str, trusted: Sequence[Path]) -> dict[str, str]:
    """A Codex home whose model provider is ours; `trusted` names folders one by one."""
    config = folder / ".codex"
    config.mkdir(parents=True, exist_ok=True)
    projects = [f'[projects.{json.dumps(str(place.resolve()))}]\ntrust_level = "trusted"\n' for place in trusted]
    provider = f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n'
    head = f'model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\n{provider}\n'
    (config / "config.toml").write_text(head + "\n".join(projects))
    return {"HOME": str(folder), "CODEX_HOME": str(config), "SCRIPTED_KEY": API_KEY}


def seed_gemini(folder: Path, url: str) -> dict[str, str]:
    """A Gemini CLI home that has chosen the API key as its login."""
    config = folder / ".gemini"
    config.mkdir(parents=True, exist_ok=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (config / "settings.json").write_text(json.dumps(settings))
    return {"HOME": str(folder), "GEMINI_API_KEY": API_KEY, "GOOGLE_GEMINI_BASE_URL": url}


def seed_opencode(folder: Path, url: str) -> dict[str, str]:
    """An OpenCode home whose only model is ours; nothing is fetched or updated."""
    config = folder / ".config" / "opencode"
    config.mkdir(parents=True, exist_ok=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "{env:SCRIPTED_KEY}"},
        "models": {"scripted": {}},
    }
    settings = {"autoupdate": False, "share": "disabled", "model": "scripted/scripted", "provider": {"scripted": provider}}
    (config / "opencode.json").write_text(json.dumps(settings))
    offline = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}
    return {"HOME": str(folder), "SCRIPTED_KEY": API_KEY, **offline}
