"""`hc task new`: a ticket is right when it is made, or it is not made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.ticket_file import parse_ticket
from tests.support.companies import new_company, tree
from tests.support.person import Person, both_ways

pytestmark = both_ways


def tickets(person: Person) -> list[str]:
    """What lies in todo."""
    return sorted(path.stem for path in person.layout.state(State.TODO).glob("*.md"))


def test_what_is_said_stands_in_the_file(person: Person) -> None:
    """Every option ends up in the front matter, the text behind it, and the file is read back as the same ticket."""
    site = person.here.parent / "site 站点"
    site.mkdir()
    person.drop("TASK-007", state=State.DONE)
    answer = person.ok(
        *("task", "new", "开发知识库商品落地页", "--owner", "worker", "--workdir", "../site 站点", "--priority", "high"),
        *("--needs", "TASK-007", "--skills", "sh，tidy", "--skill-pack", "web", "--timeout-minutes", "12.5", "--hold"),
        *("--not-before", "2026-05-01T09:00", "--expects", "page.html,img/a.png", "--file", "-"),
        stdin="# 背景\n\n---\nkey: not front matter\n",
    )
    ticket = parse_ticket("TASK-008", person.layout.ticket("TASK-008", State.TODO).read_bytes())

    assert answer.lines[0] == "TASK-008  tasks/todo/TASK-008.md"
    assert (ticket.title, ticket.owner, ticket.workdir) == ("开发知识库商品落地页", "worker", str(site))
    assert (ticket.priority.value, ticket.needs, ticket.skills) == ("high", ("TASK-007",), ("sh", "tidy"))
    assert (ticket.skill_pack, ticket.timeout_minutes, ticket.hold) == (("web",), 12.5, True)
    assert ticket.not_before is not None
    assert ticket.expects == ("page.html", "img/a.png")
    assert ticket.body == "\n# 背景\n\n---\nkey: not front matter\n"
    assert (ticket.created_by, ticket.created is not None) == ("ann", True)


def test_the_answer_says_what_happens_next(person: Person, chinese: Person) -> None:
    """The new ticket's place, and why it does or does not start; in the person's language, or in JSON."""
    assert person.ok("task", "new", "Count").lines[1].strip() == "It can start now, with worker. `hc run` starts it."
    assert chinese.ok("task", "new", "数一数").lines[1].strip() == "现在就可以开始，由 worker 处理。`hc run` 会启动它。"
    made = person.ok("task", "new", "Count again", "--needs", "TASK-001", "--json").json
    assert (made["ticket"], made["state"], made["code"]) == ("TASK-002", "todo", "needs")
    assert Path(made["file"]) == person.layout.ticket("TASK-002", State.TODO)


def test_numbers_are_never_used_again(person: Person) -> None:
    """The next number is above every ticket in any folder and every ticket that ever ran, deleted ones included."""
    person.drop("TASK-009", state=State.REVIEW)
    person.drop("task-011", state=State.BLOCKED)
    person.attempt("TASK-020")
    person.ok("task", "new", "a")

    assert tickets(person) == ["TASK-021"]


def test_two_at_once_get_two_numbers(person: Person) -> None:
    """Many `hc task new` at the same moment make as many tickets."""
    command = [sys.executable, "-m", "hermes_company", "task", "new", "race", "--root", str(person.here)]
    racing = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    ended = [(process.communicate(timeout=60), process.returncode) for process in racing]

    assert [status for _, status in ended] == [0] * 6, ended
    assert tickets(person) == [f"TASK-{number:03}" for number in range(1, 7)]


def test_an_id_of_ones_own(person: Person) -> None:
    """`--id` names the ticket; an id that is or was in use, in whatever case, is refused."""
    person.ok("task", "new", "a", "--id", "landing-page")
    person.attempt("gone")
    taken = [person.hc("task", "new", "b", "--id", word) for word in ("landing-page", "Landing-Page", "gone")]

    assert tickets(person) == ["landing-page"]
    assert [answer.status for answer in taken] == [2, 2, 2]
    assert all("ticket-id-taken" in answer.err for answer in taken)


@pytest.mark.parametrize(
    ("argv", "code", "hint"),
    [
        (("--owner", "workr"), "agent-unknown", "Did you mean `worker`?"),
        (("--workdir", "nowhere"), "workdir-missing", "Create the folder"),
        (("--project", "site"), "project-unknown", "projects:"),
        (("--project", "site", "--workdir", "."), "workdir-ambiguous", "Keep one"),
        (("--needs", "TASK-404"), "need-unknown", "Create TASK-404"),
        (("--needs", "a b"), "ticket-unwritable", ""),
        (("--skills", "a/b"), "ticket-unwritable", ""),
        (("--timeout-minutes", "0"), "ticket-unwritable", "hc task new"),
        (("--not-before", "soon"), "ticket-unwritable", ""),
        (("--expects", "../secret"), "ticket-unwritable", ""),
        (("--expects", "{a,b}.html"), "ticket-unwritable", "hc task new"),
        (("--expects", "~/page.html"), "ticket-unwritable", "hc task new"),
        (("--file", "missing.md"), "brief-unreadable", "standard input"),
        (("--id", "../x"), "ticket-bad-name", "TASK-042"),
        (("--id", "TASK..1"), "ticket-bad-name", ""),
    ],
)
def test_what_is_wrong_is_refused_now(person: Person, argv: tuple[str, ...], code: str, hint: str) -> None:
    """What can be known to be wrong is refused with the way out, and nothing at all is written."""
    before = tree(person.here)
    answer = person.hc("task", "new", "title", *argv)

    assert answer.status == 2
    assert answer.err.startswith(f"✗ {code}: ")
    assert hint in answer.err
    assert tree(person.here) == before


def test_a_circle_is_refused(person: Person) -> None:
    """A ticket that would wait for itself is refused, with the circle."""
    person.drop("a", "---\nneeds: [b]\n---\n")
    answer = person.hc("task", "new", "b", "--id", "b", "--needs", "a")

    assert answer.err.startswith("✗ need-circle: It waits for itself: b → a → b.")


def test_an_agent_that_cannot_be_used_is_refused(person: Person) -> None:
    """A broken profile or an engine that does not exist is found out now, not when the ticket has waited for a day."""
    profile = person.layout.profile_json("worker")
    profile.write_text('{"name": "worker", "engine": "shel"}')
    unknown = person.hc("task", "new", "x", "--owner", "worker")
    profile.write_text("{")
    broken = person.hc("task", "new", "x", "--owner", "worker")

    assert "engine-unknown" in unknown.err
    assert "agent-bad-json" in broken.err
    assert tickets(person) == []


def test_what_may_come_right_is_only_told(person: Person) -> None:
    """A missing program or skill does not keep a ticket from being made; it is said at once."""
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    missing = person.ok("task", "new", "x", "--owner", "lao")
    nobody = person.ok("task", "new", "y", "--skills", "cobol")

    assert "npm install" in missing.err
    assert "cobol" in nobody.err
    assert tickets(person) == ["TASK-001", "TASK-002"]


def test_text_that_is_no_text_is_refused(person: Person) -> None:
    """A brief that is not UTF-8 or far too long makes no ticket."""
    (person.here / "gbk.md").write_bytes("落地页".encode("gbk"))
    (person.here / "long.md").write_bytes(b"a" * 1_000_000)

    assert "not UTF-8" in person.hc("task", "new", "x", "--file", "gbk.md").err
    assert "larger than" in person.hc("task", "new", "x", "--file", "long.md").err
    assert tickets(person) == []


def test_a_title_is_data(person: Person) -> None:
    """Quotes, colons, YAML, templates and escape sequences in a title stay a title, in the file and on the terminal."""
    title = 'fix: `{{ x }}` "quoted" #1 $(touch pwned) \x1b[31mred'
    answer = person.ok("task", "new", title)
    ticket = parse_ticket("TASK-001", person.layout.ticket("TASK-001", State.TODO).read_bytes())

    assert ticket.title == title.replace("\x1b", " ")
    assert "\x1b" not in answer.out + person.ok("task", "list").out
    assert not list(person.here.rglob("pwned"))


def test_a_new_ticket_counts_as_written(person: Person) -> None:
    """The loop need not wait for the file to rest: it was written whole."""
    person.ok("task", "new", "x")

    assert person.ok("why", "TASK-001", "--json").json["code"] == "ready"


def test_a_company_without_agents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anybody is hired a ticket can be made; the answer says that somebody has to be."""
    person = Person(new_company(tmp_path / "acme").root, capsys)
    answer = person.ok("task", "new", "x")

    assert answer.err == ""
    assert answer.lines[1] == "  The company has no agent that can be used. `hc agent add NAME --engine …`."
