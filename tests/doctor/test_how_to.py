"""`docs/how-to/when-something-is-wrong.md`: its commands do what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from tests.support.person import Person

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "when-something-is-wrong.md"


def commands() -> list[str]:
    """Every line of the page's shell blocks, without what stands behind `#`."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]


# One never ends, the other needs the real engines: tests/cli/test_events.py and tests/e2e/test_doctor_live.py run them.
@pytest.mark.parametrize("line", [line for line in commands() if "--follow" not in line and "--live" not in line])
def test_a_command_of_the_page_works(person: Person, line: str) -> None:
    """Run in a company with that ticket and that agent, it is understood and succeeds."""
    person.drop("TASK-001", "---\nowner: worker\n---\n# Do it\n", State.BLOCKED)
    words = shlex.split(line)

    assert words[0] == "hc"
    assert person.hc(*words[1:]).status == 0, line


def test_the_page_names_every_command_of_its_kind() -> None:
    """What helps when something is wrong is on it."""
    assert {"doctor", "why", "status", "events", "attach"} <= {line.split()[1] for line in commands()}
