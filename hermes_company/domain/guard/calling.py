"""Judges one call of a program by every rule."""

from __future__ import annotations

from collections.abc import Iterator

from hermes_company.domain.guard import machine, patch, starting, targets
from hermes_company.domain.guard.builtins import BUILTINS
from hermes_company.domain.guard.git import PROGRAMS as GIT_PROGRAMS
from hermes_company.domain.guard.git import read_git
from hermes_company.domain.guard.marks import DOWNLOAD, HOLE, is_known, matches, show
from hermes_company.domain.guard.options import names
from hermes_company.domain.guard.printing import prints
from hermes_company.domain.guard.walking import Call, Ends, Walker

# Every program that a rule could say no to.
_KNOWN = frozenset((*machine.NAMES, *starting.NAMES, *targets.NAMES, "git"))
_INTERPRETERS = names("python python2 python3 perl ruby node php deno bun lua osascript rscript")
# They don't open what their words name.
_SPEAKERS = names("echo printf test [ true false : cd ls dirname basename")
_LONGEST_PATH = 4_096


def judge_call(walker: Walker, call: Call) -> Ends:
    """How the script goes on behind the call.

    Raises:
        Refused: a rule forbids it.
    """
    state = call.state
    walker.ground.folder = state.cwd
    if call.name in state.functions:
        return _function(walker, call)
    if not is_known(call.name):
        return _unknown_program(walker, call)
    if call.name in state.aliases:
        _alias(walker, call)
    # zsh finds a program by `=name`, too.
    name = call.name.rsplit("/", 1)[-1].removeprefix("=")
    if "/" not in call.name and name in BUILTINS:
        return BUILTINS[name](walker, call)
    name = name.casefold()
    machine.check_program(walker.ground, name, call.words)
    _check_paths(walker, call, name)
    _check_download(walker, call, name)
    if name == "git":
        _check_git(walker, call)
    elif name in ("apply_patch", "applypatch"):
        patch.check_patch(walker, (call.words or (state.stdin,))[0], state)
    ends = starting.start(walker, call, name)
    if ends is not None:
        return ends
    if "/" in call.name:
        walker.file(call.name, call.state, call.words)
    prints(walker, call, name)
    return [state], [state]


def _function(walker: Walker, call: Call) -> Ends:
    inner = call.state.copy()
    inner.arguments = call.words
    ends = walker.run(call.state.functions[call.name], [inner])
    for state in (*ends[0], *ends[1]):
        state.arguments = call.state.arguments
    return ends


def _alias(walker: Walker, call: Call) -> None:
    """What the call means if the shell follows its aliases. It is judged as if it didn't, too."""
    inner = call.state.copy()
    inner.arguments = call.words
    text = f'{inner.aliases.pop(call.name)} "$@"'
    walker.script(text, inner)


def _unknown_program(walker: Walker, call: Call) -> Ends:
    """A program whose name is a pattern or not known: judged as each of those that it could be."""
    walker.ground.unsure(" ".join((call.name, *call.words)))
    name = call.name.rsplit("/", 1)[-1]
    if name.strip(HOLE + DOWNLOAD):
        for known in sorted(_KNOWN):
            if matches(name, known):
                walker.call(call._replace(name=known))
    walker.emit(HOLE)
    return [call.state], [call.state]


def _check_paths(walker: Walker, call: Call, name: str) -> None:
    state = call.state
    for target in targets.targets(name, call.words):
        if target.path in ("", "-"):
            continue
        place = walker.place(target.path, state, itself=target.itself)
        if place is None:
            walker.ground.unsure(" ".join((call.name, *call.words)))
        elif target.what == "delete":
            walker.places.delete(place, deep=target.deep)
        elif target.what == "read":
            walker.places.read(place, deep=target.deep)
        else:
            walker.places.change(place, deep=target.deep)
            if name in ("curl", "wget") and not place.rest:
                state.files[place.base] = DOWNLOAD
    if name == "ln":
        _remember_links(walker, call)
    if name == "tee":
        for word in call.words:
            if (place := walker.place(word, state)) is not None and not place.rest:
                state.files[place.base] = state.stdin
    if name not in _SPEAKERS:
        for word in _paths_in(call.words):
            if (place := walker.place(word, state)) is not None:
                walker.places.read(place)


def _paths_in(words: tuple[str, ...]) -> Iterator[str]:
    """The words, and the parts of words, that could name a file."""
    for word in words:
        if len(word) > _LONGEST_PATH:
            continue
        yield word
        for separator in "=@:":
            tail = word.rpartition(separator)[2]
            if tail != word and ("/" in tail or "~" in tail):
                yield tail


def _remember_links(walker: Walker, call: Call) -> None:
    """A link that is made here is not on the disk yet when the next command is judged."""
    operands = [word for word in call.words if not word.startswith("-")]
    if len(operands) < 2:
        return
    *sources, target = operands
    name = walker.place(target, call.state, itself=True)
    for source in sources:
        led = walker.place(source, call.state)
        if name is None or led is None or name.rest or led.rest:
            continue
        call.state.links[name.base] = led.base
        call.state.links[f"{name.base}/{source.rstrip('/').rsplit('/', 1)[-1]}"] = led.base


def _check_download(walker: Walker, call: Call, name: str) -> None:
    if name in _INTERPRETERS:
        piped = DOWNLOAD in call.state.stdin and not [word for word in call.words if not word.startswith("-")]
        if piped or any(DOWNLOAD in word for word in call.words):
            walker.ground.forbid("download-and-run", show(" ".join(("… |", call.name, *call.words))))


def _check_git(walker: Walker, call: Call) -> None:
    git = read_git(walker.ground, call.words)
    state = call.state
    home = state.value("HOME")
    trees = [value for name in ("GIT_WORK_TREE", "GIT_DIR") if isinstance(value := state.variables.get(name), str)]
    for path in (*git.writes, *(trees if git.writes else ())):
        if path.startswith("~/"):
            path = f"{home if isinstance(home, str) else HOLE}{path[1:]}"
        walker.change(path, state)
    started = [value for name in GIT_PROGRAMS if isinstance(value := state.variables.get(name), str)]
    for text in (*git.scripts, *started):
        walker.script(text, state.started(()))
