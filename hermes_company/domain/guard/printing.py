"""What simple programs print: enough to follow `$(…)` and `… | sh`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from hermes_company.domain.guard.marks import DOWNLOAD, HOLE, disarm, is_known
from hermes_company.domain.guard.options import names, read_options
from hermes_company.domain.guard.quoting import unescape
from hermes_company.domain.guard.walking import Call, Walker

_SILENT = names("rm rmdir mkdir cp mv ln touch chmod chown true false : test [ sleep wait kill truncate install")
_DOWNLOADERS = names("curl wget aria2c http https fetch lynx")
_DIRECTIVE = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[A-Za-z%]")


def prints(walker: Walker, call: Call, name: str) -> None:
    """Tell the walker what the program prints."""
    if name in _SILENT:
        return
    if name in _DOWNLOADERS:
        walker.emit(DOWNLOAD)
    elif name in ("echo", "printf"):
        walker.emit(written(name, call.words))
    elif name in ("cat", "tee"):
        walker.emit(_copied(walker, call, name))
    elif name == "pwd":
        walker.emit(call.state.cwd or HOLE)
    elif name in ("which", "type"):
        walker.emit(located([word for word in call.words if not word.startswith("-")]))
    elif name == "mktemp":
        temp = call.state.value("TMPDIR")
        walker.emit(f"{temp if isinstance(temp, str) and temp else '/tmp'}/tmp.{HOLE}")
    elif name in ("dirname", "basename") and call.words and is_known(call.words[0]):
        walker.emit((posixpath.dirname if name == "dirname" else posixpath.basename)(call.words[0].rstrip("/")) or ".")
    elif name == "base64" and read_options(call.words, ("w", "wrap")).has("d", "D", "decode"):
        walker.emit(_decoded(call.state.stdin))
    else:
        walker.emit(DOWNLOAD if DOWNLOAD in call.state.stdin else HOLE)


def located(programs: Sequence[str]) -> str:
    """What `which` prints: where a program lies doesn't matter, its name does."""
    return "".join(f"/usr/bin/{program}\n" for program in programs)


def written(name: str, words: Sequence[str]) -> str:
    """What `echo` and `printf` print."""
    if name == "printf":
        return _formatted([word for word in words if word != "--"])
    rest = list(words)
    escapes = False
    while rest and re.fullmatch("-[neE]+", rest[0]):
        escapes = "e" in rest.pop(0) or escapes
    text = " ".join(rest) + "\n"
    return unescape(text, zero=True) if escapes else text


def _formatted(words: Sequence[str]) -> str:
    if not words:
        return ""
    form, values = unescape(words[0]), list(words[1:])
    pieces = []
    while True:
        before = len(values)
        pieces.append(_DIRECTIVE.sub(lambda found: _directive(found.group(), values), form))
        # The format is used again as long as there are values for it.
        if not values or len(values) == before:
            return "".join(pieces)


def _directive(directive: str, values: list[str]) -> str:
    if directive == "%%":
        return "%"
    value = values.pop(0) if values else ""
    if directive[-1] == "b":
        return unescape(value, zero=True)
    return value if directive[-1] in "sdiqc" and len(directive) == 2 else HOLE


def _copied(walker: Walker, call: Call, name: str) -> str:
    operands = read_options(call.words).operands
    if name == "tee" or not operands or operands == ("-",):
        return call.state.stdin or HOLE
    texts = [walker.text_of(operand, call.state) for operand in operands]
    return "".join(HOLE if text is None else text for text in texts)


def _decoded(text: str) -> str:
    import binascii  # hardly ever needed

    if not is_known(text):
        return DOWNLOAD if DOWNLOAD in text else HOLE
    try:
        return disarm(binascii.a2b_base64(text.encode()).decode("utf-8", "replace"))
    except binascii.Error:
        return HOLE
