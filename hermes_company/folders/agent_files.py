"""`agents/<name>`: people's `profile.json` and `profile.md`, and our `runtime.json`."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hermes_company.domain.agent import Agent, AgentStatus, UnreadableAgent
from hermes_company.domain.names import is_agent_name
from hermes_company.domain.settings import Settings
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import create_exclusive, write_atomic
from hermes_company.folders.layout import Layout
from hermes_company.folders.people_file import UnreadableFile, read_people_file
from hermes_company.folders.profile_json import BadProfile, parse_profile, render_profile
from hermes_company.wording import Lang, Text, say

# Inode, size and change time: an edit, a replacement and a change of permissions all show.
_Signature = tuple[int, int, int] | None
_Signatures = tuple[_Signature, _Signature]


class AgentFiles:
    """`AgentBook` on the company's folders. Files that did not change are not read again.

    Args:
        layout: the company.
        settings: the time limit of agents that name none, and the tmux session that `runtime.json` tells of.
    """

    def __init__(self, layout: Layout, settings: Settings) -> None:
        self._layout = layout
        self._settings = settings
        self._read: dict[str, tuple[_Signatures, Agent | UnreadableAgent]] = {}
        self._reported: dict[str, str] = {}

    def all(self) -> Mapping[str, Agent | UnreadableAgent]:
        """Every agent folder by name, in the order of the names. Hidden folders and plain files are none."""
        try:
            with os.scandir(self._layout.agents) as entries:
                names = sorted(entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir())
        except FileNotFoundError:
            names = []
        self._read = {name: seen for name, seen in self._read.items() if name in names}
        return {name: self._agent(name) for name in names}

    def read(self, name: str) -> Agent | UnreadableAgent:
        """One agent.

        Raises:
            Refusal: `agent-unknown`.
        """
        if not is_agent_name(name) or not self._layout.agent(name).is_dir():
            raise _unknown(name, self.all())
        return self._agent(name)

    def create(self, agent: Agent, *, lang: Lang) -> Path:
        """Make the folder of a new agent; without an identity it gets a short one to start from. Returns the folder.

        Raises:
            Refusal: `agent-bad-name`, `agent-exists`, or the code of a value that could not be read back.
        """
        profile = _checked_profile(agent)
        folder = self._layout.agent(agent.name)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            create_exclusive(self._layout.profile_json(agent.name), profile)
        except FileExistsError:
            raise Refusal(
                "agent-exists",
                fact=say("There is an agent {name} already.", name=agent.name),
                cause=say("Its profile is a person's file and is never overwritten."),
                remedy=say("Take another name, or edit agents/{name}/profile.json.", name=agent.name),
            ) from None
        if not self._layout.profile_md(agent.name).exists():
            create_exclusive(self._layout.profile_md(agent.name), agent.identity or _first_identity(agent, lang))
        return folder

    def report(self, agent: Agent, status: AgentStatus, *, current: str | None, heartbeat: str | None) -> None:
        """See `AgentBook.report`. An agent whose folder a person deleted meanwhile is passed over.

        Nothing depends on the file: where it can't be written, that is logged and holds nobody up.
        """
        runtime = {
            "agent": agent.name,
            "engine": agent.engine,
            "container": "tmux",
            "tmux_session": self._settings.tmux.session,
            "tmux_window": f"agent_{agent.name}",
            "status": status.value,
            "current_task": current,
            "last_heartbeat": heartbeat,
        }
        text = json.dumps(runtime, ensure_ascii=False, indent=2) + "\n"
        if self._reported.get(agent.name) == text:
            return
        try:
            write_atomic(self._layout.runtime_json(agent.name), text, durable=False)
        except FileNotFoundError:
            return
        except OSError as problem:
            import logging  # what only reads gets by without

            where = self._layout.runtime_json(agent.name)
            logging.getLogger(__name__).warning("%s is not written: %s", where, problem)
        self._reported[agent.name] = text

    def _agent(self, name: str) -> Agent | UnreadableAgent:
        signatures = (_signature(self._layout.profile_json(name)), _signature(self._layout.profile_md(name)))
        seen = self._read.get(name)
        if seen is None or seen[0] != signatures:
            seen = (signatures, self._read_now(name))
            self._read[name] = seen
        return seen[1]

    def _read_now(self, name: str) -> Agent | UnreadableAgent:
        if not is_agent_name(name):
            return self._unreadable(name, self._layout.agent(name), "agent-bad-name", _bad_name(name), _name_remedy())
        path = self._layout.profile_json(name)
        try:
            text = read_people_file(self._layout.root, path)
            agent = parse_profile(name, text, default_timeout=self._settings.timeout_minutes)
            path = self._layout.profile_md(name)
            return replace(agent, identity=self._identity(path))
        except FileNotFoundError:
            reason = say("The folder holds no profile.json.")
            remedy = say("Put one there, or make the agent with `hc agent add {name}`.", name=name)
            return self._unreadable(name, path, "agent-no-profile", reason, remedy)
        except UnreadableFile as problem:
            reason = say("{file} was not read: {reason}.", file=path.name, reason=problem.reason)
            remedy = say("Put a UTF-8 text file of at most 64 KB there.")
            return self._unreadable(name, path, "agent-unreadable", reason, remedy, problem.line)
        except BadProfile as problem:
            return self._unreadable(name, path, problem.code, problem.reason, problem.remedy, problem.line)

    def _identity(self, path: Path) -> str:
        """The text of profile.md; an agent may do without one."""
        try:
            return read_people_file(self._layout.root, path)
        except FileNotFoundError:
            return ""

    def _unreadable(
        self, name: str, path: Path, code: str, reason: Text, remedy: Text, line: int | None = None
    ) -> UnreadableAgent:
        where = path.relative_to(self._layout.root).as_posix()
        return UnreadableAgent(name=name, path=where, code=code, reason=reason, remedy=remedy, line=line)


def _checked_profile(agent: Agent) -> str:
    """The profile's text, once it is known to be read back as the same agent."""
    if not is_agent_name(agent.name):
        cause = say("The name becomes a folder and a tmux window.")
        raise Refusal("agent-bad-name", fact=_bad_name(agent.name), cause=cause, remedy=_name_remedy())
    profile = render_profile(agent)
    try:
        parse_profile(agent.name, profile)
    except BadProfile as problem:
        cause = say("An agent with such a profile would never get a ticket.")
        remedy = say("Give that value in the form that is wanted.")
        raise Refusal(problem.code, fact=problem.reason, cause=cause, remedy=remedy) from None
    return profile


def _signature(path: Path) -> _Signature:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_ctime_ns


def _unknown(name: str, known: Mapping[str, object]) -> Refusal:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        remedy = say("Did you mean `{close}`?", close=close[0])
    elif known:
        remedy = say("There are: {known}.", known=", ".join(known))
    else:
        remedy = say("Make one with `hc agent add {name}`.", name=name)
    return Refusal(
        "agent-unknown",
        fact=say("There is no agent {name}.", name=name),
        cause=say("Nobody would do its tickets."),
        remedy=remedy,
    )


def _bad_name(name: str) -> Text:
    return say("{name} can't be an agent's name.", name=name)


def _name_remedy() -> Text:
    return say("Take letters A-Z a-z, digits, `_` and `-` only, at most 40.")


def _first_identity(agent: Agent, lang: Lang) -> str:
    heading = f"# {agent.name}\n\n"
    if agent.role:
        sentence = say("You are {name}, {role}.", name=agent.name, role=agent.role)
    else:
        sentence = say("You are {name}.", name=agent.name)
    habits = say("You finish what you start, check your work by running it, and say plainly what you could not do.")
    return f"{heading}{sentence.in_lang(lang)}{'' if lang == 'zh' else ' '}{habits.in_lang(lang)}\n"
