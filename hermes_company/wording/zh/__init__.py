"""The Chinese catalogue: English sentence → Chinese sentence, one file a room so that each stays readable."""

from hermes_company.wording.zh import cli, core, cost, custom, doctor, engines, guard, memory, terminal

CATALOGUE: dict[str, str] = {
    **core.SENTENCES,
    **engines.SENTENCES,
    **guard.SENTENCES,
    **guard.HELP,
    **custom.SENTENCES,
    **terminal.SENTENCES,
    **memory.SENTENCES,
    **cli.SENTENCES,
    **doctor.SENTENCES,
    **doctor.HELP,
    **cost.SENTENCES,
    **cost.HELP,
}
