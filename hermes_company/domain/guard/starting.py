"""Programs that start other programs: `env`, `sudo`, `xargs`, `find -exec`, `sh -c`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from hermes_company.domain.guard.marks import HOLE, STAR
from hermes_company.domain.guard.options import names, read_options
from hermes_company.domain.guard.printing import located
from hermes_company.domain.guard.state import State
from hermes_company.domain.guard.walking import Call, Ends, Walker

_SHELLS = names("sh bash dash zsh ksh ksh93 mksh ash fish rbash yash")
# Program → its options that take a value, and how many operands come before the program that it starts.
_PLAIN: Mapping[str, tuple[Sequence[str], int]] = {
    "sudo": (("u", "g", "C", "h", "p", "r", "t", "T", "D", "R", "U", "user", "group", "chdir", "host", "prompt"), 0),
    "doas": (("u", "C"), 0),
    "nice": (("n", "adjustment"), 0),
    "ionice": (("c", "n", "p", "class", "classdata"), 0),
    "chrt": (("p", "T", "P", "D"), 1),
    "taskset": ((), 1),
    "noglob": ((), 0),
    "nocorrect": ((), 0),
    "nohup": ((), 0),
    "setsid": ((), 0),
    "stdbuf": (("i", "o", "e", "input", "output", "error"), 0),
    "timeout": (("s", "k", "signal", "kill-after"), 1),
    "time": (("f", "o", "format", "output"), 0),
    "builtin": ((), 0),
    "busybox": ((), 0),
    "toybox": ((), 0),
    "chroot": (("userspec", "groups"), 1),
    "unshare": (("R", "w", "S", "G", "root", "wd", "propagation"), 0),
    "nsenter": (("t", "S", "G", "target"), 0),
    "strace": (("o", "e", "p", "s", "S", "u", "E", "P", "a", "O"), 0),
    "ltrace": (("o", "e", "p", "s", "u", "n", "l", "x"), 0),
    "setarch": ((), 0),
    "prlimit": ((), 0),
    "caffeinate": (("t", "w"), 0),
    "systemd-run": (("p", "u", "M", "H", "unit", "property", "slice"), 0),
    "xvfb-run": (("n", "e", "f", "s", "w", "p"), 0),
    "npx": (("p", "package"), 0),
    "faketime": (("f",), 1),
}
# `uv run …`, `bundle exec …`.
_RUNNERS = ("uv run", "poetry run", "pipenv run", "pdm run", "hatch run", "bundle exec", "npm exec", "pnpm exec", "mise exec")


def start(walker: Walker, call: Call, name: str) -> Ends | None:
    """Judge what the program starts; None when it starts nothing that we know of."""
    if name in _SHELLS:
        return _shell(walker, call)
    starter = _STARTERS.get(name)
    if starter is not None:
        return starter(walker, call)
    if name in _PLAIN:
        valued, skip = _PLAIN[name]
        return _rest(walker, call, read_options(call.words, valued, first_only=True).operands[skip:])
    if call.words and f"{name} {call.words[0]}" in _RUNNERS:
        return _rest(walker, call, read_options(call.words[1:], ("with", "python", "p", "n"), first_only=True).operands)
    return None


def _same(call: Call) -> Ends:
    return [call.state], [call.state]


def _rest(walker: Walker, call: Call, words: Sequence[str]) -> Ends:
    """The program that the words start, in a process of its own. Leading `name=value` words are its environment."""
    state = call.state.copy()
    rest = list(words)
    while rest and "=" in rest[0] and rest[0].partition("=")[0].isidentifier():
        name, _, value = rest.pop(0).partition("=")
        state.assign(name, value)
        state.exported |= {name}
    if rest:
        walker.call(Call(rest[0], tuple(rest[1:]), state))
    return _same(call)


def _script(walker: Walker, call: Call, text: str) -> Ends:
    walker.check_text(text)
    walker.script(text, call.state.started(()))
    return _same(call)


def _shell(walker: Walker, call: Call) -> Ends:
    command, operands = _shell_words(call.words)
    for name in ("BASH_ENV", "ENV"):
        if isinstance(value := call.state.variables.get(name), str):
            walker.file(value, call.state)
    if command and operands:
        walker.check_text(operands[0])
        walker.script(operands[0], call.state.started(operands[2:]))
    elif operands:
        walker.file(operands[0], call.state, operands[1:])
    elif not command:
        _from_stdin(walker, call)
    return _same(call)


def _shell_words(words: Sequence[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether the first operand is a script itself, and the operands."""
    rest = list(words)
    command = reads_input = False
    while rest and rest[0][:1] in ("-", "+") and rest[0] not in ("-", "--"):
        word = rest.pop(0)
        if word.startswith("--"):
            if word in ("--rcfile", "--init-file") and rest:
                rest.pop(0)
            continue
        command |= "c" in word and word[0] == "-"
        reads_input |= "s" in word
        if ("o" in word or "O" in word) and rest:
            rest.pop(0)
    if rest and rest[0] in ("-", "--"):
        rest.pop(0)
    return command, () if reads_input and not command else tuple(rest)


def _from_stdin(walker: Walker, call: Call) -> None:
    if "--version" in call.words or "--help" in call.words:
        return
    if not call.state.stdin:
        # Commands could be typed into it afterwards, and nobody would see them.
        walker.ground.forbid("unseen", call.name)
        return
    walker.check_text(call.state.stdin)
    walker.script(call.state.stdin, call.state.started(()).fed(""))


def _env(walker: Walker, call: Call) -> Ends:
    options = read_options(call.words, ("u", "C", "S", "unset", "chdir", "split-string"), first_only=True)
    state = call.state.copy()
    for folder in options.of("C", "chdir"):
        state = state.moved(folder if folder.startswith("/") else f"{state.cwd}/{folder}" if state.cwd else None)
    for name in options.of("u", "unset"):
        state.assign(name, None)
    split = options.of("S", "split-string")
    words = (*(word for text in split for word in text.split()), *options.operands)
    _rest(walker, Call(call.name, (), state), words)
    return _same(call)


def _command(walker: Walker, call: Call) -> Ends:
    options = read_options(call.words, (), first_only=True)
    if options.has("v", "V") or not options.operands:
        walker.emit(located(options.operands))
        return _same(call)
    # Functions are passed over.
    state = call.state.copy()
    state.functions.pop(options.operands[0], None)
    ok, failed = walker.call(Call(options.operands[0], options.operands[1:], state))
    for each in (*ok, *failed):
        each.functions.update(call.state.functions)
    return ok, failed


def _su(walker: Walker, call: Call) -> Ends:
    for text in read_options(call.words, ("c", "command", "s", "shell", "g", "G")).of("c", "command"):
        _script(walker, call, text)
    return _same(call)


def _joined(walker: Walker, call: Call) -> Ends:
    """Programs that hand all of their words to a shell."""
    return _script(walker, call, " ".join(read_options(call.words, ("n", "d", "interval"), first_only=True).operands))


def _flock(walker: Walker, call: Call) -> Ends:
    options = read_options(call.words, ("w", "E", "c", "command", "timeout"))
    for text in options.of("c", "command"):
        _script(walker, call, text)
    return _rest(walker, call, read_options(call.words, ("w", "E", "timeout"), first_only=True).operands[1:])


def _xargs(walker: Walker, call: Call) -> Ends:
    valued = ("I", "n", "L", "P", "s", "d", "a", "E", "replace", "max-args", "max-procs", "delimiter", "arg-file", "max-lines")
    options = read_options(call.words, valued, first_only=True)
    words = options.operands or ("echo",)
    given = call.state.stdin.replace("\0", "\n").split() or [HOLE]
    marker = (options.of("I", "replace") or [""])[-1] or ("{}" if options.has("replace", "i") else "")
    if marker:
        for value in call.state.stdin.splitlines() or [HOLE]:
            _rest(walker, call, [word.replace(marker, value) for word in words])
        return _same(call)
    return _rest(walker, call, [*words, *given])


def _parallel(walker: Walker, call: Call) -> Ends:
    options = read_options(call.words, ("j", "jobs", "N", "a", "S", "joblog", "tmpdir"), first_only=True)
    words = list(options.operands)
    given: list[str] = call.state.stdin.split() or [HOLE]
    if ":::" in words:
        given = words[words.index(":::") + 1 :]
        words = words[: words.index(":::")]
    for value in given:
        text = " ".join(words)
        _script(walker, call, text.replace("{}", value) if "{}" in text else f"{text} {value}")
    return _same(call)


def _find(walker: Walker, call: Call) -> Ends:
    words = list(call.words)
    while words and words[0] in ("-L", "-P", "-H"):
        words.pop(0)
    end = next((place for place, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))
    roots, rest = words[:end] or ["."], words[end:]
    found = [f"{root.rstrip('/')}/{STAR}" for root in roots]
    _find_actions(walker, call.state, roots, rest)
    for command in _executed(rest):
        for path in (*roots, *found):
            walker.call(Call(command[0], tuple(word.replace("{}", path) for word in command[1:]), call.state))
    walker.emit("".join(f"{path}\n" for path in found))
    return _same(call)


def _find_actions(walker: Walker, state: State, roots: Iterable[str], words: Sequence[str]) -> None:
    if "-delete" in words:
        for root in roots:
            place = walker.place(f"{root}/{STAR}", state)
            if place is None:
                walker.ground.unsure(f"find {root} -delete")
            else:
                walker.places.delete(place, deep=True)
    for place_of_word, word in enumerate(words[:-1]):
        if word in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            walker.change(words[place_of_word + 1], state)


def _executed(words: Sequence[str]) -> list[list[str]]:
    """The commands behind `-exec` and its like."""
    commands: list[list[str]] = []
    rest = list(words)
    while rest:
        if rest.pop(0) in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((place for place, word in enumerate(rest) if word in (";", "+")), len(rest))
            if end:
                commands.append(rest[:end])
            rest = rest[end + 1 :]
    return commands


def _fd(walker: Walker, call: Call) -> Ends:
    for flag in ("-x", "-X", "--exec", "--exec-batch"):
        if flag in call.words:
            command = list(call.words[call.words.index(flag) + 1 :])
            roots = [word for word in call.words[: call.words.index(flag)] if not word.startswith("-")][1:] or ["."]
            for root in roots:
                words = command if any("{" in word for word in command) else [*command, "{}"]
                _rest(walker, call, [word.replace("{}", f"{root}/{HOLE}") for word in words])
    walker.emit(HOLE)
    return _same(call)


def _tmux(walker: Walker, call: Call) -> Ends:
    """What is started in, or typed into, a tmux of the agent's own."""
    options = read_options(call.words, ("L", "S", "f", "c"), first_only=True)
    if options.operands and options.operands[0].startswith(("new", "split", "respawn", "run", "send")):
        inner = read_options(options.operands[1:], tuple("cefFnstxyl"), first_only=True)
        text = " ".join(word for word in inner.operands if word not in ("Enter", "C-m", ";"))
        if text:
            _script(walker, call, text)
    return _same(call)


_STARTERS: Mapping[str, Callable[[Walker, Call], Ends]] = {
    "env": _env,
    "command": _command,
    "su": _su,
    "runuser": _su,
    "script": _su,
    "watch": _joined,
    "flock": _flock,
    "xargs": _xargs,
    "parallel": _parallel,
    "find": _find,
    "fd": _fd,
    "fdfind": _fd,
    "tmux": _tmux,
}
NAMES = frozenset((*_SHELLS, *_STARTERS, *_PLAIN))
