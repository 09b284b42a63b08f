"""What `hc cost` answers with: sums, and findings about budgets, prices and what could not be counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_company.cli.cost import By
from hermes_company.cli.words import one_line, pad, shorten, width
from hermes_company.domain.budget import Scope, Use
from hermes_company.domain.run import Attempt
from hermes_company.domain.ticket import State
from hermes_company.domain.usage import KINDS, AttemptUsage, Row, Sum, add_up, by_model
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

# Attempts named in one sentence about them.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """What a person should know: a stable code, and the sentence."""

    code: str
    says: Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Bill:
    """What was used, and what to know of it."""

    by: By
    currency: str
    # What each line stands for, with its sum.
    lines: tuple[tuple[str, Sum], ...]
    total: Sum
    uses: tuple[Use, ...]
    findings: tuple[Finding, ...]


def make_bill(company: Company, by: By) -> Bill:
    """Everything that was counted, and what open attempts have used so far. Only reads."""
    running = list(_running(company))
    usages = [*company.usage.all(), *running]
    prices, currency = company.settings.prices, company.settings.currency
    groups: dict[str, list[Row]] = {}
    for usage in usages:
        for row in usage.rows:
            groups.setdefault(_name(usage, row, by), []).append(row)
    total = add_up([by_model(rows) for rows in groups.values()], prices)
    lines = [(name, add_up([by_model(rows)], prices)) for name, rows in groups.items()]
    uses = tuple(_open_ones(company.board.view(fresh=True).states, company.spending.uses(running)))
    findings = (*_budgets(uses, currency), *_prices(total), *_uncounted(usages))
    return Bill(by=by, currency=currency, lines=_sorted(lines, by), total=total, uses=uses, findings=findings)


def tight_budgets(company: Company, states: Mapping[str, State], *, in_the_loop: bool) -> tuple[Finding, ...]:
    """Budgets that are used up, or nearly so.

    Args:
        states: where the tickets lie.
        in_the_loop: whether this process runs the company: then it knows what attempts at work have used.
    """
    running = () if in_the_loop else list(_running(company))
    return tuple(_budgets(_open_ones(states, company.spending.uses(running)), company.settings.currency))


def _running(company: Company) -> Iterator[AttemptUsage]:
    for run in company.runs.opened():
        if isinstance(run, Attempt) and company.usage.get(run.ticket, run.number) is None:
            entry = company.usage_counter.count(run.ticket, run.number, run.agent, run.engine)
            if entry:
                yield entry.usage


def _name(usage: AttemptUsage, row: Row, by: By) -> str:
    return {"agent": usage.agent, "ticket": usage.ticket, "day": row.day, "model": row.model}[by]


def _sorted(lines: Iterable[tuple[str, Sum]], by: By) -> tuple[tuple[str, Sum], ...]:
    """Days in their order; everything else with the dearest first."""
    if by == "day":
        return tuple(sorted(lines))
    return tuple(sorted(lines, key=lambda line: (-line[1].money, -line[1].tokens.total, line[0])))


def _open_ones(states: Mapping[str, State], uses: Iterable[Use]) -> Iterator[Use]:
    """Without those of tickets that can't use anything any more."""
    for use in uses:
        if use.scope is not Scope.TICKET or states.get(use.name, State.DONE) is not State.DONE:
            yield use


def _budgets(uses: Iterable[Use], currency: str) -> Iterator[Finding]:
    for use in uses:
        if use.used_up:
            yield Finding("budget-used-up", use.says(currency))
        elif use.warns:
            yield Finding("budget-warning", use.says(currency))


def _prices(total: Sum) -> Iterator[Finding]:
    for model in total.unpriced:
        yield Finding(
            "price-missing", say("No price for {model} in company.yaml: its tokens are not in the money.", model=model)
        )


def _uncounted(usages: Iterable[AttemptUsage]) -> Iterator[Finding]:
    attempts: dict[str, list[str]] = {}
    texts: dict[str, Text] = {}
    for usage in usages:
        for problem in usage.problems:
            texts.setdefault(str(problem), problem)
            attempts.setdefault(str(problem), []).append(f"{usage.ticket}/{usage.attempt}")
    for key, names in attempts.items():
        named = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
        says = say(
            "Not all is counted, {count} attempts ({named}): {problem}", count=len(names), named=named, problem=texts[key]
        )
        yield Finding("not-counted", says)


# --- showing ----------------------------------------------------------------------------------------------------------


def bill_json(bill: Bill) -> dict[str, object]:
    """For `--json`."""
    return {
        "by": bill.by,
        "currency": bill.currency,
        "lines": [{"name": name, **_sum_json(one)} for name, one in bill.lines],
        "total": _sum_json(bill.total),
        "budgets": [_use_json(use) for use in bill.uses],
        "findings": [{"code": finding.code, "says": finding.says.in_lang("en")} for finding in bill.findings],
    }


def _sum_json(one: Sum) -> dict[str, object]:
    tokens = {kind: getattr(one.tokens, kind) for kind in KINDS}
    return {"tokens": {**tokens, "total": one.tokens.total}, "money": round(one.money, 6), "unpriced": list(one.unpriced)}


def _use_json(use: Use) -> dict[str, object]:
    limit = {"tokens": use.budget.tokens or None, "money": use.budget.money or None}
    spent = {"tokens": use.spent.tokens.total, "money": round(use.spent.money, 6)}
    return {
        "scope": use.scope.value,
        "name": use.name or None,
        "spent": spent,
        "limit": limit,
        "share": round(use.share, 4),
        "at_limit": use.budget.at_limit,
    }


def bill_lines(bill: Bill, lang: Lang, most: int | None) -> Iterator[tuple[bool, str]]:
    """The lines for people, each with whether it is a head; none of the table is wider than `most` columns."""
    if bill.lines:
        rows = [_heads(bill, lang), *(_cells(name, one) for name, one in bill.lines)]
        if len(bill.lines) > 1:
            rows.append(_cells(say("total").in_lang(lang), bill.total))
        for number, line in enumerate(_table(rows, most)):
            yield number == 0, line
    else:
        yield False, say("No tokens were counted yet.").in_lang(lang)
    if bill.findings:
        yield False, ""
    for finding in bill.findings:
        yield False, f"! {one_line(finding.says.in_lang(lang))}"


_HEADS = {
    "input": say("input"),
    "cached": say("cached"),
    "cache_write": say("into cache"),
    "output": say("output"),
    "reasoning": say("thinking"),
}


def _heads(bill: Bill, lang: Lang) -> list[str]:
    names = {"agent": say("agent"), "ticket": say("ticket"), "day": say("day"), "model": say("model")}
    return [names[bill.by].in_lang(lang), *(_HEADS[kind].in_lang(lang) for kind in KINDS), bill.currency]


def _cells(name: str, one: Sum) -> list[str]:
    # A sum in which a model's money is missing is more than what stands there.
    priced = f"{one.money:.2f}" if one.money or not one.unpriced else "-"
    money = f"{priced}+" if one.money and one.unpriced else priced
    return [name, *(f"{getattr(one.tokens, kind):,}" for kind in KINDS), money]


def _table(rows: Sequence[Sequence[str]], most: int | None) -> Iterator[str]:
    """Names to the left, numbers to the right of their columns."""
    widest = [max(width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for name, *numbers in rows:
        shifted = [" " * (widest[place] - width(number)) + number for place, number in enumerate(numbers, start=1)]
        line = "  ".join([pad(one_line(name), widest[0]), *shifted])
        yield line if most is None else shorten(line, most)
