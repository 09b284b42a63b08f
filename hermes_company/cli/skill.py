"""`hc skill`: what the company's skills are."""

from __future__ import annotations

from hermes_company.cli.commands import Commands, command
from hermes_company.cli.door import Door
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
