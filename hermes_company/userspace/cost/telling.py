"""Tells once, as an event, that a budget is nearly used up, and once that it is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hermes_company.domain.budget import Scope, Use
from hermes_company.ports.events import Events
from hermes_company.ports.files import WriteText
from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.wording import Lang

_MOST_BYTES = 1_048_576


class BudgetTeller:
    """Remembers in a file what was told, so that a restart repeats nothing; without it, it is told once more.

    Args:
        path: that file.
        write: replaces it.
        events: where it is told.
        currency, lang: of what is said.
    """

    def __init__(self, path: Path, *, write: WriteText, events: Events, currency: str, lang: Lang) -> None:
        self._path = path
        self._write = write
        self._events = events
        self._currency = currency
        self._lang = lang
        self._told: set[str] | None = None

    def tell(self, uses: Iterable[Use], today: str) -> None:
        """Tell what is new of these; what was told of other days is forgotten."""
        fresh = {self._key(use, today): use for use in uses if use.warns or use.used_up}
        told = self._load()
        for key, use in fresh.items():
            if key not in told:
                self._append(use)
        kept = {key for key in told if key.endswith((f" {today}", " -"))} | set(fresh)
        if kept != told:
            self._told = kept
            self._write(self._path, json.dumps(sorted(kept), ensure_ascii=False))

    def _append(self, use: Use) -> None:
        data = {
            "scope": use.scope.value,
            "name": use.name,
            "share": round(use.share, 4),
            "says": use.says(self._currency).in_lang(self._lang),
        }
        ticket = use.name if use.scope is Scope.TICKET else None
        agent = use.name if use.scope is Scope.AGENT_DAY else None
        kind = "budget.used_up" if use.used_up else "budget.warning"
        self._events.append(kind, ticket=ticket, agent=agent, data=data)

    def _key(self, use: Use, today: str) -> str:
        # A budget that a person has raised is another one.
        limits = f"{use.budget.tokens}/{use.budget.money:g}"
        day = "-" if use.scope is Scope.TICKET else today
        return f"{use.scope.value} {use.name} {limits} {'used_up' if use.used_up else 'warning'} {day}"

    def _load(self) -> set[str]:
        if self._told is None:
            try:
                raw = json.loads(read_text(self._path, _MOST_BYTES))
                self._told = {str(key) for key in raw} if isinstance(raw, list) else set()
            except (FileNotFoundError, Unreadable, ValueError):
                self._told = set()
        return self._told
