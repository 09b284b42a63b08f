"""The live board: whole, in place, on any terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from rich.console import Console

from hermes_company.bootstrap import Company
from hermes_company.cli.board import frame, live_board
from hermes_company.cli.report import make_report
from hermes_company.cli.words import width
from hermes_company.domain.run import Attempt
from hermes_company.domain.ticket import State
from hermes_company.folders.system_clock import SystemClock
from hermes_company.ports.events import Event
from hermes_company.wording import LANGS, Lang
from tests.fakes.clock import FakeClock
from tests.support.person import Person

EVENTS = [f"12:00:{second:02}  TASK-1  attempt 1: 开发知识库商品落地页 {'x' * 200}" for second in range(60)]


@dataclass
class Running:
    """The part of a loop that a board looks at."""

    running: Sequence[Attempt] = field(default_factory=tuple)


def busy(person: Person) -> None:
    """More than fits a small screen, with long Chinese titles."""
    person.ok("agent", "add", "lao", "--engine", "claude-code")
    person.drop("TASK-000", state=State.DOING)
    person.attempt("TASK-000", title="开发知识库商品落地页" * 9)
    for number in range(1, 30):
        person.drop(f"TASK-{number:03}", f"---\ntitle: {'知识库' * 30}\nhold: true\n---\n")
        person.drop(f"R-{number:03}", f"---\ntitle: {'落地页' * 30}\n---\n", state=State.REVIEW)
    person.drop("bad", "---\ntitle: [\n---\n")


def company(person: Person) -> Company:
    """The company with a clock of its own."""
    return Company(person.layout, person.environ, FakeClock(now=SystemClock().now()))


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (40, 12), (60, 20), (80, 24), (200, 60)])
def test_a_frame_fits_the_screen(person: Person, lang: Lang, columns: int, rows: int) -> None:
    """However narrow or low the terminal, no line is wider and no frame is higher than it."""
    busy(person)
    lines = frame(make_report(company(person)), EVENTS, lang, columns, rows)

    assert 0 < len(lines) <= rows
    assert max(width(line) for _, line in lines) <= columns


def test_a_frame_shows_all_parts(person: Person) -> None:
    """On 60 columns everything that matters is there: counts, who works, what waits, what is for a person, what happened."""
    busy(person)
    text = "\n".join(line for _, line in frame(make_report(company(person)), EVENTS, "en", 60, 40))

    assert "todo 30   doing 1   blocked 0   review 29   done 0" in text
    assert re.search(r"worker +shell +busy +TASK-000 since ", text)
    for head in ("Agents", "Waiting (30)", "For a person (29)", "Needs correction (2)", "Last events"):
        assert f"\n{head}\n" in text
    assert "  TASK-001  A person put it on hold" in text
    assert "To watch the agents: tmux -L hermes-acme" in text
    assert "12:00:59" in text.splitlines()[-1]


def test_rendered_for_a_real_terminal(person: Person) -> None:
    """On a 60-column terminal the board takes its other screen, shows what happened, and gives the first one back."""
    busy(person)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=60, height=20, highlight=False)
    event = Event(seq=1, at="2026-05-01T09:00:00+00:00", kind="ticket.removed", ticket="TASK-9", data={})
    with live_board(company(person), Running(), "en", console) as board:  # type: ignore[arg-type]
        board.event(event)
        board.round_over()
    written = screen.getvalue()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)

    assert "\x1b[?1049h" in written
    assert written.endswith("\x1b[?25h\x1b[?1049l")
    assert "its file is gone" in plain
    assert max(width(line) for line in plain.splitlines()) <= 60
    assert "\x1b[2J" not in written.split("\x1b[?1049h")[1].split("\x1b[?1049l")[0]


def test_what_did_not_change_is_not_drawn_again(person: Person) -> None:
    """A round in which nothing happened writes nothing to the terminal, and rounds in quick succession make one frame."""
    there = company(person)
    clock = there.clock
    assert isinstance(clock, FakeClock)
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=60, height=20, highlight=False)
    with live_board(there, Running(), "en", console) as board:  # type: ignore[arg-type]
        board.round_over()
        first = screen.tell()
        clock.advance(5)
        board.round_over()
        unchanged = screen.tell()
        person.drop("TASK-1")
        board.round_over()
        changed = screen.tell()
        person.drop("TASK-2")
        clock.advance(0.05)
        board.round_over()
        too_soon = screen.tell()
        clock.advance(1)
        board.round_over()
        later = screen.tell()

    assert first == unchanged < changed == too_soon < later


def test_a_title_is_never_markup(person: Person) -> None:
    """Rich's markup and a terminal's escape sequences in a title are shown as they are."""
    person.drop("TASK-1", '---\ntitle: "[red]x[/red] \\e[31m"\nhold: true\n---\n')
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120, height=30, highlight=False)
    with live_board(company(person), Running(), "en", console) as board:  # type: ignore[arg-type]
        board.round_over()

    assert "[red]x[/red]" in screen.getvalue()
    assert "\x1b[31m" not in screen.getvalue()


def test_events_have_their_place_on_a_small_screen(person: Person) -> None:
    """Even where the lists could fill the screen, the newest three events are seen."""
    busy(person)
    lines = [line for _, line in frame(make_report(company(person)), EVENTS, "en", 60, 20)]

    assert [line.split()[0] for line in lines[-3:]] == ["12:00:57", "12:00:58", "12:00:59"]
