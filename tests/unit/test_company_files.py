"""Making a company's tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.company_files import check_tree, ensure_identity, init_company, staged
from hermes_company.folders.layout import Layout
from hermes_company.folders.settings_file import read_settings
from hermes_company.wording import LANGS, Lang
from tests.support.companies import new_company, tree


def refused(target: Path, *, name: str = "") -> Refusal:
    """The refusal of making a company in `target`."""
    with pytest.raises(Refusal) as caught:
        init_company(target, environ={}, name=name)
    return caught.value


def git_environ(home: Path, identity: str = "") -> dict[str, str]:
    """An environment in which git knows only what `identity` (lines of a .gitconfig) says."""
    home.mkdir()
    (home / ".gitconfig").write_text(identity)
    return {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


def git(root: Path, environ: dict[str, str], *words: str) -> str:
    """What git says in `root`."""
    return subprocess.run(["git", "-C", str(root), *words], env=environ, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("lang", LANGS)
def test_whole_tree_is_made(tmp_path: Path, lang: Lang) -> None:
    """A new company has every folder and text that the loop needs, in its language."""
    layout = new_company(tmp_path / "acme", lang=lang)

    check_tree(layout)
    folders = (layout.skills, layout.agents, layout.memory, layout.outbox_root, layout.logs, layout.private)
    assert all(folder.is_dir() for folder in folders)
    assert ("公司" in (layout.company / "COMPANY.md").read_text()) == (lang == "zh")
    assert ("现在就执行" in (layout.runners / "base.md").read_text()) == (lang == "zh")
    assert read_settings(layout).tmux.socket == "hermes-acme"
    assert list(layout.agents.iterdir()) == [layout.agents / ".gitkeep"]


def test_private_folder_is_private(tmp_path: Path) -> None:
    """Nobody else on the machine reads the orchestrator's own files."""
    layout = new_company(tmp_path / "acme")

    assert layout.private.stat().st_mode & 0o777 == 0o700
    assert layout.identity.stat().st_mode & 0o777 == 0o600


def test_ids_differ(tmp_path: Path) -> None:
    """Two companies never share an id, which is what tells their tmux sessions apart."""
    one, two = (ensure_identity(new_company(tmp_path / name)) for name in ("one", "two"))

    assert one != two
    assert len(one) == 32


def test_id_stays(tmp_path: Path) -> None:
    """The id of a company is the one that it was founded with."""
    layout = new_company(tmp_path / "acme")

    assert ensure_identity(layout) == ensure_identity(layout)


def test_fresh_clone_gets_an_id(tmp_path: Path) -> None:
    """A company that came without `.hc/`, as from a git clone, gets an id of its own."""
    layout = new_company(tmp_path / "acme")
    first = ensure_identity(layout)
    shutil.rmtree(layout.private)

    assert ensure_identity(layout) != first
    assert layout.private.stat().st_mode & 0o777 == 0o700


def test_damaged_id_is_refused(tmp_path: Path) -> None:
    """A damaged id is not replaced behind a running company's back."""
    layout = new_company(tmp_path / "acme")
    layout.identity.write_bytes(b"\xff{}")

    with pytest.raises(Refusal) as caught:
        ensure_identity(layout)

    assert caught.value.code == "identity-damaged"


def test_folder_with_a_strange_name_gets_a_socket_from_its_id(tmp_path: Path) -> None:
    """A folder's name that tmux could execute or trip over never becomes a socket's name."""
    layout = new_company(tmp_path / "#(reboot) 公司")

    assert read_settings(layout).tmux.socket == f"hermes-{ensure_identity(layout)[:8]}"


def test_samples_on_request(tmp_path: Path) -> None:
    """The sample agents are copied only for who asks for them."""
    layout = new_company(tmp_path / "acme", lang="zh", samples=True)

    assert "老黄" in layout.profile_md("laohuang").read_text()


# Where a company may be made


def test_empty_folder_stays_the_same_folder(tmp_path: Path) -> None:
    """`hc init .` fills the folder that the person stands in; it is not replaced by another one."""
    before = tmp_path.stat().st_ino

    init_company(tmp_path, environ={})

    assert tmp_path.stat().st_ino == before
    assert (tmp_path / "company.yaml").is_file()


def test_files_of_a_person_are_never_mixed_in(tmp_path: Path) -> None:
    """A folder that holds anything is refused, and stays as it is."""
    (tmp_path / "notes.txt").write_text("mine")
    before = tree(tmp_path)

    assert refused(tmp_path).code == "init-not-empty"
    assert tree(tmp_path) == before


def test_file_in_the_way_is_refused(tmp_path: Path) -> None:
    """A file of that name is not a folder to fill."""
    (tmp_path / "acme").write_text("mine")

    assert refused(tmp_path / "acme").code == "init-not-empty"


def test_no_company_inside_a_company(tmp_path: Path) -> None:
    """Neither a company again nor a folder deep inside of one becomes a company."""
    layout = new_company(tmp_path / "acme")

    assert refused(layout.root).code == "init-inside-company"
    assert refused(layout.outbox_root / "sub").code == "init-inside-company"


def test_missing_parent_is_refused(tmp_path: Path) -> None:
    """A misspelt path leaves no folders behind."""
    assert refused(tmp_path / "projcets/acme").code == "init-parent-missing"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["two\nlines", "bell\a", "half\ud800"])
def test_name_of_several_lines_is_refused(tmp_path: Path, name: str) -> None:
    """A company's name is one line of text."""
    assert refused(tmp_path / "acme", name=name).code == "init-bad-name"


def test_failure_takes_back_what_was_made(tmp_path: Path) -> None:
    """When an entry can't be moved into place, those before it are taken away again and a stranger's file stays."""

    def meet_an_intruder() -> None:
        with staged(tmp_path) as stage:
            (stage / "agents").mkdir()
            (stage / "tasks").mkdir()
            (tmp_path / "tasks/mine").mkdir(parents=True)

    with pytest.raises(OSError, match="not empty"):
        meet_an_intruder()

    assert tree(tmp_path) == {"tasks": None, "tasks/mine": None}


def test_interruption_leaves_no_new_folder(tmp_path: Path) -> None:
    """A company that could not be made leaves not even its folder."""

    def be_interrupted() -> None:
        with staged(tmp_path / "acme") as stage:
            (stage / "company.yaml").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        be_interrupted()

    assert list(tmp_path.iterdir()) == []


# Git


def test_company_is_a_git_repository(tmp_path: Path) -> None:
    """With git there, the company's history begins at its founding, in the person's name, without private files."""
    environ = git_environ(tmp_path / "home", "[user]\n  name = Li Wei\n  email = li@example.com\n")

    made = init_company(tmp_path / "acme", environ=environ)

    assert (made.git, made.committed) == (True, True)
    assert git(made.layout.root, environ, "log", "--format=%an") == "Li Wei\n"
    assert git(made.layout.root, environ, "status", "--porcelain") == ""
    tracked = git(made.layout.root, environ, "ls-files").splitlines()
    assert "tasks/todo/.gitkeep" in tracked
    assert not [path for path in tracked if path.startswith(".hc/")]


def test_nobody_s_name_is_made_up_for_git(tmp_path: Path) -> None:
    """Where git does not know who the person is, nothing is committed."""
    environ = git_environ(tmp_path / "home")

    made = init_company(tmp_path / "acme", environ=environ)

    assert (made.git, made.committed) == (True, False)


def test_signing_and_hooks_do_not_hold_it_up(tmp_path: Path) -> None:
    """A person's commit signing and hooks, which may ask for a passphrase, are not started by making a company."""
    identity = "[user]\n  name = L\n  email = l@example.com\n[commit]\n  gpgsign = true\n[gpg]\n  program = /bin/false\n"

    assert init_company(tmp_path / "acme", environ=git_environ(tmp_path / "home", identity)).committed


def test_surrounding_git_command_is_left_alone(tmp_path: Path) -> None:
    """Made from inside a git hook, the company gets its own repository instead of touching the surrounding one."""
    environ = git_environ(tmp_path / "home") | {"GIT_DIR": str(tmp_path / "other.git")}

    init_company(tmp_path / "acme", environ=environ)

    assert (tmp_path / "acme/.git").is_dir()
    assert not (tmp_path / "other.git").exists()


def test_existing_repository_is_used_and_not_committed_to(tmp_path: Path) -> None:
    """In a folder that is only a git repository the files are made, and committing them is left to the person."""
    environ = git_environ(tmp_path / "home", "[user]\n  name = L\n  email = l@example.com\n")
    root = tmp_path / "acme"
    root.mkdir()
    git(root, environ, "init", "--quiet")

    made = init_company(root, environ=environ)

    assert (made.git, made.committed) == (True, False)
    assert "?? company.yaml" in git(root, environ, "status", "--porcelain")


def test_company_without_git(tmp_path: Path) -> None:
    """Without git there is a company all the same."""
    made = init_company(tmp_path / "acme", environ={"PATH": str(tmp_path)})

    assert (made.git, made.committed) == (False, False)
    assert not (made.layout.root / ".git").exists()


# Whether a tree can run


@pytest.mark.parametrize("state", list(State))
def test_missing_state_folder_is_refused(tmp_path: Path, state: State) -> None:
    """A tree that lacks one of the five folders is named before anything is moved."""
    layout = new_company(tmp_path / "acme")
    shutil.rmtree(layout.state(state))

    assert tree_refusal(layout).code == "folder-missing"
    assert f"tasks/{state}" in str(tree_refusal(layout).fact)


def test_linked_state_folder_is_refused(tmp_path: Path) -> None:
    """A link could lead to another file system, where a move would not be one rename."""
    layout = new_company(tmp_path / "acme")
    layout.state(State.DONE).rename(tmp_path / "archive")
    layout.state(State.DONE).symlink_to(tmp_path / "archive")

    assert tree_refusal(layout).code == "folder-elsewhere"


def tree_refusal(layout: Layout) -> Refusal:
    """The refusal of running this tree."""
    with pytest.raises(Refusal) as caught:
        check_tree(layout)
    return caught.value
