"""What one attempt used: which transcripts are its own, from where on, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from hermes_company.domain.signals import Signal, SignalKind
from hermes_company.domain.usage import AttemptUsage, Row, Tokens
from hermes_company.userspace.cost import claude_transcript, codex_transcript
from hermes_company.userspace.cost.book import Entry, UsageBook
from hermes_company.userspace.cost.transcript import Beside, Mark, Reader, Reading, Used
from hermes_company.wording import Text, say


@dataclass(frozen=True, slots=True)
class Format:
    """How the transcripts of one engine are read."""

    read: Reader
    beside: Beside


FORMATS: Mapping[str, Format] = {
    "claude-code": Format(claude_transcript.read, claude_transcript.beside),
    "codex": Format(codex_transcript.read, codex_transcript.beside),
}
# Engines without a model.
_COST_NOTHING = frozenset({"shell"})
# Ticket, attempt and engine → what the engine reported.
Signals = Callable[[str, int, str], Sequence[Signal]]


class Counter:
    """Counts attempts. Only reads.

    Args:
        book: what was counted before: an attempt that goes on in a conversation is not billed for what was there already.
        signals: what an attempt's engine reported; it names the transcript.
        formats: by engine.
        zone: the readers' time zone, for the days; None is the machine's.
    """

    def __init__(
        self, book: UsageBook, signals: Signals, *, formats: Mapping[str, Format] = FORMATS, zone: tzinfo | None = None
    ) -> None:
        self._book = book
        self._signals = signals
        self._formats = formats
        self._zone = zone

    def count(self, ticket: str, attempt: int, agent: str, engine: str) -> Entry | None:
        """What the attempt has used so far; None where no engine with a model ran."""
        signals = self._signals(ticket, attempt, engine)
        if engine in _COST_NOTHING or not signals:
            return None
        marks = self._read_before(ticket, attempt)
        readings = dict(self._read(engine, signals, marks))
        used = [one for reading in readings.values() for one in reading.used]
        problems = [reading.problem for reading in readings.values() if reading.problem]
        if not used and not problems:
            problems = list(self._silent(engine, signals, list(readings)))
        usage = AttemptUsage(
            ticket=ticket,
            attempt=attempt,
            agent=agent,
            engine=engine,
            rows=tuple(self._rows(used)),
            problems=tuple(problems),
        )
        return Entry(usage, {path: reading.mark for path, reading in readings.items()})

    def _read_before(self, ticket: str, attempt: int) -> dict[str, Mark]:
        """Where earlier attempts of the ticket left off, by transcript."""
        marks: dict[str, Mark] = {}
        for entry in self._book.of_ticket(ticket):
            if entry.usage.attempt < attempt:
                marks |= entry.marks
        return marks

    def _read(self, engine: str, signals: Sequence[Signal], marks: Mapping[str, Mark]) -> Iterator[tuple[str, Reading]]:
        form = self._formats.get(engine)
        if form is None:
            return
        for path in dict.fromkeys(Path(signal.transcript) for signal in signals if signal.transcript):
            for one in (path, *form.beside(path)):
                yield str(one), _reading(form, one, marks.get(str(one), Mark()))

    def _silent(self, engine: str, signals: Sequence[Signal], transcripts: Sequence[str]) -> Iterator[Text]:
        """Why nothing could be counted although a model answered."""
        if engine not in self._formats:
            yield say("The engine {engine} tells no tokens.", engine=engine)
        elif _answered(signals) and not transcripts:
            yield say("The engine {engine} named no transcript.", engine=engine)
        elif _answered(signals):
            yield say("{path} tells no tokens of this attempt.", path=transcripts[0])

    def _rows(self, used: Sequence[Used]) -> Iterator[Row]:
        sums: dict[tuple[str, str], Tokens] = {}
        for one in used:
            key = (one.at.astimezone(self._zone).date().isoformat(), one.model)
            sums[key] = sums.get(key, Tokens()) + one.tokens
        for (day, model), tokens in sums.items():
            yield Row(day=day, model=model, tokens=tokens)


def _reading(form: Format, path: Path, mark: Mark) -> Reading:
    try:
        return form.read(path, mark)
    except OSError as problem:
        said = say("{path} can't be read: {problem}.", path=str(path), problem=problem.strerror or str(problem))
        return Reading((), mark, said)


def _answered(signals: Sequence[Signal]) -> bool:
    """Whether a model has done something: an attempt that failed at once may have cost nothing."""
    return any(signal.kind in (SignalKind.TOOL_USED, SignalKind.TURN_ENDED) for signal in signals)
