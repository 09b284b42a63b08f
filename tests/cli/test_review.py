"""`hc review`: what was handed in, and a person's answer."""

from __future__ import annotations

import pytest

from hermes_company.domain.run import Outcome
from hermes_company.domain.ticket import State
from hermes_company.folders.run_files import RunFiles
from hermes_company.wording import say
from tests.support.companies import tree
from tests.support.person import Person


def test_list(person: Person) -> None:
    """What waits for a person, with a mark where something is to be looked at."""
    nothing = person.ok("review").out
    person.drop("TASK-1", "# 落地页\n", state=State.REVIEW)
    person.attempt("TASK-1", outcome=Outcome.FINISHED, moved_to=State.REVIEW, flags=[say("Nobody answered.")])
    person.drop("TASK-2", "# By hand\n", state=State.REVIEW)
    lines = person.ok("review").lines

    assert nothing == "Nothing waits for you.\n"
    assert [line.split() for line in lines[:2]] == [["TASK-1", "worker", "!", "落地页"], ["TASK-2", "By", "hand"]]
    assert [(item["ticket"], item["agent"]) for item in person.ok("review", "--json").json] == [
        ("TASK-1", "worker"),
        ("TASK-2", None),
    ]


def test_show(person: Person) -> None:
    """The summary, the files that were handed in (ours left out), and the two answers."""
    person.hand_in("TASK-1", "## 步骤\n\n- 做完了\n")
    outbox = person.layout.outbox("worker", "TASK-1")
    (outbox / ".attempts/1").mkdir(parents=True)
    (outbox / ".attempts/1/old.txt").touch()
    (outbox / ".agents").mkdir()
    (outbox / ".agents/skills").symlink_to(outbox / "gone")
    (outbox / "site").mkdir()
    (outbox / "site/page.html").write_text("<p>")
    text = person.ok("review", "show", "TASK-1").out
    shown = person.ok("review", "show", "TASK-1", "--json").json

    assert "做完了" in text
    assert "  site/page.html\n" in text
    assert "DONE" not in text
    assert "old.txt" not in text
    assert text.rstrip().endswith("→ `hc review approve TASK-1` or `hc review reject TASK-1 -m …`")
    assert [path.removeprefix(f"{outbox}/") for path in shown["files"]] == ["site/page.html", "summary.md"]


def test_show_says_when_nothing_can_be_learned(person: Person) -> None:
    """A summary without any heading that we know is pointed out before it is accepted; one with a heading is not."""
    person.hand_in("TASK-1", "All good, done.")
    person.hand_in("TASK-2", "## Steps\n\n- Did it.\n")

    assert "! Its summary has none of the headings" in person.ok("review", "show", "TASK-1").out
    assert person.ok("review", "show", "TASK-1", "--json").json["thin"] is True
    assert "headings" not in person.ok("review", "show", "TASK-2").out
    assert person.ok("review", "show", "TASK-2", "--json").json["thin"] is False


def test_show_reads_no_links(person: Person) -> None:
    """A summary that is a link out of the company is not read."""
    person.hand_in("TASK-1")
    summary = person.layout.outbox("worker", "TASK-1") / "summary.md"
    summary.unlink()
    summary.symlink_to("/etc/passwd")

    assert person.ok("review", "show", "TASK-1", "--json").json["summary"] is None


def test_show_hides_what_a_terminal_would_obey(person: Person) -> None:
    """An agent's summary can't take over the terminal that shows it."""
    person.hand_in("TASK-1", "\x1b]0;owned\x07\x1b[2J done")

    assert "\x1b" not in person.ok("review", "show", "TASK-1").out


def test_approve(person: Person) -> None:
    """Accepted, the ticket lies in done; again, nothing changes; the word on it is kept with the attempt."""
    person.hand_in("TASK-1")
    person.hand_in("TASK-2")
    did = person.ok("review", "approve", "TASK-1", "TASK-2", "-m", "good", "--json").json
    again = person.ok("review", "approve", "TASK-1", "--json").json

    assert [person.where(ticket) for ticket in ("TASK-1", "TASK-2")] == [State.DONE, State.DONE]
    assert [answer["changed"] for answer in [*did, *again]] == [True, True, False]
    assert (person.layout.run("TASK-1", 1) / "approval.md").read_text() == "good"


def test_reject(person: Person) -> None:
    """Sent back, the feedback lies with the attempt and the ticket in doing, where the conversation goes on."""
    person.hand_in("TASK-1")
    answer = person.ok("review", "reject", "TASK-1", "-m", "请补上错误提示")

    assert person.where("TASK-1") is State.DOING
    assert RunFiles(person.layout).feedback("TASK-1", 1) == "请补上错误提示"
    assert answer.out == "TASK-1 goes back to worker with your feedback.\n"


def test_reject_anew(person: Person) -> None:
    """`--anew` queues it from the beginning instead."""
    person.hand_in("TASK-1")
    person.ok("review", "reject", "TASK-1", "-m", "not like this", "--anew")

    assert person.where("TASK-1") is State.TODO


def test_reject_opens_what_was_accepted(person: Person) -> None:
    """Second thoughts: what is done can still be sent back."""
    person.hand_in("TASK-1")
    person.ok("review", "approve", "TASK-1")
    person.ok("review", "reject", "TASK-1", "-m", "the form is gone")

    assert person.where("TASK-1") is State.DOING


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("approve", "TASK-T"), "not-in-review"),
        (("reject", "TASK-T", "-m", "x"), "not-in-review"),
        (("approve", "TASK-404"), "ticket-unknown"),
        (("reject", "TASK-R", "-m", "  "), "feedback-empty"),
        (("reject", "TASK-H", "-m", "x"), "no-attempt"),
    ],
)
def test_what_can_not_be_judged(person: Person, argv: tuple[str, ...], code: str) -> None:
    """Nothing handed in, nothing said, nobody to say it to: refused, and nothing is changed."""
    person.drop("TASK-T")
    person.hand_in("TASK-R")
    person.drop("TASK-H", state=State.REVIEW)
    before = tree(person.layout.tasks)
    answer = person.hc("review", *argv)

    assert answer.status == 2
    assert answer.err.startswith(f"✗ {code}: ")
    assert tree(person.layout.tasks) == before


def test_reject_needs_words(person: Person) -> None:
    """A rejection without a reason is not understood at all."""
    person.hand_in("TASK-1")

    assert "--message" in person.hc("review", "reject", "TASK-1").err
    assert person.where("TASK-1") is State.REVIEW
