"""Looking changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Founded
from tests.support.e2e import House
from tests.support.e2e_work import GATE, Chore

pytestmark = pytest.mark.timeout(300)

COMMANDS = (
    ("status",),
    ("status", "--json"),
    ("why", "DONE-ONE"),
    ("why", "WAITS"),
    ("why", "BAD", "--json"),
    ("task", "list"),
    ("task", "list", "--json"),
    ("task", "show", "RUNS"),
    ("review",),
    ("review", "show", "DONE-ONE", "--json"),
    ("agent", "list"),
    ("agent", "show", "ann", "--json"),
    ("events",),
    ("events", "--json"),
    ("attach", "--print"),
    ("--help",),
)


def footprint(root: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file and folder with its identity, time and bytes; the cache may change, and a FIFO holds nothing."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_relative_to(root / ".hc" / "cache"):
            continue
        info = path.lstat()
        changed = 0 if path.is_fifo() else info.st_mtime_ns
        found[str(path.relative_to(root))] = (info.st_ino, changed, path.read_bytes() if path.is_file() else b"")
    return found


def look_at_everything(house: House) -> None:
    """Every reading command; each of them leaves the tree as it was."""
    before = footprint(house.root)
    for command in COMMANDS:
        house.quickly(*command)
        after = footprint(house.root)
        assert {path for path in before | after if before.get(path) != after.get(path)} == set(), command


def test_reading_writes_nothing(founded: Founded) -> None:
    """Every command that shows something leaves the tree byte-identical, while the company runs and when it does not."""
    with founded({"ann": "shell"}, [Chore("DONE-ONE"), Chore("RUNS", (GATE,))], settings={"retries": 0}) as (house, _):
        loop = house.run()
        house.drop("DONE-ONE", Chore("DONE-ONE").asked("# First"))
        house.event("memory.archived", "DONE-ONE")
        house.drop("RUNS", Chore("RUNS").asked("# Second"))
        house.drop("WAITS", "---\nneeds: [RUNS]\n---\n# Third\n")
        house.drop("BAD", "---\nowner: a: b\n---\n")
        house.wait((house.layout.outbox("ann", "RUNS") / "gate").exists, "the agent at work")
        house.event("ticket.added", "BAD")
        house.wait(lambda: quiet(house), "the loop to rest")
        look_at_everything(house)

        assert loop.interrupt() == 0
        look_at_everything(house)


def quiet(house: House) -> bool:
    """Whether all has been told: the programs have seen the last event, and the agent's window is reported."""
    last = house.events()[-1]["seq"]
    seen = [(house.layout.private / "programs" / f"{name}.json").read_text() for name in ("archive", "diary")]
    return all(f'"seq": {last}' in text for text in seen) and '"RUNS"' in house.layout.runtime_json("ann").read_text()
