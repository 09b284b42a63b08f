"""A second look for secrets, by a scanner that others keep up to date (`hc[secrets]`), before anything is stored.

Whoever asks for it gets it or nothing: where it can't be loaded or fails, what was to be stored is not.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hermes_company.domain.redaction import Redacted, redact
from hermes_company.errors import Refusal
from hermes_company.wording import Text, say

Redact = Callable[[str], Redacted]
KINGFISHER = "kingfisher"
MODULE = "kingfisher_sdk"


class ScannerFailed(Exception):
    """The scanner can't be had, or did not do its work; nothing may be stored meanwhile."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.fact} {refusal.remedy}")
        self.refusal = refusal


class Kingfisher:
    """Our own rules first, then those of MongoDB's Kingfisher on what they leave. It never asks a network.

    Args:
        cache: where its compiled rules may lie; compiling them takes seconds, loading them a fraction of one.
        load: imports a module.
    """

    def __init__(self, cache: Path, *, load: Callable[[str], Any] = importlib.import_module) -> None:
        self._cache = cache
        self._load = load
        self._scanner: Any = None

    def problem(self) -> Refusal | None:
        """Why it can't be had, if it can't; without waiting for its rules."""
        try:
            self._load(MODULE)
        except ImportError as problem:
            return missing(say("{problem}", problem=problem))
        return None

    def __call__(self, text: str) -> Redacted:
        """`text` without secrets.

        Raises:
            ScannerFailed: nothing can be said about it.
        """
        ours = redact(text)
        if self._scanner is None:
            self._scanner = self._make()
        clean = ours
        for rule, secret in self._found(ours.text):
            clean = _without(clean, rule, secret)
        return clean

    def _make(self) -> Any:
        try:
            module = self._load(MODULE)
            self._cache.mkdir(parents=True, exist_ok=True)
            # Decoded Base64 has no place in the text that could be taken out.
            return module.Scanner(module.Rules(cache_dir=self._cache), base64=False)
        except ImportError as problem:
            raise ScannerFailed(missing(say("{problem}", problem=problem))) from None
        except (OSError, RuntimeError, TypeError, ValueError, AttributeError) as problem:
            raise ScannerFailed(_failed(say("{problem}", problem=problem))) from None

    def _found(self, text: str) -> list[tuple[str, str]]:
        try:
            found = [(str(f.rule_id), str(f.secret)) for f in self._scanner.scan(text) if f.visible]
        except (OSError, RuntimeError, TypeError, ValueError, AttributeError) as problem:
            raise ScannerFailed(_failed(say("{problem}", problem=problem))) from None
        # The longest first: one may be a part of another.
        return sorted(found, key=lambda pair: -len(pair[1]))


def _without(clean: Redacted, rule: str, secret: str) -> Redacted:
    if not secret.strip() or secret not in clean.text:
        return clean
    name = "".join(c if c.isalnum() else "_" for c in rule)
    text = clean.text.replace(secret, f"[REDACTED:{name}]")
    return replace(clean, text=text, count=clean.count + 1, rules=tuple(sorted({*clean.rules, name})))


def missing(problem: Text) -> Refusal:
    """The scanner is asked for and is not installed."""
    return Refusal(
        "secret-scanner-missing",
        fact=say("`learning.scanner` asks for Kingfisher, which can't be loaded: {problem}.", problem=problem),
        cause=say("Nothing that was learned is stored until it can: it might hold secrets."),
        remedy=say("Install `hermes-company[secrets]` where `hc` is installed, or take the line out of company.yaml."),
    )


def _failed(problem: Text) -> Refusal:
    return Refusal(
        "secret-scanner-failed",
        fact=say("Kingfisher failed: {problem}.", problem=problem),
        cause=say("Nothing that was learned is stored until it can: it might hold secrets."),
        remedy=say("Install another version of it, or take `learning.scanner` out of company.yaml."),
    )
