"""`company/policy.yaml`: what agents may do."""

from __future__ import annotations

from hermes_company.domain.policy import Policy, parse_policy
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.people_file import UnreadableFile, read_people_file
from hermes_company.folders.yaml_text import BadYaml, load_yaml
from hermes_company.wording import Text, say


def read_policy(layout: Layout) -> Policy:
    """The company's policy. Without the file the defaults hold, which are what `hc init` writes into it.

    Raises:
        Refusal: `policy-unreadable`, `policy-unknown-key`, `policy-wrong-value`.
    """
    try:
        text = read_people_file(layout.root, layout.policy_file)
    except FileNotFoundError:
        return Policy()
    except UnreadableFile as problem:
        raise _unreadable(problem.reason, problem.line) from None
    try:
        return parse_policy(load_yaml(text))
    except BadYaml as problem:
        raise _unreadable(say("{problem}", problem=problem.problem), problem.line) from None


def _unreadable(problem: Text, line: int | None) -> Refusal:
    if line is None:
        fact = say("company/policy.yaml was not read: {problem}.", problem=problem)
    else:
        fact = say("company/policy.yaml, line {line}: {problem}.", line=line, problem=problem)
    return Refusal(
        "policy-unreadable",
        fact=fact,
        cause=say("Agents would work by rules that nobody meant."),
        remedy=say("Correct that line in company/policy.yaml."),
    )
