"""Skills as lists and in full, and a person's answers to drafted ones."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.cli.acts import Did, move
from hermes_company.cli.curating import record
from hermes_company.domain.ticket import State
from hermes_company.errors import Refusal
from hermes_company.folders.atomic import write_atomic
from hermes_company.folders.yaml_text import load_yaml
from hermes_company.userspace.files import Unreadable, read_text
from hermes_company.userspace.skills.lint import lint_skill
from hermes_company.userspace.skills.shelf import NameTaken, Place, Shelved
from hermes_company.userspace.skills.skill_file import FILE_NAME, MAX_BYTES, Skill
from hermes_company.wording import Lang, Text, say

if TYPE_CHECKING:
    from hermes_company.bootstrap import Company
    from hermes_company.cli.door import Door
    from hermes_company.userspace.files import Finding

_PLACES: dict[Place, Text] = {
    Place.DRAFT: say("It is a draft: no agent is told of it before you approve it."),
    Place.APPROVED: say("It is approved: agents are told of it where it fits."),
    Place.REJECTED: say("It is rejected, and not drafted again."),
}


def skill_json(skill: Skill) -> dict[str, object]:
    """One skill in a list, for `--json`."""
    return {"name": skill.name, "description": skill.description, "path": str(skill.path)}


def finding_json(found: Finding) -> dict[str, object]:
    """Something that was passed over or is wrong, for `--json`."""
    return {"path": found.path, "problem": found.problem.in_lang("en")}


def find(company: Company, name: str) -> Shelved:
    """The skill of that name.

    Raises:
        Refusal: `skill-unknown`.
    """
    found = company.shelf.find(name)
    if found is None:
        import difflib

        known = [skill.name for place in Place for skill in company.shelf.listed(place)[0]]
        close = difflib.get_close_matches(name, known, n=1)
        raise Refusal(
            "skill-unknown",
            fact=say("There is no skill {name}.", name=name),
            cause=say("Neither among the drafts nor among the approved ones is a folder of that name with a SKILL.md."),
            remedy=say("Did you mean `{close}`?", close=close[0]) if close else say("`hc skill list` shows what there is."),
        )
    return found


def show_json(company: Company, name: str) -> dict[str, object]:
    """A skill in full, for `--json`."""
    skill = find(company, name)
    return {
        "name": skill.name,
        "state": skill.place.value,
        "path": str(skill.path),
        "ticket": _ticket(company, skill),
        "metadata": dict(company.shelf.metadata(skill)),
        "problems": [found.problem.in_lang("en") for found in company.shelf.problems(skill)],
        "text": _text(skill.path),
    }


def show_lines(company: Company, name: str, lang: Lang) -> Iterator[str]:
    """A skill in full, for people."""
    skill = find(company, name)
    yield f"{skill.name}  {skill.path}"
    yield f"  {_PLACES[skill.place].in_lang(lang)}"
    for found in company.shelf.problems(skill):
        yield f"  ! {found.problem.in_lang(lang)}"
    yield ""
    yield _text(skill.path).strip()
    if skill.place is Place.DRAFT:
        yield ""
        yield f"→ {say('`hc skill approve {name}` or `hc skill reject {name} -m …`', name=skill.name).in_lang(lang)}"


def approve(company: Company, name: str) -> Did:
    """Let agents be told of a skill from now on; its ticket is done.

    Raises:
        Refusal: `skill-unknown`, `skill-unfit`, `skill-exists`, `ticket-moved`.
    """
    with company.shelf.deciding():
        skill = find(company, name)
        decided = skill.place is Place.APPROVED
        if not decided:
            _require_fit(skill, company.shelf.problems(skill), say("Correct it: `hc skill edit {name}`.", name=name))
            _move(company, skill, Place.APPROVED)
        closed = _close(company, skill)
    if decided and not closed:
        return Did(False, say("The skill {name} is approved already.", name=name))
    return Did(True, say("The skill {name} is approved.", name=name))


def reject(company: Company, name: str, words: str) -> Did:
    """Say no to a skill: it is not drafted again, and no agent is told of it any more; its ticket is done.

    Raises:
        Refusal: `skill-unknown`, `skill-exists`, `ticket-moved`.
    """
    with company.shelf.deciding():
        skill = find(company, name)
        decided = skill.place is Place.REJECTED
        if not decided:
            _move(company, skill, Place.REJECTED, words)
        closed = _close(company, skill)
    if decided and not closed:
        return Did(False, say("The skill {name} is rejected already.", name=name))
    return Did(True, say("The skill {name} is rejected.", name=name))


def edit(door: Door, name: str, file: str) -> Did:
    """Replace a skill's SKILL.md by what a person wrote, once it is as the standard wants it.

    Raises:
        Refusal: `skill-unknown`, `skill-unfit`, `text-unreadable`, `editor-missing`, `editor-failed`.
    """
    company = door.company
    skill = find(company, name)
    before = _text(skill.path)
    # Named as the skill's own file is: the lint compares folder and name.
    candidate = company.layout.private / "edit" / name / FILE_NAME
    candidate.parent.mkdir(parents=True, exist_ok=True)
    if file:
        candidate.write_text(_given(file, door.cwd), encoding="utf-8")
    else:
        _edited(door, candidate, before)
    after = _text(candidate)
    again = say("Your text is kept in {file}; `hc skill edit {name}` opens it again.", name=name, file=candidate)
    _require_fit(skill, lint_skill(candidate, load_yaml), again)
    if after != before:
        # It may have been approved while it was in the editor.
        own = find(company, name).path
        write_atomic(own, after)
        company.protection.vouch((own,))
        record(door, f"skills: edit {name}")
    candidate.unlink()
    if after == before:
        return Did(False, say("The skill {name} says that already.", name=name))
    return Did(True, say("The skill {name} is changed.", name=name))


def roll_back(company: Company, name: str, to: str) -> Did:
    """Bring an earlier version of an approved skill back.

    Raises:
        Refusal: `skill-unknown`, or what `SkillVersions.roll_back` refuses.
    """
    from hermes_company.domain.names import is_skill_name
    from hermes_company.userspace.memory.git import Git
    from hermes_company.userspace.skills.rollback import SkillVersions

    if not is_skill_name(name):
        find(company, name)
    layout = company.layout
    folder = company.shelf.folder(name, Place.APPROVED).relative_to(layout.root)
    commit = SkillVersions(Git(layout.root, company.environ), company.history, folder).roll_back(to)
    company.protection.vouch((layout.root / folder,))
    return Did(
        True, say("The skill {name} is as it was in {commit}. The same again takes that back.", name=name, commit=commit[:12])
    )


def _ticket(company: Company, skill: Shelved) -> str | None:
    """The ticket that the skill was filed with, where there is one."""
    ours = company.shelf.of_ticket(skill.ticket)
    return skill.ticket if ours and company.board.view(fresh=True).states.get(skill.ticket) else None


def _close(company: Company, skill: Shelved) -> bool:
    """Move the skill's ticket to done, where it came by one; whether that was still to do."""
    ticket = _ticket(company, skill)
    state = company.board.view().states.get(ticket) if ticket else None
    if ticket is None or state is None or state is State.DONE:
        return False
    move(company, ticket, state, State.DONE)
    return True


def _move(company: Company, skill: Shelved, to: Place, words: str = "") -> None:
    try:
        company.shelf.move(skill, to, reason=words)
    except NameTaken:
        folder = company.shelf.folder(skill.name, to)
        raise Refusal(
            "skill-exists",
            fact=say("There is a skill in {folder} already.", folder=folder),
            cause=say("One of the two skills would be lost."),
            remedy=say("Move that folder away, or give one of them another name."),
        ) from None


def _require_fit(skill: Shelved, problems: list[Finding], remedy: Text) -> None:
    if problems:
        raise Refusal(
            "skill-unfit",
            fact=say("{name}: {problem}.", name=skill.name, problem=problems[0].problem),
            cause=say("The engines would load it otherwise than it is meant, or not at all."),
            remedy=remedy,
        )


def _text(path: Path) -> str:
    try:
        return read_text(path, MAX_BYTES)
    except (FileNotFoundError, Unreadable) as problem:
        reason = problem.reason if isinstance(problem, Unreadable) else say("it is gone")
        raise _unreadable(str(path), reason) from None


def _given(file: str, cwd: Path) -> str:
    if file != "-":
        return _text(cwd / Path(file).expanduser())
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise _unreadable(file, say("it is larger than {limit} bytes", limit=MAX_BYTES))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(file, say("it is not UTF-8 text")) from None


def _unreadable(file: str, reason: Text) -> Refusal:
    return Refusal(
        "text-unreadable",
        fact=say("{file} was not read: {reason}.", file=file, reason=reason),
        cause=say("The skill is as it was."),
        remedy=say("Name a UTF-8 text file, or `-` for standard input."),
    )


def _edited(door: Door, candidate: Path, text: str) -> None:
    """Let the person edit the text, or what they had made of it when it was refused."""
    if not candidate.exists():
        candidate.write_text(text, encoding="utf-8")
    try:
        _run_editor(door, candidate)
    except Refusal:
        if _text(candidate) == text:
            candidate.unlink()
        raise


def _run_editor(door: Door, file: Path) -> None:
    editor = door.environ.get("VISUAL") or door.environ.get("EDITOR") or ""
    if not editor.strip():
        raise Refusal(
            "editor-missing",
            fact=say("Neither VISUAL nor EDITOR names an editor."),
            cause=say("The skill is as it was."),
            remedy=say("Set EDITOR, or give the new text with --file."),
        )
    try:
        status = subprocess.run([*shlex.split(editor), str(file)], env=dict(door.environ), check=False).returncode
    except (OSError, ValueError) as problem:
        raise _editor_failed(editor, say("{problem}", problem=str(problem))) from None
    if status != 0:
        raise _editor_failed(editor, say("it ended with status {status}", status=status))


def _editor_failed(editor: str, reason: Text) -> Refusal:
    return Refusal(
        "editor-failed",
        fact=say("The editor {editor} failed: {reason}.", editor=editor, reason=reason),
        cause=say("The skill is as it was."),
        remedy=say("Set EDITOR, or give the new text with --file."),
    )
