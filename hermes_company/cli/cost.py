"""`hc cost`: tokens and money, and what is left of the budgets."""

from __future__ import annotations

from typing import Annotated, Literal

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door

app = Commands()
By = Literal["agent", "ticket", "day", "model"]


@command(app, "cost", help="Show what was used: tokens by kind, and their money.", shows=True)
def cost(door: Door, by: Annotated[By, Option("--by", help="What the lines stand for.")] = "agent") -> None:
    """One line an agent, ticket, day or model; then what a person should know of it."""
    from hermes_company.cli.costing import bill_json, bill_lines, make_bill

    bill = make_bill(door.company, by)
    if door.as_json:
        door.json(bill_json(bill))
        return
    for head, line in bill_lines(bill, door.lang, door.columns):
        door.line(line, bold=head)
