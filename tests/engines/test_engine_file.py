"""Changing files that belong to engines: nothing lost, nothing torn, nobody else's bytes touched."""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes_company.engines.engine_file import rewrite
from hermes_company.errors import Refusal
from tests.support.tmux import until


def appending(word: str) -> object:
    """A change that adds a word to a JSON list."""
    return lambda before: json.dumps([*json.loads(before or b"[]"), word])


def test_makes_a_missing_file_private(tmp_path: Path) -> None:
    """A file that did not exist is made with its folder, readable by its owner alone."""
    file = tmp_path / "new" / "state.json"
    rewrite(file, lambda before: f"{before}")

    assert file.read_text() == "None"
    assert file.stat().st_mode & 0o777 == 0o600
    assert not file.with_name("state.json.hc-backup").exists()


def test_keeps_mode_and_link(tmp_path: Path) -> None:
    """A file keeps its mode, and one that is linked to from elsewhere is changed where it really lies."""
    file, link = tmp_path / "dotfiles.json", tmp_path / "state.json"
    file.write_text("[]")
    file.chmod(0o640)
    link.symlink_to(file)
    rewrite(link, appending("x"))

    assert link.is_symlink()
    assert file.read_text() == '["x"]'
    assert file.stat().st_mode & 0o777 == 0o640


def test_keeps_the_first_version_once(tmp_path: Path) -> None:
    """The backup is what was there before our first change, not before our last."""
    file = tmp_path / "state.json"
    file.write_text('["theirs"]')
    rewrite(file, appending("a"))
    rewrite(file, appending("b"))

    assert file.with_name("state.json.hc-backup").read_text() == '["theirs"]'
    assert json.loads(file.read_text()) == ["theirs", "a", "b"]


def test_refused_change_leaves_everything(tmp_path: Path) -> None:
    """A change that refuses leaves the file byte for byte, makes no backup and releases the locks."""
    file = tmp_path / "state.json"
    file.write_bytes(b"{broken \xff")

    with pytest.raises(json.JSONDecodeError):
        rewrite(file, lambda before: json.dumps(json.loads((before or b"").decode("latin-1"))), lock_folder=True)

    assert file.read_bytes() == b"{broken \xff"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state.json", "state.json.hc-lock"]


def test_loses_nothing_when_many_write(tmp_path: Path) -> None:
    """Eight writers at once: every change is there in the end."""
    file = tmp_path / "state.json"
    words = [f"w{number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda word: rewrite(file, appending(word), lock_folder=True), words))

    assert sorted(json.loads(file.read_text())) == sorted(words)


def test_waits_for_the_engines_own_lock(tmp_path: Path) -> None:
    """While Claude Code holds its lock folder the file stays as it is; then the change follows."""
    file, lock = tmp_path / "state.json", tmp_path / "state.json.lock"
    file.write_text("[]")
    lock.mkdir()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(rewrite, file, appending("x"), lock_folder=True)
        until(lambda: (tmp_path / "state.json.hc-lock").exists())
        held = file.read_text()
        lock.rmdir()
        writing.result()

    assert held == "[]"
    assert file.read_text() == '["x"]'
    assert not lock.exists()


def test_takes_a_stale_lock_over(tmp_path: Path) -> None:
    """A lock folder that nobody renews belongs to an engine that died."""
    file, lock = tmp_path / "state.json", tmp_path / "state.json.lock"
    lock.mkdir()
    long_ago = time.time() - 60
    os.utime(lock, (long_ago, long_ago))
    rewrite(file, appending("x"), lock_folder=True)

    assert file.read_text() == '["x"]'


def test_gives_up_on_a_held_lock(tmp_path: Path) -> None:
    """A lock that stays held is a refusal that says: try later; the file is untouched."""
    file = tmp_path / "state.json"
    (tmp_path / "state.json.lock").mkdir()

    with pytest.raises(Refusal) as raised:
        rewrite(file, appending("x"), lock_folder=True, patience=0.1)

    assert (raised.value.code, raised.value.status) == ("engine-file-busy", 75)
    assert not file.exists()


def test_unwritable_place_is_a_refusal(tmp_path: Path) -> None:
    """Where the file can't be written, the refusal says which one and why."""
    (tmp_path / "home").write_text("a file where a folder should be")

    with pytest.raises(Refusal) as raised:
        rewrite(tmp_path / "home" / "state.json", appending("x"))

    assert raised.value.code == "engine-file-not-written"
    assert "state.json" in raised.value.in_lang("zh")
