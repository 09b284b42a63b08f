"""Examining the company's folders: what lies in them, and what they lie on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from hermes_company.domain.settings import Settings
from hermes_company.errors import Refusal
from hermes_company.folders.agent_files import AgentFiles
from hermes_company.folders.board import FolderBoard
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.examine_log import check_clocks, check_events
from hermes_company.folders.examine_machine import (
    MOUNTS,
    check_file_system,
    check_git,
    check_renames,
    check_room,
    check_watching,
)
from hermes_company.folders.examine_private import check_private
from hermes_company.folders.examine_runs import check_loop, check_runs
from hermes_company.folders.examine_tickets import check_agents, check_tickets
from hermes_company.folders.examine_tree import check_folders, check_owner, check_prompts
from hermes_company.folders.layout import Layout
from hermes_company.folders.policy_file import read_policy
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.settings_file import read_settings
from hermes_company.ports.clock import Clock
from hermes_company.ports.doctor import Finding, bad, gather, well
from hermes_company.wording import say


class FolderExaminer:
    """`Examiner` of the company's tree and of the disk below it.

    Args:
        layout: the company.
        clock: against which time stamps are held.
        environ: where programs are looked up.
        runners: the prompt template of every engine that there is.
        mounts: the system's list of mounted file systems.
        user: who runs `hc`.
    """

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        environ: Mapping[str, str],
        *,
        runners: Mapping[str, str],
        mounts: Path = MOUNTS,
        user: Callable[[], int] = os.geteuid,
    ) -> None:
        self._layout = layout
        self._clock = clock
        self._environ = environ
        self._runners = runners
        self._mounts = mounts
        self._user = user

    def examine(self) -> Sequence[Finding]:
        """See `Examiner.examine`. Without a company.yaml that can be read, the rest is held against the defaults."""
        layout, settings = self._layout, self._settings() or Settings()
        agents = AgentFiles(layout, settings)
        runs = RunFiles(layout)
        events = EventLog(layout.events_file, self._clock)
        board = FolderBoard(layout, self._clock, settings.settle_seconds)
        return gather(
            self._check_settings,
            self._check_policy,
            partial(check_folders, layout),
            partial(check_owner, layout, self._user()),
            partial(check_prompts, layout, settings, agents, self._runners),
            partial(check_agents, agents),
            partial(check_tickets, layout, board),
            partial(check_private, layout, self._clock),
            partial(check_loop, layout, runs, settings, self._clock),
            partial(check_runs, layout, runs),
            partial(check_events, layout),
            partial(check_clocks, layout, events, self._clock),
            partial(check_file_system, layout, self._mounts),
            partial(check_renames, layout),
            partial(check_room, layout),
            partial(check_watching, layout),
            partial(check_git, layout, self._environ),
        )

    def _settings(self) -> Settings | None:
        try:
            return read_settings(self._layout)
        except Refusal:
            return None

    def _check_settings(self) -> Iterator[Finding]:
        try:
            read_settings(self._layout)
        except Refusal as problem:
            yield bad(problem)
        else:
            yield well("settings", say("company.yaml is understood."))

    def _check_policy(self) -> Iterator[Finding]:
        try:
            read_policy(self._layout)
        except Refusal as problem:
            yield bad(problem)
        else:
            yield well("policy", say("company/policy.yaml is understood."))
