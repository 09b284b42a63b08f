"""Tokens by kind, and what they cost. A company's price table says the money; a model that it does not name has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from hermes_company.domain.settings import Price
from hermes_company.wording import Text

_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """How many tokens of each kind; the kinds don't overlap."""

    # Read anew; read from the provider's cache; written into it.
    input: int = 0
    cached: int = 0
    cache_write: int = 0
    # Answered; thought, where the engine tells that from answers (Claude Code counts it as output).
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return sum(getattr(self, kind) for kind in KINDS)

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(**{kind: getattr(self, kind) + getattr(other, kind) for kind in KINDS})

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(**{kind: getattr(self, kind) - getattr(other, kind) for kind in KINDS})

    def at_least(self, other: Tokens) -> bool:
        """Whether no kind is less than in `other`."""
        return all(getattr(self, kind) >= getattr(other, kind) for kind in KINDS)


KINDS = tuple(field.name for field in fields(Tokens))
# Model → tokens.
ByModel = Mapping[str, Tokens]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """What one model used on one day."""

    # The readers' local date, ISO.
    day: str
    model: str
    tokens: Tokens


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptUsage:
    """What one attempt used, as its engine's transcript says."""

    ticket: str
    attempt: int
    agent: str
    engine: str
    rows: tuple[Row, ...] = ()
    # Why it may be more than that.
    problems: tuple[Text, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Sum:
    """Tokens with their money, as far as it is known."""

    tokens: Tokens
    money: float = 0.0
    # Models without a price: their tokens are not in `money`.
    unpriced: tuple[str, ...] = ()


def money(tokens: Tokens, price: Price) -> float:
    """What they cost, in the company's currency."""
    written = price.cache_write or price.input
    answered = tokens.output + tokens.reasoning
    per_million = tokens.input * price.input + tokens.cached * price.cached + tokens.cache_write * written
    return (per_million + answered * price.output) / _MILLION


def by_model(rows: Iterable[Row]) -> ByModel:
    """The rows' tokens, model by model."""
    sums: dict[str, Tokens] = {}
    for row in rows:
        sums[row.model] = sums.get(row.model, Tokens()) + row.tokens
    return sums


def add_up(models: Iterable[ByModel], prices: Mapping[str, Price]) -> Sum:
    """All of them together."""
    tokens, spent = Tokens(), 0.0
    unpriced: set[str] = set()
    for model, used in (pair for one in models for pair in one.items()):
        tokens += used
        if model in prices:
            spent += money(used, prices[model])
        else:
            unpriced.add(model)
    return Sum(tokens=tokens, money=spent, unpriced=tuple(sorted(unpriced)))
