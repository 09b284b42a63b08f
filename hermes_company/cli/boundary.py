"""The one error boundary: refusals are told, Ctrl-C is quiet, anything else is a fault of ours and leaves a log."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from hermes_company import __version__
from hermes_company.cli.door import Door, Ended, put, to_json
from hermes_company.cli.language import language
from hermes_company.cli.straight import Reader, understand
from hermes_company.cli.words import harmless
from hermes_company.errors import Refusal
from hermes_company.wording import Lang, Text, say

READER_LEFT = 1
FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130
_TRY_LATER = 75  # EX_TEMPFAIL
# What a disk says that takes nothing more.
_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


def call(argv: Sequence[str], environ: Mapping[str, str], cwd: Path, *, read: Reader = understand) -> int:
    """Run one command line and return its exit status: 0, the refusal's, 2 for usage, 70 for a fault, 130 for Ctrl-C.

    Args:
        read: takes the straight way where it can; what it can't read is Typer's.
    """
    lang = language(argv, environ, cwd)
    as_json = "--json" in argv
    try:
        return _run(argv, Door(environ, cwd, lang), read)
    except Ended as end:
        return end.status
    except Refusal as problem:
        show_refusal(problem, lang, as_json=as_json)
        return problem.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_left()
    except Exception as problem:  # noqa: BLE001 - the boundary: told in one line, kept whole in a log
        if _is_interruption(problem):
            return INTERRUPTED
        if isinstance(problem, OSError) and problem.errno in _DISK:
            show_refusal(_disk_refuses(problem), lang, as_json=as_json)
            return _TRY_LATER
        _show_fault(problem, argv, lang, as_json=as_json)
        return FAULT


def _is_interruption(problem: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: Python wraps what is raised while a class is being made, as in a library's import."""
    while problem is not None:
        if isinstance(problem, KeyboardInterrupt):
            return True
        problem = problem.__cause__
    return False


def _run(argv: Sequence[str], door: Door, read: Reader) -> int:
    understood = read(argv)
    if understood is None:
        from hermes_company.cli.app import run

        return run(argv, door)
    command, given = understood
    command.run(command.door(door, given), given)
    return 0


def _reader_left() -> int:
    """The end of `hc events | head`. What is still buffered goes nowhere: Python would complain about it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return READER_LEFT


def show_refusal(problem: Refusal, lang: Lang, *, as_json: bool) -> None:
    """Code and fact, why, and what to do, on standard error."""
    if as_json:
        _print(to_json({"error": problem.to_json()}))
        return
    _print(f"✗ {problem.code}: {problem.fact.in_lang(lang)}")
    for mark, text in (("  ", problem.cause), ("→ ", problem.remedy)):
        if text.template:
            _print(f"  {mark}{text.in_lang(lang)}")


def _disk_refuses(problem: OSError) -> Refusal:
    return Refusal(
        "disk-refuses",
        fact=say("The disk did not take what was to be written: {problem}.", problem=str(problem)),
        cause=say("A full or read-only disk is no fault of hc, but nothing can be done on it."),
        remedy=say("Make room, or mount it so that it can be written; `hc doctor` shows how much is free."),
        status=_TRY_LATER,
    )


def _show_fault(problem: Exception, argv: Sequence[str], lang: Lang, *, as_json: bool) -> None:
    log = _write_log(problem, argv)
    first_line = next(iter(str(problem).splitlines()), "")
    refusal = Refusal(
        "internal-fault",
        fact=Text("{kind}: {problem}", {"kind": type(problem).__name__, "problem": first_line}),
        cause=say("This is a fault of hc, not of yours."),
        remedy=say("Please report it together with {log}.", log=log),
    )
    show_refusal(refusal, lang, as_json=as_json)


def _write_log(problem: Exception, argv: Sequence[str]) -> Path:
    """A file to be pasted into a report: versions, the command, the traceback, without secrets that we know the look of."""
    import platform
    import tempfile
    import traceback

    from hermes_company.domain.redaction import redact

    lines = (
        f"hc {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"hc {' '.join(argv)}",
        "",
        "".join(traceback.format_exception(problem)),
    )
    descriptor, name = tempfile.mkstemp(prefix="hc-fault-", suffix=".log")
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(redact("\n".join(lines)).text)
    return Path(name)


def _print(text: str) -> None:
    put(harmless(text), error=True)
