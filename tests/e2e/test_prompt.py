"""What agents are told arrives as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Founded
from tests.scripted_model import Run, Say
from tests.support.e2e_work import Chore

pytestmark = pytest.mark.timeout(300)

LINES = (
    "第一条：中文、emoji 🚀👩‍💻，以及“引号”；",
    "-- leads with dashes; ends with a semicolon;",
    "'single' \"double\" `back-ticks` ```sh $HOME $(id) ${PATH} \\ \t tab ;",
    "{{ ticket.id }} {% raw %} {# no template #} <<<records #(date) %s %1$s !! && ||",
)
# No line of it opens a block of its own.
LONG = "".join(f"{number}. {line}\n" for number in range(130) for line in LINES)
# Above what one word of a command line may hold.
VERY_LONG = LONG * 4


@pytest.fixture
def no_work(real_engine: str) -> list[Run | Say]:
    """The model answers and leaves nothing; a reason to block keeps the engine from being sent on."""
    return [Run('echo "read it" > "$HC_OUTBOX/BLOCKED"'), Say("Read.")]


def test_prompt_arrives_byte_for_byte(founded: Founded, real_engine: str, no_work: list[Run | Say]) -> None:
    """26 KB of Chinese, emoji, quotes, shell and template characters reach the model as they stand in prompt.md."""
    with founded({"ann": real_engine}, script=no_work) as (house, model):
        house.run()
        house.drop("LONG", f"# 长工单\n\n{LONG}")
        house.event("ticket.moved", "LONG", to="blocked")

        kept = (house.layout.run("LONG", 1) / "prompt.md").read_bytes()
        assert model.turns[0].prompt.encode() == kept
        assert LONG.encode() in kept
        assert len(LONG.encode()) > 26_000


def test_prompt_too_long_for_a_command_line_is_read_from_its_file(
    founded: Founded, real_engine: str, no_work: list[Run | Say]
) -> None:
    """Above 100 KB the engine is told where the prompt lies, and it lies there whole."""
    with founded({"ann": real_engine}, script=no_work) as (house, model):
        house.run()
        house.drop("VERY-LONG", f"# 很长的工单\n\n{VERY_LONG}")
        house.event("ticket.moved", "VERY-LONG", to="blocked")

        kept = house.layout.run("VERY-LONG", 1) / "prompt.md"
        assert str(kept) in model.turns[0].prompt
        assert len(model.turns[0].prompt) < 1_000
        assert VERY_LONG.encode() in kept.read_bytes()


def test_block_arrives_byte_for_byte(founded: Founded, tmp_path: Path) -> None:
    """The same text, as what a block of the shell engine writes down."""
    with founded({"ann": "shell"}, [Chore("unused")]) as (house, _):
        house.run()
        house.drop("LONG", f"# 长工单\n\n````sh\ncat > copy.txt <<'END'\n{LONG}END\n````\n")
        house.event("ticket.moved", "LONG", to="review")

        assert (house.layout.outbox("ann", "LONG") / "copy.txt").read_bytes() == LONG.encode()
