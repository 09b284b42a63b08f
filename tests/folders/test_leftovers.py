"""What a killed loop left half written is swept by the next one, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes_company.domain.ticket import State
from hermes_company.folders.layout import Layout
from hermes_company.folders.leftovers import sweep
from hermes_company.folders.system_clock import SystemClock

# Above the greatest process id that Linux gives out.
DEAD = 4_194_305


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A company with one open attempt."""
    layout = Layout(tmp_path)
    for folder in (*(layout.state(s) for s in State), layout.open_runs, layout.run("T-1", 1), layout.agent("ann")):
        folder.mkdir(parents=True)
    (layout.open_runs / "T-1").write_text("1")
    return layout


def _old(path: Path, text: str = "half") -> Path:
    path.write_text(text)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


def test_what_dead_processes_left_is_swept(layout: Layout) -> None:
    """Half-written records, profiles and notes of processes that are gone are removed."""
    left = [
        _old(layout.run("T-1", 1) / f".run.json.{DEAD}.tmp"),
        _old(layout.run("T-1", 1) / f"pane.log.{DEAD}.tmp"),
        _old(layout.private / f".kernel.json.{DEAD}.tmp"),
        _old(layout.agent("ann") / f".runtime.json.{DEAD}.tmp"),
    ]
    sweep(layout, SystemClock())

    assert not [path for path in left if path.exists()]


def test_a_tickets_copy_goes_and_a_persons_words_stay(layout: Layout) -> None:
    """Of a ticket only what the ticket says too is removed; an edit that was overtaken stays for its author."""
    layout.ticket("T-1", State.DOING).write_text("---\nowner: ann\n---\nbody")
    copy = _old(layout.state(State.DOING) / f".T-1.md.{DEAD}.tmp", "---\nowner: ann\nruntime:\n  agent: x\n---\nbody")
    edit = _old(layout.state(State.DOING) / f".T-1.md.{DEAD - 1}.tmp", "---\nowner: ann\n---\nbody, and a person's line")
    sweep(layout, SystemClock())

    assert not copy.exists()
    assert edit.exists()


def test_what_is_young_or_somebody_elses_stays(layout: Layout) -> None:
    """A file that may be being written, and one that is not ours, is left alone."""
    young = layout.private / f".kernel.json.{DEAD}.tmp"
    young.write_text("x")
    strange = _old(layout.private / "notes.tmp")
    sweep(layout, SystemClock())

    assert young.exists()
    assert strange.exists()
