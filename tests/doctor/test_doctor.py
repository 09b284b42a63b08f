"""`hc doctor` as a whole: what it says, in which order, and that looking changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from hermes_company.domain.ticket import State
from tests.support.companies import new_company, tree
from tests.support.examined import dead_pid, doctor
from tests.support.person import Person


def break_it(person: Person) -> None:
    """A bit of everything: bad and less bad, repairable and not."""
    person.layout.private.chmod(0o755)
    person.layout.state(State.REVIEW).joinpath(".gitkeep").unlink()
    person.layout.state(State.REVIEW).rmdir()
    person.drop("bad", "---\ntitle: [\n---\n")
    person.drop("twice")
    person.drop("twice", state=State.DONE)
    person.rest(_write(person.layout.agents / "worker" / f".runtime.json.{dead_pid()}.tmp"), 90)
    person.layout.kernel_holder.write_text('{"pid": 1, "host": "h", "since": "2026-01-01T00:00:00+00:00"}')
    person.layout.kernel_holder.chmod(0o600)


def _write(path: Path, text: str = "") -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_all_is_well(person: Person) -> None:
    """A company without faults: nothing bad, nothing to look at, exit status 0, and each room says what it looked at."""
    examined = doctor(person)
    well = {finding["code"] for finding in examined.answer["findings"]}

    assert (examined.status, examined.codes) == (0, {})
    assert {"settings", "policy", "folders", "tickets", "agents", "prompts", "private", "loop", "disk", "watched"} <= well
    assert {"tmux", "tmux-server", "locale", "orphans", "engine", "hooks", "memory"} <= well


def test_the_worst_comes_first(person: Person) -> None:
    """Bad, then what is to be looked at, then what is well; each with the way out; the last line counts."""
    break_it(person)
    answer = person.hc("doctor")
    marks = [line[0] for line in answer.lines if line[:2] in ("✗ ", "! ", "✓ ")]

    assert answer.status == 1
    assert marks == sorted(marks, key="✗!✓".index)
    assert marks.count("✗") == 4
    assert answer.out.count("\n  → ") == marks.count("✗") + marks.count("!")
    assert answer.lines[-1].startswith("4 bad, 2 to look at, ")
    assert answer.lines[-1].endswith("`hc doctor --fix` can repair 4 of them.")


def test_for_programs(person: Person) -> None:
    """With --json every finding has the same typed fields."""
    break_it(person)
    examined = doctor(person)
    answer = examined.answer

    assert set(answer) == {"bad", "warnings", "repairs", "findings"}
    assert (answer["bad"], answer["warnings"], answer["repairs"]) == (4, 2, [])
    for finding in answer["findings"]:
        assert set(finding) == {"code", "severity", "seen", "remedy", "fixable"}
        assert finding["severity"] in ("bad", "warn", "ok")
        assert isinstance(finding["fixable"], bool)
        assert (finding["remedy"] is None) is (finding["severity"] == "ok")
    assert examined.of("private-open")["fixable"]
    assert not examined.of("ticket-twice")["fixable"]


def test_looking_writes_nothing(person: Person) -> None:
    """Without --fix every byte, name and mode of the company is as it was, however broken it is."""
    break_it(person)
    before = tree(person.here), modes(person.here)

    doctor(person)

    assert (tree(person.here), modes(person.here)) == before


def test_looking_at_a_fresh_clone_writes_nothing(person: Person) -> None:
    """A company that never ran here has no `.hc`, and gets none by being looked at."""
    shutil.rmtree(person.layout.private)
    before = tree(person.here)
    examined = doctor(person)

    assert (examined.status, examined.codes) == (0, {})
    assert tree(person.here) == before


def modes(root: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mode for path in root.rglob("*") if ".git" not in path.parts}


def test_fix_says_what_it_did_and_does_it_once(person: Person) -> None:
    """What can be repaired is; the rest stays as it was and is told; the second time there is nothing left to do."""
    break_it(person)
    before = tree(person.here)
    fixed = doctor(person, "--fix")
    after = tree(person.here)
    again = doctor(person, "--fix")

    assert fixed.done == {"folder-missing": True, "private-open": True, "stale-temporaries": True, "loop-died": True}
    assert all(repair["says"] for repair in fixed.answer["repairs"])
    assert (fixed.status, fixed.codes) == (1, {"ticket-bad-yaml": "bad", "ticket-twice": "bad"})
    assert (again.done, again.codes) == ({}, fixed.codes)
    assert tree(person.here) == after
    assert {path for path in before if path.startswith("tasks/")} <= set(after)


def test_fix_tells_people_too(person: Person) -> None:
    """What was done stands above what is left."""
    person.layout.private.chmod(0o755)
    answer = person.ok("doctor", "--fix")

    assert answer.lines[:2] == ["✓ private-open: Took other users' access away from .hc.", ""]


def test_in_chinese(person: Person, tmp_path: Path) -> None:
    """A Chinese company is examined in Chinese, to the last word of a sentence."""
    new_company(tmp_path / "公司", lang="zh")
    chinese = Person(tmp_path / "公司", person.capsys, dict(person.environ))
    chinese.layout.private.chmod(0o755)
    answer = chinese.hc("doctor")
    sentences = [line.partition(": ")[2] or line for line in answer.lines if line]

    assert "→ 请收紧权限：chmod go-rwx .hc" in answer.out
    assert answer.lines[-1].startswith("1 项有问题，")
    assert [text for text in sentences if not any("\u4e00" <= char <= "\u9fff" for char in text)] == []


def test_settings_that_cannot_be_read(person: Person) -> None:
    """A broken company.yaml is a finding like others, and what does not depend on it is examined all the same."""
    person.layout.settings_file.write_text("retrys: 3\n")
    person.drop("bad", "---\ntitle: [\n---\n")
    examined = doctor(person)

    assert examined.of("settings-unknown-key")["severity"] == "bad"
    assert "Did you mean `retries`?" in examined.of("settings-unknown-key")["remedy"]
    assert "ticket-bad-yaml" in examined.codes
