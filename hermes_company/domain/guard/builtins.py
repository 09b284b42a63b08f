"""The commands that a shell carries out itself: they change where it is and what it knows."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping

from hermes_company.domain.guard.marks import HOLE, is_known
from hermes_company.domain.guard.options import read_options
from hermes_company.domain.guard.printing import written
from hermes_company.domain.guard.state import State
from hermes_company.domain.guard.walking import Call, Ends, Walker


def _both(state: State) -> Ends:
    return [state], [state]


def _cd(walker: Walker, call: Call) -> Ends:
    state = call.state
    operands = [word for word in call.words if not word.startswith("-") or word == "-"]
    target = operands[0] if operands else state.value("HOME")
    if target == "-":
        return [state.moved(state.previous)], [state]
    return [state.moved(_joined(state.cwd, target if isinstance(target, str) else HOLE))], [state]


def _joined(cwd: str | None, path: str) -> str | None:
    """Where `cd` goes: as it is written, `..` taken off without looking whether a link is on the way."""
    if path.startswith("/"):
        return posixpath.normpath(path)
    if cwd is None or path.startswith(HOLE):
        return None
    return posixpath.normpath(f"{cwd}/{path}") if path else cwd


def _popd(walker: Walker, call: Call) -> Ends:
    return [call.state.moved(call.state.previous)], [call.state]


def _export(walker: Walker, call: Call) -> Ends:
    """`export name`. Where a value is given too, the walker has set it already and left the word out."""
    state = call.state.copy()
    if call.name == "export" or any(word.startswith("-") and "x" in word for word in call.words):
        state.exported |= {word for word in call.words if not word.startswith("-")}
    return _both(state)


def _read(walker: Walker, call: Call) -> Ends:
    options = read_options(call.words, "adinNptu")
    state = call.state.copy()
    names = options.operands or ("REPLY",)
    fields = call.state.stdin.split("\n", 1)[0].split(None, len(names) - 1) if call.state.stdin else []
    for place, name in enumerate(names):
        state.assign(name, fields[place].strip() if place < len(fields) else ("" if fields else HOLE))
    for name in options.of("a"):
        state.assign(name, tuple(call.state.stdin.split("\n", 1)[0].split()) or (HOLE,))
    return [state], [state]


def _mapfile(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    for name in read_options(call.words, "CcdnOsu").operands[:1] or ("MAPFILE",):
        lines = call.state.stdin.splitlines()
        state.assign(name, tuple(lines) if lines else (HOLE,))
    return _both(state)


def _eval(walker: Walker, call: Call) -> Ends:
    text = " ".join(call.words)
    walker.check_text(text)
    return walker.script(text, call.state)


def _exit(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    state.live = False
    return _both(state)


def _exec(walker: Walker, call: Call) -> Ends:
    operands = read_options(call.words, "a", first_only=True).operands
    if not operands:
        return _both(call.state)
    walker.call(Call(operands[0], operands[1:], call.state))
    return _exit(walker, call)


def _source(walker: Walker, call: Call) -> Ends:
    if not call.words:
        return _both(call.state)
    state = call.state
    if len(call.words) > 1:
        state = state.copy()
        state.arguments = call.words[1:]
    return walker.file(call.words[0], state, anew=False)


def _set(walker: Walker, call: Call) -> Ends:
    words = call.words
    while words and words[0][:1] in ("-", "+") and words[0] != "--":
        words = words[2:] if words[0] in ("-o", "+o") else words[1:]
    if not words:
        return _both(call.state)
    state = call.state.copy()
    state.arguments = words[1:] if words[0] == "--" else words
    return _both(state)


def _shift(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    count = int(call.words[0]) if call.words and call.words[0].isdigit() else 1
    if state.arguments is not None:
        state.arguments = state.arguments[count:]
    return _both(state)


def _unset(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    for name in call.words:
        state.functions.pop(name, None)
        if "-f" not in call.words:
            state.assign(name, None)
    return _both(state)


def _trap(walker: Walker, call: Call) -> Ends:
    operands = read_options(call.words).operands
    if operands and operands[0] not in ("", "-"):
        walker.script(operands[0], call.state)
    return _both(call.state)


def _alias(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    for word in call.words:
        name, _, text = word.partition("=")
        walker.script(text, state)
        state.aliases[name] = text
    return _both(state)


def _printf(walker: Walker, call: Call) -> Ends:
    if call.words[:1] != ("-v",) or len(call.words) < 3:
        walker.emit(written("printf", call.words))
        return _both(call.state)
    state = call.state.copy()
    state.assign(call.words[1], written("printf", call.words[2:]))
    return _both(state)


def _unknown_value(walker: Walker, call: Call) -> Ends:
    state = call.state.copy()
    for word in call.words:
        name = word.partition("=")[0]
        if is_known(name) and name.isidentifier():
            state.assign(name, HOLE)
    return _both(state)


BUILTINS: Mapping[str, Callable[[Walker, Call], Ends]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "popd": _popd,
    "export": _export,
    "declare": _export,
    "typeset": _export,
    "local": _export,
    "readonly": _export,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "eval": _eval,
    "exit": _exit,
    "exec": _exec,
    "source": _source,
    ".": _source,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "trap": _trap,
    "alias": _alias,
    "printf": _printf,
    "let": _unknown_value,
    "getopts": _unknown_value,
}
