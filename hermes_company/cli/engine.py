"""`hc engine`: what agents work with, and engines that are left alone after failing again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hermes_company.cli.commands import Argument, Commands, command
from hermes_company.cli.door import Door
from hermes_company.cli.words import columns
from hermes_company.wording import Text, say

if TYPE_CHECKING:
    from hermes_company.errors import Refusal

app = Commands()


@command(app, "list", help="Show the engines and whether they can start.", shows=True)
def list_engines(door: Door) -> None:
    """One line an engine."""
    from hermes_company.kernel.assessing import Assessor

    assessor = Assessor(door.company.sight)
    problems: dict[str, Refusal | None] = {name: assessor.engine_problem(name) for name in sorted(door.company.engines)}
    if door.as_json:
        door.json([{"engine": name, "problem": problem.to_json() if problem else None} for name, problem in problems.items()])
        return
    rows = [(name, door.words(*_state(problem))) for name, problem in problems.items()]
    door.line("\n".join(columns(rows, most=door.columns, indent=0)))


@command(app, "resume", help="Let an engine that was paused start at once.")
def resume(
    door: Door, names: Annotated[list[str], Argument(metavar="ENGINE…", help="The engine's name, as `list` shows it.")]
) -> None:
    """Forget the failures that paused it."""
    from hermes_company.domain.breaker import succeeded
    from hermes_company.engines.registry import get_engine
    from hermes_company.folders.watch import ring

    company = door.company
    for name in names:
        get_engine(name)
        paused = company.runs.engine(name).is_open(company.clock.now())
        company.runs.remember_engine(name, succeeded())
        told = say("{engine} may start again.", engine=name) if paused else say("{engine} was not paused.", engine=name)
        door.tell(told)
    ring(company.layout.doorbell)


def _state(problem: Refusal | None) -> tuple[Text, ...]:
    return (problem.fact, problem.cause, problem.remedy) if problem else (say("ready"),)
