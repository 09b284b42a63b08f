"""`hc status`: the company on one page, and looking changes nothing."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_company.bootstrap import open_company
from hermes_company.cli.report import make_report, report_lines
from hermes_company.cli.words import width
from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.system_clock import SystemClock
from hermes_company.wording import say
from tests.support.companies import tree
from tests.support.person import Person, both_ways

pytestmark = both_ways


def busy_company(person: Person) -> None:
    """A bit of everything."""
    person.ok("agent", "add", "lao", "--engine", "claude-code", "--skills", "nextjs")
    person.drop("TASK-1", state=State.DOING)
    person.attempt("TASK-1", title="开发知识库商品落地页")
    person.drop("TASK-2", "---\ntitle: Wait\nneeds: [TASK-1]\n---\n")
    person.drop("TASK-3", "---\ntitle: Urgent\npriority: urgent\nowner: nobody\n---\n")
    person.hand_in("TASK-4")
    person.drop("TASK-5", "# Stuck\n", state=State.BLOCKED)
    person.attempt(
        "TASK-5",
        outcome=Outcome.TIMED_OUT,
        moved_to=State.BLOCKED,
        reason=say("It ran over its {minutes:g} minutes.", minutes=30),
    )
    person.drop("bad", "---\ntitle: [\n---\n")
    person.drop("TASK-6", state=State.DONE)
    person.layout.agent("broken").mkdir()
    EventLog(person.layout.events_file, SystemClock()).append("ticket.added", ticket="TASK-1", data={"to": "todo"})


def test_the_page(person: Person) -> None:
    """Counts, agents, what waits and why, what is for a person, what needs correction."""
    busy_company(person)
    text = person.ok("status").out
    parts = [part.splitlines() for part in text.split("\n\n")]

    assert parts[0][0] == "acme  nobody runs it: `hc run`"
    assert parts[0][1] == "todo 3   doing 1   blocked 1   review 1   done 1"
    assert parts[1][0] == "Agents"
    assert [row.split()[0] for row in parts[1][1:]] == ["broken", "lao", "worker"]
    assert "TASK-1 since " in parts[1][3]
    assert parts[2][1].split()[:2] == ["TASK-3", "Urgent"]
    assert parts[2][2].endswith("It waits for TASK-1, which is in doing.")
    assert [row.split()[0] for row in parts[3][1:]] == ["TASK-4", "TASK-5"]
    assert parts[3][2].endswith("blocked: It ran over its 30 minutes.")
    assert parts[4][1].startswith("  tasks/todo/bad.md:3  The front matter is not readable YAML")
    assert "agents/broken/profile.json" in parts[4][2]
    assert parts[5] == ["To watch the agents: tmux -L hermes-acme -u attach -t hermes"]


def test_for_programs(person: Person) -> None:
    """The same as one JSON object."""
    busy_company(person)
    person.loop_runs()
    page = person.ok("status", "--json").json

    assert page["counts"] == {"todo": 3, "doing": 1, "blocked": 1, "review": 1, "done": 1}
    assert set(page) == {
        *("name", "root", "at", "loop", "counts", "agents", "running", "waiting", "people", "unreadable", "budgets", "attach")
    }
    assert set(page["loop"]) == {"pid", "host", "since"}
    assert [(row["name"], row["status"]) for row in page["agents"]] == [
        *(("broken", "unusable"), ("lao", "unusable"), ("worker", "busy"))
    ]
    assert [(run["ticket"], run["agent"], run["phase"]) for run in page["running"]] == [("TASK-1", "worker", "launched")]
    assert [(item["ticket"], item["code"]) for item in page["waiting"]] == [("TASK-3", "owner-unknown"), ("TASK-2", "needs")]
    assert [(item["ticket"], item["state"], item["code"]) for item in page["people"]] == [
        *(("TASK-4", "review", "review"), ("TASK-5", "blocked", "timed_out"))
    ]
    assert [(file["path"], file["line"]) for file in page["unreadable"]] == [("tasks/todo/bad.md", 3)]


def test_in_chinese(chinese: Person) -> None:
    """A Chinese company's page is Chinese."""
    busy_company(chinese)
    text = chinese.ok("status").out

    assert "没有在运行：`hc run`" in text
    assert "等人处理（2）" in text
    assert "受阻：运行超过了 30 分钟的时限。" in text


def test_long_lists_are_cut_and_counted(person: Person) -> None:
    """A page stays a page: what is left out is counted."""
    for number in range(30):
        person.drop(f"TASK-{number:03}", "---\nhold: true\n---\n")
    lines = person.ok("status").lines

    assert "Waiting (30)" in lines
    assert "  … and 18 more" in lines
    assert len(person.ok("status", "--json").json["waiting"]) == 30


def test_what_is_conspicuous_is_for_a_person(person: Person) -> None:
    """An attempt at work that nothing moves in, or whose processes survive their end, is pointed out with the ways out."""
    for ticket in ("TASK-1", "TASK-2", "TASK-3"):
        person.drop(ticket, f"---\ntitle: {ticket} it is\n---\n", state=State.DOING)
    quiet = say("Nothing has moved for more than {minutes:.0f} minutes.", minutes=10)
    person.attempt("TASK-1", flags=[quiet])
    stuck = say("Processes survive their end: {pids}.", pids="7, 8")
    ending = replace(person.attempt("TASK-2"), phase=Phase.ENDING, outcome=Outcome.STOPPED, flags=(stuck,))
    RunFiles(person.layout).save(ending)
    person.attempt("TASK-3")
    person.loop_runs()
    rows = person.ok("status").out.split("For a person (2)\n")[1].splitlines()
    people = person.ok("status", "--json").json["people"]

    assert rows[0].split("  ")[-1] == (
        "! Nothing has moved for more than 10 minutes. `hc attach worker` shows it, `hc task stop TASK-1` ends it."
    )
    assert "! Processes survive their end: 7, 8. The ticket stays where it is until they are gone" in rows[1]
    assert [(item["ticket"], item["state"], item["code"]) for item in people] == [
        *(("TASK-1", "doing", "running"), ("TASK-2", "doing", "ending"))
    ]


def test_a_hostile_title_stays_on_its_line(person: Person) -> None:
    """Escape sequences and line breaks of a ticket can't paint the page."""
    person.drop("TASK-1", '---\ntitle: "a\\n\\e[2Jb\\x9b1m"\n---\n')
    answer = person.ok("status")

    assert "\x1b" not in answer.out
    assert "\x9b" not in answer.out
    assert "\x9b" not in person.ok("status", "--json").out
    assert sum("TASK-1" in line for line in answer.lines) == 1


READING = [
    *(("status",), ("status", "--json"), ("task", "list"), ("task", "list", "--state", "done"), ("task", "show", "TASK-1")),
    *(("task", "show", "TASK-4", "--json"), ("why", "TASK-1"), ("why", "TASK-2"), ("why", "bad"), ("why", "TASK-5")),
    *(("review",), ("review", "show", "TASK-4"), ("review", "--json"), ("agent", "list"), ("agent", "show", "worker")),
    *(("events",), ("events", "--json"), ("attach", "--print"), ("--help",), ("task", "new", "--help"), ("why", "TASK-404")),
]


@pytest.mark.parametrize("argv", READING, ids=" ".join)
def test_reading_writes_nothing(person: Person, argv: tuple[str, ...]) -> None:
    """What only shows leaves every byte of the company as it was."""
    busy_company(person)
    before, times = tree(person.here), _times(person.here)
    person.hc(*argv)

    assert tree(person.here) == before
    assert _times(person.here) == times


@pytest.mark.parametrize("argv", [("status",), ("why", "TASK-1"), ("task", "show", "TASK-1"), ("attach",), ("review",)])
def test_reading_a_fresh_clone_writes_nothing(person: Person, argv: tuple[str, ...]) -> None:
    """A company that never ran here, such as a fresh clone without `.hc`, is looked at without making anything."""
    person.drop("TASK-1")
    shutil.rmtree(person.layout.private)
    before = tree(person.here)
    person.hc(*argv)

    assert tree(person.here) == before


def _times(root: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mtime_ns for path in root.rglob("*")}


def test_fits_a_narrow_terminal(person: Person) -> None:
    """On a terminal no line is wider than it, in any language."""
    busy_company(person)
    report = make_report(open_company(person.here, person.environ, person.here))
    for lang in ("en", "zh"):
        for columns in (20, 60, 120):
            lines = [line for _, line in report_lines(report, lang, width=columns, most=5)]  # type: ignore[arg-type]
            assert max(width(line) for line in lines) <= columns
