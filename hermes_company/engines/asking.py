"""What all engines share about the questions that they ask people."""

from __future__ import annotations

from collections.abc import Iterable

from hermes_company.errors import Refusal
from hermes_company.ports.engine import Consent, Job
from hermes_company.wording import say


def unanswered(consents: Iterable[Consent], codes: dict[str, str], job: Job) -> Refusal | None:
    """The refusal for the first question that nobody has answered; `codes` names it by its kind."""
    for consent in consents:
        if consent.missing:
            return Refusal(
                codes[consent.kind],
                fact=say("{engine} would stop and ask: {question}", engine=job.agent.engine, question=consent.question),
                cause=say("Nobody is there to answer, so the run would hang."),
                remedy=consent.by_hand
                or say(
                    "Answer it with `hc agent prepare {agent}`, or add `{kind}` to `engines.{engine}.accept` in company.yaml.",
                    agent=job.agent.name,
                    kind=consent.kind,
                    engine=job.agent.engine,
                ),
            )
    return None


def to_record(consents: Iterable[Consent]) -> list[Consent]:
    """Those that can be recorded for the person and are not yet."""
    return [consent for consent in consents if not consent.given and consent.by_hand is None]


def accepted(consents: Iterable[Consent]) -> list[Consent]:
    """Those that company.yaml says yes to."""
    return [consent for consent in consents if consent.accepted]
