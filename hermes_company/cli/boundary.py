"""The one error boundary: refusals are told, Ctrl-C is quiet, anything else is a fault of ours and leaves a log."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from hermes_company import __version__
from hermes_company.cli.door import Door, to_json
from hermes_company.cli.language import language
from hermes_company.cli.words import harmless
from hermes_company.errors import Refusal
from hermes_company.wording import Lang, Text, say

USAGE = 2
FAULT = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130

# Where a Typer keeps its click differs from version to version; its own BadParameter leads there.
_UsageError = typer.BadParameter.__bases__[0]


def call(argv: Sequence[str], environ: Mapping[str, str], cwd: Path) -> int:
    """Run one command line and return its exit status: 0, the refusal's, 2 for usage, 70 for a fault, 130 for Ctrl-C."""
    from hermes_company.cli.app import build

    lang = language(argv, environ, cwd)
    as_json = "--json" in argv
    try:
        status = build(lang)(args=list(argv), prog_name="hc", standalone_mode=False, obj=Door(environ, cwd, lang))
    except Refusal as problem:
        show_refusal(problem, lang, as_json=as_json)
        return problem.status
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Exception as problem:  # noqa: BLE001 - the boundary: told in one line, kept whole in a log
        if isinstance(problem, _UsageError):
            return _show_usage(problem, lang, as_json=as_json)
        _show_fault(problem, argv, lang, as_json=as_json)
        return FAULT
    return status if isinstance(status, int) else 0


def show_refusal(problem: Refusal, lang: Lang, *, as_json: bool) -> None:
    """Code and fact, why, and what to do, on standard error."""
    if as_json:
        _print(to_json({"error": problem.to_json()}))
        return
    _print(f"✗ {problem.code}: {problem.fact.in_lang(lang)}")
    for mark, text in (("  ", problem.cause), ("→ ", problem.remedy)):
        if text.template:
            _print(f"  {mark}{text.in_lang(lang)}")


def _show_usage(problem: Exception, lang: Lang, *, as_json: bool) -> int:
    context = getattr(problem, "ctx", None)
    path = context.command_path if context else "hc"
    words = problem.format_message()  # type: ignore[attr-defined]
    if not words or "\n" in words:  # a group without a command: what click has to say is the whole help
        typer.echo(context.get_help() if context else words, err=True)
        return USAGE
    refusal = Refusal(
        "bad-usage",
        fact=say("{problem}", problem=words),
        cause=Text(""),
        remedy=say("`{command} --help` shows how it is used.", command=path),
    )
    show_refusal(refusal, lang, as_json=as_json)
    return USAGE


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
    typer.echo(harmless(text), err=True)
