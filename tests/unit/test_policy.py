"""`company/policy.yaml`: values, defaults and what is wrong with it."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

import pytest

from hermes_company.domain.policy import RULES, Grounds, Level, Policy, frozen, parse_policy
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.policy_file import read_policy
from hermes_company.folders.templates import template_source
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.wording import LANGS, Lang
from tests.support.companies import new_company

GROUNDS = Grounds(root="/co", home="/home/u", workdir="/w", outbox="/co/outbox/a/T", temp=("/tmp", "/t"), socket="s")


def refused(text: str) -> Refusal:
    """The refusal of that policy."""
    with pytest.raises(Refusal) as caught:
        parse_policy(load_yaml(text))
    return caught.value


@pytest.mark.parametrize("lang", LANGS)
def test_a_new_company_has_its_policy(tmp_path: Path, lang: Lang) -> None:
    """`hc init` writes the policy in the company's language, and what it says is what holds without the file."""
    layout = new_company(tmp_path / "co", lang=lang)

    text = layout.policy_file.read_text(encoding="utf-8")
    assert text.startswith("# 员工" if lang == "zh" else "# What agents may do")
    assert read_policy(layout) == Policy()
    layout.policy_file.unlink()
    assert read_policy(layout) == Policy()


def test_both_templates_say_the_same() -> None:
    """The two languages differ in comments only."""
    english, chinese = (template_source() / "company" / name for name in ("policy.yaml", "policy.zh.yaml"))

    assert load_yaml(english.read_text(encoding="utf-8")) == load_yaml(chinese.read_text(encoding="utf-8"))


def test_a_changed_policy_is_read() -> None:
    """Each key takes the value that is written; rules that are not named keep theirs."""
    policy = parse_policy(
        load_yaml(
            "strict: yes\nnetwork: off\nwrite: [workdir, ~/out]\nprotect: []\nsecrets: [/k]\n"
            "rules: {push: allow, disks: ask}\nrefuse: [terraform destroy]\nask: [make deploy]"
        )
    )

    assert policy == Policy(
        strict=True,
        network=False,
        write=("workdir", "~/out"),
        protect=(),
        secrets=("/k",),
        rules={**RULES, "push": Level.ALLOW, "disks": Level.ASK},
        refuse=("terraform destroy",),
        ask=("make deploy",),
    )


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("stric: true", "policy-unknown-key", "Did you mean `strict`?"),
        ("rules: {forcepush: allow}", "policy-unknown-key", "Did you mean `force-push`?"),
        ("rules: {zzz: allow}", "policy-unknown-key", "Known keys here: company, disks"),
        ("rules: {push: maybe}", "policy-wrong-value", "`rules.push` is 'maybe', not allow, ask or refuse"),
        ("strict: perhaps", "policy-wrong-value", "`strict` is 'perhaps', not true or false"),
        ("write: workdir", "policy-wrong-value", "`write` is 'workdir', not a list of words"),
        ("write: [workdri]", "policy-wrong-value", "`write` is 'workdri', not `workdir`, or a path"),
        ("refuse: [[a]]", "policy-wrong-value", "not a list of words"),
        ("rules: [push]", "policy-wrong-value", "not a mapping"),
        ("- strict", "policy-wrong-value", "not a mapping"),
    ],
)
def test_what_is_misspelt_is_refused(text: str, code: str, says: str) -> None:
    """A rule that would not hold is told of with its place and the way out."""
    refusal = refused(text)

    assert refusal.code == code
    assert says in refusal.in_lang("en")


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    """Broken YAML is refused with its line, whatever stands around it."""
    layout = Layout(tmp_path)
    layout.company.mkdir()
    layout.policy_file.write_text("strict: true\nwrite: [a\n")

    with pytest.raises(Refusal) as caught:
        read_policy(layout)
    assert caught.value.code == "policy-unreadable"
    assert "line 3" in caught.value.in_lang("en")


def test_frozen_for_an_attempt() -> None:
    """Words and relative paths become the attempt's own folders; the ticket's earlier attempts are kept."""
    raw = frozen(Policy(protect=("company", "/etc"), secrets=("~/.ssh", "~/.c*")), GROUNDS, posixpath.normpath)

    assert raw["write"] == ["/co/outbox/a/T", "/t", "/tmp", "/w"]
    assert raw["protect"] == ["/co/company", "/co/outbox/a/T/.attempts", "/etc"]
    assert raw["secrets"] == ["/home/u/.c*", "/home/u/.ssh"]


def test_links_are_followed(tmp_path: Path) -> None:
    """What a link leads to is protected, whatever the link is made to lead to afterwards."""
    (tmp_path / "real").mkdir()
    (tmp_path / "company").symlink_to("real")
    raw = frozen(
        Policy(protect=("company",)),
        Grounds(root=str(tmp_path), home="/h", workdir="/w", outbox="/o", temp=()),
        os.path.realpath,
    )

    assert str(tmp_path.resolve() / "real") in raw["protect"]  # type: ignore[operator]
