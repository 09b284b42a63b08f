"""`hc attach`: into the windows where the agents work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door
from hermes_company.errors import Refusal
from hermes_company.wording import say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

app = Commands()


@command(app, "attach", help="Go to where the agents work; Ctrl-b d comes back.")
def attach(
    door: Door,
    agent: Annotated[str, Argument(metavar="[AGENT]", help="Whose window; else the company's.")] = "",
    show: Annotated[bool, Option("--print", help="Only print the tmux command.")] = False,
) -> None:
    """Becomes tmux."""
    company = door.company
    if agent:
        company.agents.read(agent)
    if not company.layout.identity.exists():
        raise _nothing_there("")
    words = company.workers.attach_command(f"agent_{agent}" if agent else None)
    if show:
        door.line(" ".join(words))
        return
    _require_there(company, words, agent)
    # A tmux client inside another one is meant here: the servers are two.
    environ = {name: value for name, value in door.environ.items() if name not in ("TMUX", "TMUX_PANE")}
    os.execvpe(words[0], list(words), environ)


def _require_there(company: Company, words: Sequence[str], agent: str) -> None:
    """Raises:
    Refusal: `nothing-to-attach`, `tmux-missing`, `tmux-unreachable`.
    """
    from hermes_company.terminal.session import NotThere, Tmux

    settings = company.settings.tmux
    tmux = Tmux(socket=settings.socket, session=settings.session, config=company.layout.tmux_conf, environ=company.environ)
    try:
        tmux.ask(("list-panes", "-t", words[-1]))
    except NotThere:
        raise _nothing_there(agent) from None


def _nothing_there(agent: str) -> Refusal:
    fact, remedy = say("No agent is at work: the company's tmux server does not run."), say("Start it with `hc run`.")
    if agent:
        fact = say("There is no window of {agent}.", agent=agent)
        remedy = say("It gets one with its first ticket, once `hc run` runs. `hc attach` shows the company's own.")
    return Refusal("nothing-to-attach", fact=fact, cause=say("There is nothing to be seen."), remedy=remedy)
