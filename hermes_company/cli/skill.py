"""`hc skill`: what the company's skills are."""

from __future__ import annotations

from typing import Annotated

from hermes_company.cli.commands import Commands, Option, command
from hermes_company.cli.door import Door, Ended
from hermes_company.cli.words import columns
from hermes_company.wording import say

app = Commands()


@command(app, "list", help="Show the company's skills.", shows=True)
def list_skills(door: Door) -> None:
    """One line a skill; files that are none are named."""
    from hermes_company.folders.yaml_text import load_yaml
    from hermes_company.userspace.skills.skill_file import read_skills

    skills, findings = read_skills(door.company.layout.skills, load_yaml)
    if door.as_json:
        found = [{"name": s.name, "description": s.description, "path": str(s.path)} for s in skills]
        passed_over = [{"path": f.path, "problem": f.problem.in_lang("en")} for f in findings]
        door.json({"skills": found, "passed_over": passed_over})
        return
    for line in columns([(skill.name, skill.description) for skill in skills], most=door.columns, indent=0):
        door.line(line)
    if not skills:
        door.tell(say("There are no skills yet: each is a file company/skills/NAME/SKILL.md."))
    for finding in findings:
        door.warn(say("{path} was passed over: {problem}", path=finding.path, problem=finding.problem))


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
        record(door, "skills: migrate")
    for step in plan:
        door.line(f"{step.old} → {step.new}")
    if not plan:
        door.tell(say("There is no flat skill file."))
    for found in findings:
        door.warn(say("{path} was passed over: {problem}", path=found.path, problem=found.problem))
