"""`hc skill`: what the company's skills are, and what becomes of drafted ones."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Argument, Commands, Option, command
from hermes_company.cli.door import Door, Ended
from hermes_company.cli.words import columns
from hermes_company.wording import say

app = Commands()


_Name = Annotated[str, Argument(metavar="NAME", help="The skill's name, as `list` shows it.")]
_Names = Annotated[list[str], Argument(metavar="NAME…", help="One or more skills, as `list` shows them.")]


@command(app, "list", help="Show the company's skills: approved, drafted, rejected.", shows=True)
def list_skills(door: Door) -> None:
    """One line a skill; files that are none are named."""
    from hermes_company.cli.skilling import finding_json, skill_json
    from hermes_company.userspace.skills.shelf import Place

    found = {place: door.company.shelf.listed(place) for place in Place}
    skills, drafts, rejected = (found[place][0] for place in (Place.APPROVED, Place.DRAFT, Place.REJECTED))
    passed_over = [finding for _, findings in found.values() for finding in findings]
    if door.as_json:
        listed = {"skills": skills, "drafts": drafts, "rejected": rejected}
        in_json = {word: [skill_json(skill) for skill in part] for word, part in listed.items()}
        door.json({**in_json, "passed_over": [finding_json(finding) for finding in passed_over]})
        return
    for line in columns([(skill.name, skill.description) for skill in skills], most=door.columns, indent=0):
        door.line(line)
    if not skills:
        door.tell(say("There are no skills yet: each is a file company/skills/NAME/SKILL.md."))
    for head, part in ((say("Drafted, for you to review:"), drafts), (say("Rejected:"), rejected)):
        for line in [door.words(head), *columns([(s.name, s.description) for s in part], most=door.columns)] if part else ():
            door.line(line)
    for finding in passed_over:
        door.warn(say("{path} was passed over: {problem}", path=finding.path, problem=finding.problem))


@command(app, "show", help="Show a skill with where it comes from.", shows=True)
def show(door: Door, name: _Name) -> None:
    """Approved, drafted or rejected."""
    from hermes_company.cli.skilling import show_json, show_lines

    if door.as_json:
        door.json(show_json(door.company, name))
        return
    for line in show_lines(door.company, name, door.lang):
        door.line(line)


@command(app, "approve", help="Approve drafted skills: agents are told of them where they fit.", shows=True)
def approve(door: Door, names: _Names) -> None:
    """The same as approving their tickets."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.curating import record
    from hermes_company.cli.skilling import approve as act

    try:
        each(door, names, lambda name: act(door.company, name), what="skill")
    finally:
        record(door, f"skills: approve {' '.join(names)}")


@command(app, "reject", help="Reject skills: no agent is told of them, and they are not drafted again.", shows=True)
def reject(
    door: Door,
    names: _Names,
    message: Annotated[str, Option("--message", "-m", help="Why; it is kept beside the skill.")] = "",
) -> None:
    """The same as rejecting their tickets."""
    from hermes_company.cli.acts import each
    from hermes_company.cli.curating import record
    from hermes_company.cli.skilling import reject as act

    try:
        each(door, names, lambda name: act(door.company, name, message), what="skill")
    finally:
        record(door, f"skills: reject {' '.join(names)}")


@command(app, "edit", help="Change a skill in your editor, or take its new text from a file.")
def edit(
    door: Door,
    name: _Name,
    file: Annotated[str, Option("--file", metavar="FILE", help="The new text; `-` is standard input.")] = "",
) -> None:
    """What the standard does not want is refused, and kept."""
    from hermes_company.cli.skilling import edit as act

    door.tell(act(door, name, file).says)


@command(app, "rollback", help="Bring an earlier version of a skill back.")
def rollback(
    door: Door,
    name: _Name,
    to: Annotated[str, Option("--to", metavar="COMMIT", help="A commit; else the version before the last change.")] = "",
) -> None:
    """What is there now stays in the history."""
    from hermes_company.cli.skilling import roll_back

    door.tell(roll_back(door.company, name, to).says)


@command(app, "lint", help="Check the skills as strictly as the standard wants them.", shows=True)
def lint(door: Door) -> None:
    """Exit status 1 when something is wrong."""
    from hermes_company.folders.yaml_text import load_yaml
    from hermes_company.userspace.skills.lint import lint_skills

    findings = lint_skills(door.company.layout.skills, load_yaml)
    if door.as_json:
        door.json([{"path": found.path, "problem": found.problem.in_lang("en")} for found in findings])
    for found in () if door.as_json else findings:
        door.tell(say("{path}: {problem}", path=found.path, problem=found.problem))
    if findings:
        raise Ended(1)
    if not door.as_json:
        door.tell(say("All skills are as the standard wants them."))


@command(app, "migrate", help="Make a folder, as engines load it, of each flat skill file.")
def migrate(door: Door, dry_run: Annotated[bool, Option("--dry-run", help="Only say what would be done.")] = False) -> None:
    """The text stays; name and description go above it."""
    from hermes_company.cli.curating import record
    from hermes_company.folders.atomic import write_atomic
    from hermes_company.folders.yaml_text import load_yaml
    from hermes_company.userspace.skills.migrate import migrate as act
    from hermes_company.userspace.skills.migrate import plan_migration

    plan, findings = plan_migration(door.company.layout.skills, load_yaml)
    if not dry_run:
        act(plan, write_atomic)
        door.company.protection.vouch(place for step in plan for place in (step.old, step.new))
        record(door, "skills: migrate")
    for step in plan:
        door.line(f"{step.old} → {step.new}")
    if not plan:
        door.tell(say("There is no flat skill file."))
    for found in findings:
        door.warn(say("{path} was passed over: {problem}", path=found.path, problem=found.problem))
