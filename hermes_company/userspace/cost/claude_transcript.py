"""Claude Code's transcripts: `<session>.jsonl` and, beside it, one of each sub-agent.

An answer of several blocks takes several lines with the same message id, each with the usage of the whole answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from hermes_company.domain.usage import Tokens
from hermes_company.userspace.cost.transcript import Line, Mark, Reading, Used, model_name, moment, number, part, read_on


def read(path: Path, mark: Mark) -> Reading:
    """See `Reader`."""
    answers: dict[str, Used] = {}
    mark, problem = read_on(path, mark, (b'"assistant"',), partial(_take, answers))
    return Reading(tuple(used for used in answers.values() if used.tokens.total), mark, problem)


def beside(path: Path) -> Iterable[Path]:
    """The transcripts of the conversation's sub-agents."""
    return sorted((path.with_suffix("") / "subagents").glob("*.jsonl"))


def _take(answers: dict[str, Used], line: Line, mark: Mark) -> Mark:
    if line.get("type") != "assistant":
        return mark
    message = part(line, "message")
    usage = part(message, "usage")
    tokens = Tokens(
        input=number(usage, "input_tokens"),
        cached=number(usage, "cache_read_input_tokens", 0),
        cache_write=number(usage, "cache_creation_input_tokens", 0),
        output=number(usage, "output_tokens"),
    )
    identity = str(message.get("id"))
    before = answers.get(identity)
    # The output grows while the answer streams: the line that knows most of it counts.
    if before is None or tokens.total > before.tokens.total:
        answers[identity] = Used(at=moment(line), model=model_name(message), tokens=tokens)
    return mark
