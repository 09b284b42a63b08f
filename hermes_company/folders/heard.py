"""What an attempt's engine has written down since a moment: whether words that were typed into its window arrived."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.folders.run_files import SIGNALS
from hermes_company.ports.screens import Heard, Screen

if TYPE_CHECKING:
    from hermes_company.ports.engine import Engine

_MOST_BYTES = 8_388_608
# Claude Code makes four spaces of a TAB that is pasted.
_TAB = "    "


class Ear:
    """Listens to an attempt from the moment at which it is made.

    Args:
        run_dir: the attempt's folder.
        words: what is going to be typed.
    """

    def __init__(self, run_dir: Path, engine: Engine, screen: Screen, words: str) -> None:
        self._engine = engine
        self._screen = screen
        # Engines take a blank off the end of what was typed, and leave it where they show the words folded.
        self._forms = {form for kept in (words, words.rstrip()) for form in (kept, kept.replace("\t", _TAB))}
        self._hashes = {hashlib.sha256(form.encode()).hexdigest() for form in self._forms}
        self._signals = _Tail(run_dir / SIGNALS)
        earlier = self._parsed(_lines(run_dir / SIGNALS))
        transcript = next((signal.transcript for signal in earlier if signal.transcript), None)
        self._transcript = _Tail(Path(transcript)) if transcript else None
        self._found: Heard | None = None

    def heard(self) -> Heard | None:
        """How far the words have come by now."""
        if self._found is not Heard.SUBMITTED:
            for found in (*self._by_transcript(), *self._by_signals()):
                self._found = Heard.SUBMITTED if Heard.SUBMITTED in (found, self._found) else found
        return self._found

    def _by_signals(self) -> Iterator[Heard]:
        for signal in self._parsed(self._signals.fresh()):
            if signal.kind is SignalKind.PROMPT_SUBMITTED and signal.prompt_sha256 in self._hashes:
                yield Heard.SUBMITTED

    def _by_transcript(self) -> Iterator[Heard]:
        for line in self._transcript.fresh() if self._transcript else ():
            yield from (found for form in self._forms if (found := self._screen.heard(line, form)))

    def _parsed(self, lines: Iterator[Mapping[str, object]]) -> Iterator[Signal]:
        return (signal for line in lines if (signal := self._engine.read_signal(line)))


class _Tail:
    """What is appended to a file of JSON lines from now on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = path.stat().st_size if path.exists() else 0

    def fresh(self) -> Iterator[Mapping[str, object]]:
        """Whole lines that came since the last call."""
        for raw in _read(self._path, self._place):
            if not raw.endswith(b"\n"):
                break
            self._place += len(raw)
            yield from _parse(raw)


def _lines(path: Path) -> Iterator[Mapping[str, object]]:
    for raw in _read(path, 0):
        yield from _parse(raw)


def _read(path: Path, place: int) -> list[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(place)
            return file.read(_MOST_BYTES).splitlines(keepends=True)
    except FileNotFoundError:
        return []


def _parse(raw: bytes) -> Iterator[Mapping[str, object]]:
    try:
        line = json.loads(raw)
    except ValueError:
        return
    if isinstance(line, dict):
        yield line
