"""Judges a tool call of an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hermes_company.domain.guard.calling import judge_call
from hermes_company.domain.guard.ground import Ground, Refused
from hermes_company.domain.guard.marks import disarm, show
from hermes_company.domain.guard.options import names
from hermes_company.domain.guard.patch import check_patch
from hermes_company.domain.guard.state import State
from hermes_company.domain.guard.walking import Walker

if TYPE_CHECKING:
    from hermes_company.wording import Text

_WRITING = frozenset(("Write", "Edit", "MultiEdit", "NotebookEdit"))
_NETWORK = frozenset(("WebFetch", "WebSearch", "web_search"))
# Tools that touch neither files nor other people's machines.
_HARMLESS = names(
    "Read Grep Glob LS view_image Agent Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite TodoRead "
    "Skill SendMessage ReportFindings ScheduleWakeup KillShell BashOutput ExitPlanMode EnterPlanMode AskUserQuestion "
    "ToolSearch update_plan get_goal create_goal update_goal request_user_input spawn_agent wait_agent wait send_input "
    "close_agent list_agents"
)
_PATHS = ("file_path", "notebook_path", "path")


class Asked(NamedTuple):
    """What a person has to say yes to: a command as the guard has understood it, and where it would run."""

    rule: str
    what: str
    # None where that can't be known.
    folder: str | None


class Verdict(NamedTuple):
    """Allowed, or refused by a rule with a sentence for the agent."""

    rule: str | None = None
    sentence: Text | None = None
    # Set where the refusal holds only until a person has approved this.
    asked: Asked | None = None

    @property
    def allowed(self) -> bool:
        return self.rule is None


class World(NamedTuple):
    """What the guard has to ask the machine."""

    # The variables that a command would see.
    environ: Mapping[str, str]
    # Follows the links in an absolute path, which need not exist.
    resolve: Callable[[str], str]
    # The text of a shell script, by its absolute path; None for every other file.
    read: Callable[[str], str | None]


def judge(ground: Ground, world: World, tool: str, given: Mapping[str, Any], cwd: str) -> Verdict:
    """Whether a tool may be called.

    Args:
        tool: its name, as the engine reports it; `given` is its input.
        cwd: where it would run, absolute.
    """
    walker = Walker(ground, world.resolve, world.read, judge_call)
    try:
        _check(walker, State(cwd, world.environ), tool, given)
    except Refused as refused:
        # Not at the top: calls that are allowed need no words, and every call pays for its imports.
        from hermes_company.domain.guard.sentences import sentence

        shown = Refused(refused.rule, **{key: show(value)[:300] for key, value in refused.values.items()})
        values = refused.values
        asked = Asked(values["asks"], values["what"], values["folder"] or None) if refused.rule == "ask" else None
        return Verdict(refused.rule, sentence(shown), asked)
    return Verdict()


def _check(walker: Walker, state: State, tool: str, given: Mapping[str, Any]) -> None:
    command = given.get("command")
    paths = [disarm(given[key]) for key in _PATHS if isinstance(given.get(key), str)]
    if tool in _NETWORK and not walker.ground.network:
        raise Refused("network")
    if tool == "apply_patch" and isinstance(command, str):
        check_patch(walker, command, state)
    elif isinstance(command, str):
        walker.script(disarm(command), state)
    elif tool in _WRITING and paths:
        for path in paths:
            walker.change(path, state)
    elif tool not in _HARMLESS and tool not in _NETWORK:
        walker.ground.unsure(tool)
    for path in paths:
        place = walker.place(path, state)
        if place is not None:
            walker.places.read(place)
