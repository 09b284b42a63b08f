"""What one attempt may do, as it was fixed when the attempt was started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hermes_company.domain.guard.marks import STAR


class Refused(Exception):
    """A rule forbids it. `values` fill in the rule's sentence."""

    def __init__(self, rule: str, **values: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.values = values


class Ground:
    """A policy with every path resolved: absolute, links followed.

    Args:
        raw: what `Policy.frozen` gave: `write`, `protect`, `secrets` (lists of paths), `rules` (name → level), `refuse`,
            `ask` (lists of commands), `strict`, `network`, `socket`.
    """

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.writable: Sequence[str] = raw["write"]
        self.protected: Sequence[str] = raw["protect"]
        self.secrets: Sequence[str] = raw["secrets"]
        self.refused = [command.replace("*", STAR).split() for command in raw["refuse"]]
        self.asked = [command.replace("*", STAR).split() for command in raw["ask"]]
        self.strict: bool = raw["strict"]
        self.network: bool = raw["network"]
        # The company's own tmux server.
        self.socket: str = raw["socket"]
        self._levels: Mapping[str, str] = raw["rules"]
        # The folder of the call that is judged at the moment; None while it isn't known.
        self.folder: str | None = None
        # What a person has approved, and in which folder.
        self.approved: set[tuple[str, str | None]] = set()

    def ask(self, rule: str, what: str) -> None:
        """Refuse `what` until a person has approved it there."""
        if (what, self.folder) not in self.approved:
            raise Refused("ask", asks=rule, what=what, folder=self.folder or "")

    def forbid(self, rule: str, what: str) -> None:
        """Refuse `what`, unless the policy allows what the rule is about."""
        level = self._levels[rule]
        if level == "ask":
            self.ask(rule, what)
        if level == "refuse":
            raise Refused(rule, what=what)

    def unsure(self, what: str) -> None:
        """Refuse what can't be understood, where the policy is strict."""
        if self.strict:
            raise Refused("strict", what=what)
