"""The scanner for secrets that others keep: real where it is installed, and a fake that keeps the same promises."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hermes_company.bootstrap import Company
from hermes_company.domain.redaction import redact
from hermes_company.errors import Refusal
from hermes_company.folders.layout import Layout
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.ports.doctor import Severity
from hermes_company.userspace.examine import MemoryExaminer
from hermes_company.userspace.memory.history import History
from hermes_company.userspace.memory.note import Kind
from hermes_company.userspace.memory.secrets import MODULE, Kingfisher, ScannerFailed
from tests.memory.desk import SUMMARY, Desk

# No rule of ours knows it.
PULUMI = "pul-" + "454f31af3176813e02ea68ef786e4d3cea27d269"
TEXT = f"## 踩坑\n- 部署时用的 {PULUMI} 已经作废，第二次出现：{PULUMI}\n"


@dataclass
class Found:
    """One finding of the fake."""

    secret: str
    rule_id: str = "betterleaks.pulumi-api-token"
    visible: bool = True


class FakeScanner:
    """`kingfisher_sdk.Scanner` that knows one kind of token; it scans text only, as the real one does."""

    def __init__(self, rules: Any, *, base64: bool) -> None:
        assert rules.cache_dir.is_dir()
        assert base64 is False

    def scan(self, text: str) -> list[Found]:
        """See `kingfisher_sdk.Scanner.scan`."""
        if not isinstance(text, str):
            raise TypeError("data must be str or bytes")
        return [Found(PULUMI), Found("", visible=True), Found("部署", visible=False)] if PULUMI in text else []


def fake(name: str) -> Any:
    """Import the fake."""
    assert name == MODULE
    return SimpleNamespace(Scanner=FakeScanner, Rules=lambda cache_dir: SimpleNamespace(cache_dir=cache_dir))


def real(name: str) -> Any:
    """Import the real one."""
    return importlib.import_module(name)


@pytest.fixture(scope="module", params=[fake, real], ids=["fake", "real"])
def scanner(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kingfisher:
    """Each in turn; the real one compiles its rules once, which takes seconds."""
    if request.param is real:
        pytest.importorskip(MODULE)
    return Kingfisher(tmp_path_factory.mktemp("rules"), load=request.param)


def test_what_only_the_scanner_knows_is_taken_out(scanner: Kingfisher) -> None:
    """Every occurrence, with its rule; the rest of the text stays, and doing it twice changes nothing."""
    assert redact(TEXT).count == 0
    clean = scanner(TEXT)
    assert PULUMI not in clean.text
    assert clean.text.count("[REDACTED:") == 2
    assert clean.text.startswith("## 踩坑\n- 部署时用的 [REDACTED:")
    assert clean.count == 1
    assert [rule for rule in clean.rules if "pulumi" in rule] == list(clean.rules)
    assert scanner(clean.text).text == clean.text


def test_our_own_rules_come_first(scanner: Kingfisher) -> None:
    """What they find is marked as by them alone."""
    text = "数据库密码：Hx7!kk29Lm，密钥 sk-ant-api03-" + "Ab1" * 12
    assert scanner(text) == redact(text)


def test_harmless_text_is_left_alone(scanner: Kingfisher) -> None:
    """Not a character changes."""
    assert scanner(SUMMARY).text == SUMMARY


def absent(name: str) -> Any:
    """There is no such module."""
    raise ModuleNotFoundError(f"No module named '{name}'")


def stale(name: str) -> Any:
    """A module of that name that is another version."""
    return SimpleNamespace()


def broken(name: str) -> Any:
    """A scanner that stops."""

    def scan(text: str) -> list[Found]:
        raise RuntimeError("interrupted")

    return SimpleNamespace(Scanner=lambda rules, base64: SimpleNamespace(scan=scan), Rules=lambda cache_dir: None)


@pytest.mark.parametrize(
    ("load", "code"),
    [(absent, "secret-scanner-missing"), (stale, "secret-scanner-failed"), (broken, "secret-scanner-failed")],
)
def test_nothing_is_stored_without_the_scanner(tmp_path: Path, load: Callable[[str], Any], code: str) -> None:
    """It was asked for: the archive fails, says why and the way out, and leaves no note, not even of a harmless summary."""
    desk = Desk(tmp_path, redact=Kingfisher(tmp_path / "rules", load=load))
    with pytest.raises(ScannerFailed, match=r"company\.yaml") as failed:
        desk.finish("TASK-001", "落地页", SUMMARY)
    assert failed.value.refusal.code == code
    assert [note for kind in Kind for note in desk.notes(kind)] == []


@pytest.mark.parametrize(("load", "codes"), [(absent, ["secret-scanner-missing"]), (fake, [])])
def test_doctor_says_that_it_is_missing(tmp_path: Path, load: Callable[[str], Any], codes: list[str]) -> None:
    """A finding that something does not work, and nothing where it is there."""
    desk = Desk(tmp_path)
    history = History(tmp_path, scratch=tmp_path / "scratch", environ={})
    scanner = Kingfisher(tmp_path / "rules", load=load).problem
    doctor = MemoryExaminer(tmp_path, desk.book, tmp_path / "skills", history, parse_yaml=load_yaml, scanner=scanner)
    assert [finding.code for finding in doctor.examine() if finding.severity is Severity.BAD] == codes


def test_the_archive_stores_what_is_left(tmp_path: Path) -> None:
    """Neither experience nor lesson nor title carries the token."""
    desk = Desk(tmp_path, redact=Kingfisher(tmp_path / "rules", load=fake))
    desk.finish("TASK-001", f"轮换 {PULUMI}", TEXT)
    written = "".join(path.read_text() for path in (tmp_path / "memory").rglob("*.md"))
    assert PULUMI not in written
    assert "redacted: [betterleaks_pulumi_api_token]" in written


@pytest.mark.parametrize(("text", "kind"), [("name: Acme\n", type(redact)), ("learning: {scanner: kingfisher}\n", Kingfisher)])
def test_the_scanner_is_a_setting(tmp_path: Path, text: str, kind: type) -> None:
    """Off by default; asked for in company.yaml, it is what the archive and the distillation use."""
    (tmp_path / "company.yaml").write_text(text)
    assert isinstance(Company(Layout(tmp_path), {}).redact, kind)


def test_another_scanner_is_refused(tmp_path: Path) -> None:
    """A misspelt one would look as if it were at work."""
    (tmp_path / "company.yaml").write_text("learning: {scanner: kingfish}\n")
    with pytest.raises(Refusal) as refused:
        _ = Company(Layout(tmp_path), {}).redact
    assert refused.value.code == "settings-wrong-type"
