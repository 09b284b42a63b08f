"""`company/policy.yaml` on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_company.domain.policy import Policy
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.policy_file import PolicyFile, glance_at_policy, read_policy
from tests.support.companies import new_company


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A fresh company."""
    return new_company(tmp_path / "co")


def test_a_change_counts_at_once(layout: Layout) -> None:
    """Whoever asks again after the file was changed, corrected or deleted gets what it says now."""
    policy = PolicyFile(layout)
    assert policy() == Policy()
    layout.policy_file.write_text("strict: true\n")
    assert policy().strict
    layout.policy_file.write_text("strict: maybe\n")
    with pytest.raises(Refusal):
        policy()
    layout.policy_file.unlink()

    assert policy() == Policy()


@pytest.mark.parametrize("cached", [None, "", "{", "[]", '{"text": "strict: true\\n"}', '{"text": 1, "raw": 2}'])
def test_a_glance_sees_the_same(layout: Layout, cached: str | None) -> None:
    """Those who only look see what the file says, whatever lies in the cache, or none."""
    file = layout.cache / "policy.json"
    for text in ("strict: true\nwrite:\n  - workdir\n", "network: no\n"):
        layout.policy_file.write_text(text)
        file.unlink(missing_ok=True) if cached is None else file.write_text(cached)

        assert glance_at_policy(layout) == read_policy(layout)
        assert glance_at_policy(layout) == read_policy(layout)


def test_a_glance_sees_mistakes(layout: Layout) -> None:
    """A policy that can't be read is one for those who only look, too, each time."""
    layout.policy_file.write_text("strict: [\n")
    for _ in range(2):
        with pytest.raises(Refusal):
            glance_at_policy(layout)
