"""The Chinese catalogue: English sentence → Chinese sentence, one file a room so that each stays readable."""

from types import ModuleType

from hermes_company.wording.zh import cli, core, cost, custom, doctor, engines, guard, limits, memory, skills, talk, terminal

ROOMS: tuple[ModuleType, ...] = (core, engines, guard, custom, terminal, limits, memory, skills, talk, cli, doctor, cost)


def helps(room: ModuleType) -> dict[str, str]:
    """What a room says in the command line's help; most rooms say nothing there."""
    return getattr(room, "HELP", {})


CATALOGUE: dict[str, str] = {
    english: chinese for room in ROOMS for table in (room.SENTENCES, helps(room)) for english, chinese in table.items()
}
