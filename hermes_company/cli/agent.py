"""`hc agent`: who works in the company."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door
from hermes_company.cli.words import columns, listed, since
from hermes_company.errors import Refusal
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.domain.agent import Agent, UnreadableAgent
    from hermes_company.domain.custom import CustomCommand

app = Commands()

_Name = Annotated[str, Argument(metavar="NAME", help="The agent's name.")]


@command(app, "add", help="Hire an agent.")
def add(
    door: Door,
    name: _Name,
    engine: Annotated[str, Option("--engine", metavar="ENGINE", help="What it works with: claude-code, codex, shell, custom.")],
    role: Annotated[str, Option("--role", help="Its job, in one line.")] = "",
    skills: Annotated[str, Option("--skills", metavar="A,B", help="What it is good at; tickets are matched by it.")] = "",
    model: Annotated[str | None, Option("--model", help="The engine's model.")] = None,
    capacity: Annotated[int, Option("--capacity", help="How many tickets it works on at the same time.")] = 1,
    timeout_minutes: Annotated[float | None, Option("--timeout-minutes", help="Time limit of one attempt.")] = None,
    env: Annotated[str, Option("--env", metavar="A,B", help="Names of variables that are passed through to it.")] = "",
    command_line: Annotated[
        str, Option("--command", metavar="WORDS", help="For custom: its whole command line, in quotes.")
    ] = "",
) -> None:
    """Make the agent's folder; say so when its engine can't work yet."""
    from hermes_company.domain.agent import Agent
    from hermes_company.engines.registry import get_engine

    company = door.company
    used = company.engines.get(engine) or get_engine(engine)
    agent = Agent(
        name=name,
        engine=engine,
        role=role,
        skills=listed(skills),
        model=model,
        capacity=capacity,
        timeout_minutes=timeout_minutes or company.settings.timeout_minutes,
        env=listed(env),
        custom=_custom(command_line) if command_line or engine == "custom" else None,
    )
    folder = company.agents.create(agent, lang=company.settings.lang)
    company.protection.vouch((folder,))
    place = folder.relative_to(company.layout.root)
    door.tell(say("{name} works here now. Who it is stands in {file}: edit it.", name=name, file=place / "profile.md"))
    missing = used.check(company.sight.engine_settings(engine), door.environ).refusal
    if missing:
        door.warn(missing.fact, missing.remedy)
    elif engine != "shell":
        door.tell(say("`hc agent prepare {name}` answers what {engine} asks before it works alone.", name=name, engine=engine))


def _custom(command_line: str) -> CustomCommand:
    """The command that was given, split into words as a shell would, and never seen by one."""
    import shlex

    from hermes_company.domain.custom import CustomCommand

    try:
        words = tuple(shlex.split(command_line))
    except ValueError:
        words = ()
    if words:
        return CustomCommand(command=words)
    raise Refusal(
        "custom-no-command",
        fact=say("`--command` holds no command line: `{command}`.", command=command_line),
        cause=say("An agent with engine custom needs a program."),
        remedy=say("Give it, e.g. --command 'tool --auto {{prompt}}'; quotes must be closed."),
    )


@command(app, "list", help="Show all agents and what they do.", shows=True)
def list_agents(door: Door) -> None:
    """One line an agent."""
    from hermes_company.cli.report import agent_json, agent_row, agent_rows
    from hermes_company.cli.seeing import look

    seen = look(door.company)
    rows = list(agent_rows(seen))
    if door.as_json:
        door.json([agent_json(row) for row in rows])
    elif rows:
        door.line("\n".join(columns([agent_row(row, seen.now, door.lang) for row in rows], most=door.columns, indent=0)))
    else:
        door.tell(say("Nobody works here yet: `hc agent add NAME --engine …`."))


@command(app, "show", help="Show one agent.", shows=True)
def show(door: Door, name: _Name) -> None:
    """Profile, engine, work."""
    from hermes_company.cli.seeing import look
    from hermes_company.domain.agent import Agent

    agent = door.company.agents.read(name)
    seen = look(door.company)
    work = [run for run in seen.running.values() if run.agent == name]
    refusal = seen.facts.engines.get(agent.engine) if isinstance(agent, Agent) else None
    if door.as_json:
        tickets = [{"ticket": run.ticket, "since": run.taken_at.isoformat()} for run in work]
        problem = {"engine_problem": refusal.to_json() if refusal else None}
        door.json({**_profile(agent), **problem, "tickets": tickets})
        return
    rows = [(key, _shown(value)) for key, value in _profile(agent).items() if key != "identity" and value not in (None, [], "")]
    door.line("\n".join(columns(rows, most=door.columns, indent=0)))
    for run in work:
        door.tell(
            say(
                "{ticket} {since}: `hc attach {name}` shows it.",
                ticket=run.ticket,
                since=since(run.taken_at, seen.now),
                name=name,
            )
        )
    if refusal:
        door.warn(refusal.fact, refusal.remedy)
    if isinstance(agent, Agent) and agent.identity:
        door.line(f"\n{agent.identity.rstrip()}")


def _profile(agent: Agent | UnreadableAgent) -> dict[str, object]:
    from hermes_company.domain.agent import UnreadableAgent

    if isinstance(agent, UnreadableAgent):
        return {
            "name": agent.name,
            "code": agent.code,
            "path": agent.path,
            "line": agent.line,
            "reason": agent.reason.in_lang("en"),
            "remedy": agent.remedy.in_lang("en"),
        }
    return {
        "name": agent.name,
        "engine": agent.engine,
        "role": agent.role,
        "skills": list(agent.skills),
        "skills_pack": list(agent.skills_pack),
        "model": agent.model,
        "capacity": agent.capacity,
        "timeout_minutes": agent.timeout_minutes,
        "env": list(agent.env),
        "args": list(agent.args),
        "memory": agent.memory,
        "command": list(agent.custom.command) if agent.custom else [],
        "identity": agent.identity,
    }


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@command(app, "prepare", help="Answer beforehand what the agent's engine would ask on its screen.")
def prepare(
    door: Door,
    name: _Name,
    workdir: Annotated[
        list[Path] | None, Option("--workdir", metavar="FOLDER", help="A folder that it is going to work in.")
    ] = None,
    yes: Annotated[bool, Option("--yes", help="Say yes to all of them.")] = False,
) -> None:
    """Ask the person each open question, and record the answers where the engine keeps them."""
    from hermes_company.cli.consents import prepare_agent

    prepare_agent(door, name, [door.cwd / folder.expanduser() for folder in workdir or ()], yes=yes)
