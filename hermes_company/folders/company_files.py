"""Making a company's tree, whole or not at all, and what a tree must be like to run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unicodedata
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import create_exclusive
from hermes_company.folders.layout import MARKER, Layout
from hermes_company.folders.policy_file import glance_at_policy
from hermes_company.folders.settings_file import first_settings, socket_name
from hermes_company.folders.templates import template_files, template_source
from hermes_company.wording import Lang, Text, say

_STAGE = ".hc-init"
# An empty folder would not survive a `git clone` of the company.
_KEEP = ".gitkeep"
_IGNORED = "/.hc/\n/agents/*/runtime.json\n"
_GIT_SECONDS = 30
_IDENTITY = re.compile(r'\{"id": "([0-9a-f]{32})"\}\s*')


@dataclass(frozen=True, kw_only=True, slots=True)
class NewCompany:
    """What `init_company` made."""

    layout: Layout
    socket: str
    # Whether it is a git repository, and whether its first state is committed in the person's name.
    git: bool
    committed: bool


def init_company(
    target: Path, *, environ: Mapping[str, str], lang: Lang = "en", name: str = "", samples: bool = False
) -> NewCompany:
    """Make a company in `target`, a new or empty folder (one that is only a git repository counts as empty).

    Args:
        target: its parent must exist.
        environ: for git, which is used when it is on its PATH.
        lang: language of the templates and comments.
        name: shown to people; the folder's name when empty.
        samples: copies the sample agents as well.

    Raises:
        Refusal: `init-parent-missing`, `init-not-empty`, `init-inside-company`, `init-bad-name`, `templates-missing`.
        OSError: nothing of it is left behind.
    """
    root = target.expanduser().resolve()
    name = name or root.name
    _check_target(root, name)
    company_id = uuid.uuid4().hex
    socket = socket_name(root.name, company_id)
    with staged(root) as stage:
        _fill(Layout(stage), lang=lang, samples=samples, company_id=company_id)
        (stage / MARKER).write_text(first_settings(name=name, lang=lang, socket=socket), encoding="utf-8")
    git, committed = _git(root, environ)
    return NewCompany(layout=Layout(root), socket=socket, git=git, committed=committed)


def ensure_identity(layout: Layout) -> str:
    """The company's id (32 hex digits); a company without one, such as a fresh clone, gets a new one.

    Raises:
        Refusal: `identity-damaged`.
    """
    while (known := read_identity(layout)) is None:
        layout.private.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            _write_identity(layout, uuid.uuid4().hex)
    return known


def read_identity(layout: Layout) -> str | None:
    """The company's id; None for a company that has none yet.

    Raises:
        Refusal: `identity-damaged`.
    """
    try:
        text = layout.identity.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    found = _IDENTITY.fullmatch(text)
    if not found:
        raise _refuse(
            "identity-damaged",
            say("{file} does not hold the company's id.", file=layout.identity),
            say("The id tells this company's tmux session from others."),
            say("Stop `hc run`, delete the file, and start again: a new id is made."),
        )
    return found.group(1)


def check_tree(layout: Layout) -> None:
    """Make sure that moving a ticket can be one rename.

    Raises:
        Refusal: the first `folder_problem`.
    """
    for state in State:
        problem = folder_problem(layout, state)
        if problem:
            raise problem


def folder_problem(layout: Layout, state: State) -> Refusal | None:
    """What keeps tickets from being moved into a state folder by one rename.

    Returns:
        `folder-missing`, `folder-elsewhere` (a link, or on another file system), or None.
    """
    folder = layout.state(state)
    where = folder.relative_to(layout.root).as_posix()
    cause = say("A ticket is moved by one rename, which works within one file system only.")
    if not folder.is_dir():
        fact = say("The folder {folder} is missing.", folder=where)
        return Refusal("folder-missing", fact=fact, cause=cause, remedy=say("Make it: mkdir -p {folder}", folder=where))
    if folder.is_symlink() or folder.stat().st_dev != layout.root.stat().st_dev:
        fact = say("{folder} is a link or lies on another file system.", folder=where)
        remedy = say("Make it a plain folder of the company; move old tickets away from tasks/done instead.")
        return Refusal("folder-elsewhere", fact=fact, cause=cause, remedy=remedy)
    return None


def _check_target(root: Path, name: str) -> None:
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name) or not name:
        raise _refuse(
            "init-bad-name",
            say("{name} can't be a company's name.", name=repr(name)),
            say("It must be one line of text."),
            say("Give another one with --name."),
        )
    for folder in (root, *root.parents):
        if (folder / MARKER).exists():
            raise _refuse(
                "init-inside-company",
                say("{folder} is a company already.", folder=folder),
                say("One company can't lie inside another: nobody could tell whose a ticket is."),
                say("Choose a folder outside of it."),
            )
    if not root.parent.is_dir():
        raise _refuse(
            "init-parent-missing",
            say("{folder} does not exist.", folder=root.parent),
            say("A misspelt path would leave folders lying about."),
            say("Make it first: mkdir -p {folder}", folder=root.parent),
        )
    if root.exists() and (not root.is_dir() or any(entry.name != ".git" for entry in root.iterdir())):
        raise _refuse(
            "init-not-empty",
            say("{folder} is not empty.", folder=root),
            say("A person's files are never mixed with a new company's."),
            say("Choose a new folder."),
        )


def _refuse(code: str, fact: Text, cause: Text, remedy: Text) -> Refusal:
    return Refusal(code, fact=fact, cause=cause, remedy=remedy)


@contextmanager
def staged(root: Path) -> Iterator[Path]:
    """A hidden folder in `root` whose entries end up in `root`, the marker last; on any failure all is as it was.

    Staging inside and not beside: `root` may be the person's current folder, which must not be replaced.
    """
    fresh = not root.exists()
    root.mkdir(exist_ok=True)
    stage = root / _STAGE
    moved: list[Path] = []
    try:
        stage.mkdir()
        yield stage
        for entry in sorted(stage.iterdir(), key=lambda entry: entry.name == MARKER):
            entry.rename(root / entry.name)
            moved.append(root / entry.name)
        stage.rmdir()
    except BaseException:
        for path in (*reversed(moved), stage):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if fresh:
            with suppress(OSError):
                root.rmdir()
        raise


def _fill(layout: Layout, *, lang: Lang, samples: bool, company_id: str) -> None:
    kept = (
        *(layout.state(state) for state in State),
        layout.skills,
        layout.agents,
        layout.memory,
        layout.logs,
        layout.outbox_root,
    )
    for folder in kept:
        folder.mkdir(parents=True)
        (folder / _KEEP).touch()
    for place, source in template_files(template_source(), lang, samples=samples).items():
        target = layout.root / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    layout.private.mkdir(mode=0o700)
    _write_identity(layout, company_id)
    (layout.root / ".gitignore").write_text(_IGNORED, encoding="utf-8")
    # The first command is quick as well.
    glance_at_policy(layout)


def _write_identity(layout: Layout, company_id: str) -> None:
    create_exclusive(layout.identity, json.dumps({"id": company_id}) + "\n", mode=0o600)


def _git(root: Path, environ: Mapping[str, str]) -> tuple[bool, bool]:
    """Make `root` a git repository if git is there, and commit if the person has told git who they are.

    Returns:
        Whether it is a repository, and whether we committed. A repository that was there before is only looked at.
    """
    if (root / ".git").exists():
        return True, False
    program = shutil.which("git", path=environ.get("PATH", ""))
    # Of a surrounding git command (a hook, `git rebase --exec`): it would point git at another repository.
    clean = {key: value for key, value in environ.items() if not key.startswith("GIT_")}

    def git(*words: str) -> bool:
        command = [str(program), "-C", str(root), *words]
        try:
            done = subprocess.run(command, env=clean, stdin=subprocess.DEVNULL, capture_output=True, timeout=_GIT_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    if program is None or not git("init", "--quiet"):
        return False, False
    if not (git("config", "user.name") and git("config", "user.email")):
        return True, False
    unattended = ("-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")
    return True, git("add", "--all") and git(*unattended, "commit", "--quiet", "--message", "The company is founded")
