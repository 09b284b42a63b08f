"""`hc status`: the company on one page."""

from __future__ import annotations

from hermes_company.cli.commands import Commands, command
from hermes_company.cli.door import Door

app = Commands()
# Entries a list: the page is to fit a screen.
_MOST = 12


@command(app, "status", help="Show the board, the agents, and what waits for whom.", shows=True)
def status(door: Door) -> None:
    """The company now."""
    from hermes_company.cli.report import Style, make_report, report_lines

    report = make_report(door.company)
    if door.as_json:
        door.json(report.to_json())
        return
    for style, line in report_lines(report, door.lang, width=door.columns, most=_MOST):
        door.line(line, bold=style is Style.HEAD)
