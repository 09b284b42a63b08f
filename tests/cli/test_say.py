"""`hc say` where nobody is at work: what becomes of the words, and when there is nobody to be told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from hermes_company.cli.straight import understand
from hermes_company.domain.run import Outcome, Phase
from hermes_company.domain.ticket import State
from hermes_company.domain.words import starts_like_a_command, takes_enter, typable
from hermes_company.folders.event_log import EventLog
from hermes_company.folders.run_files import RunFiles
from hermes_company.folders.system_clock import SystemClock
from hermes_company.folders.told import Told
from tests.support.person import Person

READERS = [pytest.param(understand, id="straight"), pytest.param(lambda argv: None, id="typer")]


def feedback(person: Person, ticket: str, attempt: int = 1) -> str | None:
    """What is kept for the next attempt."""
    return RunFiles(person.layout).feedback(ticket, attempt)


@pytest.mark.parametrize("state", [State.REVIEW, State.BLOCKED])
def test_words_send_a_ticket_back_to_work(person: Person, state: State) -> None:
    """From review and from blocked it goes to doing with the words as feedback; the move is said."""
    person.drop("T-1", state=state)
    person.attempt("T-1", outcome=Outcome.FINISHED, moved_to=state)

    answer = person.ok("say", "T-1", "Make it\tshort; 更短 🚀", "--json")

    assert person.where("T-1") is State.DOING
    assert feedback(person, "T-1") == "Make it\tshort; 更短 🚀"
    said = answer.json
    assert (said["how"], said["from"], said["to"], said["attempt"]) == ("resumed", state.value, "doing", 1)
    assert said["receipts"] == {"delivered": None, "submitted": None}
    assert f"T-1 goes from {state.value} to doing with your words." in said["says"]


def test_words_for_a_waiting_ticket_are_kept(person: Person) -> None:
    """In doing and in todo the ticket stays and the next attempt is told; what an earlier one failed to act on goes with it."""
    person.drop("T-1", state=State.DOING)
    person.attempt("T-1", outcome=Outcome.FINISHED)
    person.drop("T-2", state=State.TODO)
    person.attempt("T-2", outcome=Outcome.DIED, feedback="make it red")

    kept = person.ok("say", "T-1", "one").out
    anew = person.ok("say", "T-2", "and round").out

    assert (person.where("T-1"), person.where("T-2")) == (State.DOING, State.TODO)
    assert (feedback(person, "T-1"), feedback(person, "T-2")) == ("one", "make it red\n\nand round")
    assert "T-1 waits in doing: it is told when its next attempt starts." in kept
    assert "That begins a new conversation." in anew


def test_the_same_words_twice_are_kept_once(person: Person) -> None:
    """Saying it again changes nothing; saying something else adds to it."""
    person.drop("T-1", state=State.DOING)
    person.attempt("T-1", outcome=Outcome.FINISHED)

    changed = [person.ok("say", "T-1", words, "--json").json["changed"] for words in ("one", "one", "two", "two")]

    assert changed == [True, False, True, False]
    assert feedback(person, "T-1") == "one\n\ntwo"


@pytest.mark.usefixtures("read")
@pytest.mark.parametrize("read", READERS)
def test_words_come_from_a_file_or_standard_input(person: Person) -> None:
    """`--file`, `--file -` and `-` bring them; line ends are line feeds, and nothing that a terminal obeys is left."""
    person.drop("T-1", state=State.REVIEW)
    person.attempt("T-1", outcome=Outcome.FINISHED)
    (person.here / "words.txt").write_bytes("\ufeffone\r\n\x1b[201~two\x07\n".encode())

    person.ok("say", "T-1", "--file", "words.txt")
    person.ok("say", "T-1", "-", stdin="three\n")
    person.ok("say", "T-1", "--file", "-", stdin="-four")
    person.ok("say", "T-1", "--", "-five")

    assert feedback(person, "T-1") == "one\n[201~two\n\nthree\n\n-four\n\n-five"


@pytest.mark.parametrize(
    ("argv", "stdin", "code"),
    [
        (("T-1",), "", "words-missing"),
        (("T-1", " \n\x07"), "", "words-missing"),
        (("T-1", "one", "--file", "two"), "", "words-missing"),
        (("T-1", "--file", "nowhere.txt"), "", "words-unreadable"),
        (("T-1", "x" * 20_001), "", "words-too-long"),
        (("T-1", "-"), "好" * 6_667, "words-too-long"),
        (("T-1", "\udcff"), "", "words-unreadable"),
        (("T-9", "one"), "", "ticket-unknown"),
        (("NEW", "one"), "", "no-attempt"),
        (("OVER", "one"), "", "ticket-done"),
    ],
)
def test_refusals(person: Person, argv: tuple[str, ...], stdin: str, code: str) -> None:
    """What can't be said, and to whom nothing can be said: refused by name, and nothing is changed."""
    person.drop("T-1", state=State.REVIEW)
    person.attempt("T-1", outcome=Outcome.FINISHED)
    person.drop("NEW")
    person.drop("OVER", state=State.DONE)
    person.attempt("OVER", outcome=Outcome.FINISHED)

    answer = person.hc("say", *argv, stdin=stdin)

    assert answer.status == 2
    assert f"✗ {code}:" in answer.err
    assert person.where("T-1") is State.REVIEW
    assert feedback(person, "T-1") is None


@pytest.mark.parametrize(
    ("phase", "code"),
    [(Phase.INTENT, "attempt-starting"), (Phase.LAUNCHED, "attempt-starting"), (Phase.ENDING, "attempt-ending")],
)
def test_an_attempt_that_begins_or_ends_is_not_spoken_to(person: Person, phase: Phase, code: str) -> None:
    """Before its process is there, and once its end is decided: to be tried again, and nothing is kept anywhere."""
    person.drop("T-1", state=State.DOING)
    person.attempt("T-1", phase=phase)
    person.layout.identity.exists() or person.layout.identity.write_text('{"id": "c-1"}')

    answer = person.hc("say", "T-1", "one")

    assert answer.status == 75
    assert f"✗ {code}:" in answer.err
    assert feedback(person, "T-1") is None
    assert not person.layout.told.exists()


def test_the_loop_tells_what_was_said_once(person: Person) -> None:
    """What was said without a loop is told by the next one, in its order, without secrets; told once, it is gone."""
    person.drop("T-1", state=State.REVIEW)
    person.attempt("T-1", outcome=Outcome.FINISHED)
    person.ok("say", "T-1", "the key is sk-ant-" + "0123456789" * 3)
    person.ok("say", "T-1", "second")
    (person.layout.told / "stray.json").write_text("{}")
    (person.layout.told / f"{1:020}-0000abcd.json").write_text("no json")
    events = EventLog(person.layout.events_file, SystemClock())
    told = Told(person.layout.told)

    told.tell(events)
    told.tell(events)

    found = [(event.ticket, event.agent, event.attempt, event.data["how"]) for event in events.after(0)]
    assert found == [("T-1", "worker", 1, "resumed"), ("T-1", "worker", 1, "kept")]
    words = [event.data["words"] for event in events.after(0)]
    assert "012345" not in words[0]
    assert words[1] == "second"
    assert [path.name for path in person.layout.told.iterdir()] == ["stray.json"]
    assert datetime.fromisoformat(next(events.after(0)).at).tzinfo is UTC


def test_what_is_said_after_a_quiet_time_is_told(person: Person) -> None:
    """A loop that has found nothing for long notices the next word at once, also one right behind a look."""
    events = EventLog(person.layout.events_file, SystemClock())
    told = Told(person.layout.told)
    told.tell(events)
    person.layout.told.mkdir()
    person.rest(person.layout.told)
    for number in range(20):
        told.tell(events)
        told.leave("T-1", "worker", number, {"how": "kept"})
        told.tell(events)

        assert [event.attempt for event in events.after(0)] == list(range(number + 1))


def test_events_show_what_was_said(person: Person) -> None:
    """`hc events` says to whom what was said, and how."""
    events = EventLog(person.layout.events_file, SystemClock())
    for how in ("typed", "resumed"):
        data = {"how": how, "words": "make it short", "bytes": 13, "submitted": True}
        events.append("ticket.told", ticket="T-1", agent="worker", attempt=1, data=data)

    lines = person.ok("events").out

    assert "worker was told in its window: “make it short”" in lines
    assert "worker is to be told: “make it short”" in lines


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b[200~x\x1b[201~", "[200~x[201~"),
        ("\x9b201~ y\x00", "201~ y"),
        ("  two  \n\n", "two"),
        ("tab\tstays; 中文 🚀👩‍💻", "tab\tstays; 中文 🚀👩‍💻"),
    ],
)
def test_typable(text: str, clean: str) -> None:
    """Only what a terminal obeys is taken out: no mark of a paste survives as one."""
    assert typable(text) == clean


def test_words_that_engines_take_for_something_else() -> None:
    """Commands at the beginning and what takes Enter at the end are told from words like them."""
    assert [starts_like_a_command(words) for words in ("/clear", "!ls", "# h", "& x", "see /clear", "-x")] == [True] * 4 + [
        False
    ] * 2
    ends = ("x \\", "see @wor", "@", "run /cl", "a$HOME", "$HOM", "mail a@b.c", "done.", "https://x.y/z")
    assert [takes_enter(words) for words in ends] == [True, True, True, True, False, True, False, False, False]
