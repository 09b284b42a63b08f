"""What `hc doctor` does: asks every room, repairs under the company's lock, and tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermes_company.errors import Refusal
from hermes_company.folders.company_lock import company_lock
from hermes_company.ports.doctor import Finding, Fix, Severity
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company

_MARKS = {Severity.BAD: "✗", Severity.WARN: "!", Severity.OK: "✓"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Repair:
    """What came of repairing one finding."""

    code: str
    done: bool
    # What was done, or why it was not.
    says: Text

    def to_json(self) -> dict[str, object]:
        """For `--json`."""
        return {"code": self.code, "done": self.done, "says": self.says.in_lang("en")}


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to tell: findings, the worst first, and what was repaired before they were made."""

    findings: list[Finding]
    repairs: list[Repair]

    @property
    def bad(self) -> int:
        """How many findings are bad."""
        return self._count(Severity.BAD)

    def lines(self, lang: Lang) -> Iterator[str]:
        """For people."""
        for repair in self.repairs:
            yield f"{'✓' if repair.done else '✗'} {repair.code}: {repair.says.in_lang(lang)}"
        if self.repairs:
            yield ""
        for finding in self.findings:
            yield f"{_MARKS[finding.severity]} {finding.code}: {finding.seen.in_lang(lang)}"
            if finding.remedy:
                yield f"  → {finding.remedy.in_lang(lang)}"
        yield ""
        yield self._summary().in_lang(lang)

    def to_json(self) -> dict[str, object]:
        """For `--json`: sentences in English, as the codes are."""
        return {
            "bad": self.bad,
            "warnings": self._count(Severity.WARN),
            "repairs": [repair.to_json() for repair in self.repairs],
            "findings": [_finding_json(finding) for finding in self.findings],
        }

    def _summary(self) -> Text:
        counts = {"bad": self.bad, "warnings": self._count(Severity.WARN), "well": self._count(Severity.OK)}
        repairable = sum(1 for finding in self.findings if finding.fix)
        if repairable:
            return say(
                "{bad} bad, {warnings} to look at, {well} well. `hc doctor --fix` can repair {repairable} of them.",
                repairable=repairable,
                **counts,
            )
        return say("{bad} bad, {warnings} to look at, {well} well.", **counts)

    def _count(self, severity: Severity) -> int:
        return sum(1 for finding in self.findings if finding.severity is severity)


def _finding_json(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "seen": finding.seen.in_lang("en"),
        "remedy": finding.remedy.in_lang("en") if finding.remedy else None,
        "fixable": finding.fix is not None,
    }


def examine(company: Company) -> list[Finding]:
    """What every room says of itself, the worst first."""
    found = [finding for examiner in company.examiners() for finding in examiner.examine()]
    return sorted(found, key=lambda finding: (finding.severity.rank, finding.code, str(finding.seen)))


def repair(company: Company) -> list[Repair]:
    """Repair what can be. While somebody else runs the company, what needs it at rest is left, and that is said."""
    findings = [(finding, finding.fix) for finding in examine(company) if finding.fix]
    if not findings:
        return []
    with ExitStack() as stack:
        try:
            stack.enter_context(company_lock(company.layout, company.clock))
        except Refusal as problem:
            left = say("{fact} It is repaired only while nobody does.", fact=problem.fact)
        except OSError as problem:
            left = say("{problem}", problem=str(problem))
        else:
            return [_repair(finding.code, fix) for finding, fix in findings]
        return [
            Repair(code=finding.code, done=False, says=left) if finding.needs_rest else _repair(finding.code, fix)
            for finding, fix in findings
        ]


def _repair(code: str, fix: Fix) -> Repair:
    try:
        return Repair(code=code, done=True, says=fix())
    except Refusal as problem:
        return Repair(code=code, done=False, says=say("{fact} {cause}", fact=problem.fact, cause=problem.cause))
    except OSError as problem:
        return Repair(code=code, done=False, says=say("{problem}", problem=str(problem)))
