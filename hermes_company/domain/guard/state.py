"""What a shell knows at one point of a script: where it is, what its variables hold, which functions there are.

A script that can go two ways is followed both ways, so there may be several states at one point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hermes_company.domain.guard.marks import HOLE, disarm
from hermes_company.domain.guard.tree import Node

# More ways than these are folded into one in which what differs isn't known.
_MOST_STATES = 12

Value = str | tuple[str, ...]


class State:
    """One way that a script can have gone so far. Copied before it is changed, wherever it could go on in two ways."""

    __slots__ = (
        "aliases",
        "arguments",
        "cwd",
        "environ",
        "exported",
        "files",
        "functions",
        "links",
        "live",
        "previous",
        "stdin",
        "variables",
    )

    def __init__(self, cwd: str | None, environ: Mapping[str, str]) -> None:
        # Absolute, as the shell writes it; None when it isn't known.
        self.cwd = cwd
        self.previous: str | None = None
        self.environ = environ
        # What was set on the way; None: unset.
        self.variables: dict[str, Value | None] = {}
        # Variables that programs get to see too, besides those that came from outside.
        self.exported: frozenset[str] = frozenset()
        self.functions: dict[str, Node] = {}
        # Whether a shell follows these depends on how it was started.
        self.aliases: dict[str, str] = {}
        # `$1` and so on; None: not known.
        self.arguments: tuple[str, ...] | None = ()
        # Links and files that the script itself has made: path → where it leads, path → what it holds.
        self.links: dict[str, str] = {}
        self.files: dict[str, str] = {}
        # What is fed into the commands here; empty where that is nothing.
        self.stdin = ""
        # False behind `exit`. What follows is looked at all the same.
        self.live = True

    def copy(self) -> State:
        """An equal state that can be changed by itself."""
        twin = State(self.cwd, self.environ)
        twin.previous, twin.arguments, twin.live = self.previous, self.arguments, self.live
        twin.stdin, twin.exported = self.stdin, self.exported
        twin.variables, twin.functions = dict(self.variables), dict(self.functions)
        twin.aliases = dict(self.aliases)
        twin.links, twin.files = dict(self.links), dict(self.files)
        return twin

    def moved(self, cwd: str | None) -> State:
        """The state after a change of folder."""
        twin = self.copy()
        twin.previous, twin.cwd = self.cwd, cwd
        return twin

    def fed(self, stdin: str) -> State:
        """The state of a process into which something is fed."""
        if self.stdin == stdin:
            return self
        twin = self.copy()
        twin.stdin = stdin
        return twin

    def behind(self, before: State, names: Iterable[str]) -> State:
        """The state behind a program that began in `before`: what was fed into it or set (`names`) for it alone is gone."""
        twin = self.copy()
        twin.stdin = before.stdin
        for name in names:
            twin.variables.pop(name, None)
            if name in before.variables:
                twin.variables[name] = before.variables[name]
        twin.exported = (self.exported - frozenset(names)) | before.exported
        return twin

    def started(self, arguments: tuple[str, ...]) -> State:
        """The state in which another shell begins that this one starts: functions and most variables stay behind."""
        twin = self.copy()
        twin.functions, twin.arguments = {}, arguments
        inherited = self.exported | self.environ.keys()
        twin.variables = {name: value for name, value in self.variables.items() if name in inherited}
        return twin

    def value(self, name: str) -> Value:
        """What a variable holds; empty where it was never set."""
        if name in self.variables:
            return self.variables[name] or ""
        if name in self.environ:
            return disarm(self.environ[name])
        return HOLE if name in _KEPT_BY_SHELL else ""

    def is_set(self, name: str) -> bool:
        """Whether a variable was ever set, as far as we see."""
        return self.variables.get(name) is not None or name in self.environ or name in _KEPT_BY_SHELL

    def assign(self, name: str, value: Value | None) -> None:
        """Set a variable (None: unset it)."""
        self.variables[name] = value

    def _key(self) -> object:
        return (
            self.cwd,
            self.live,
            self.stdin,
            self.arguments,
            tuple(sorted(self.variables.items(), key=lambda item: item[0])),
            tuple(sorted(self.links.items())),
            tuple(sorted(self.files.items())),
            tuple(sorted(self.aliases.items())),
            self._functions_key(),
        )

    def _functions_key(self) -> object:
        return tuple(sorted((name, id(body)) for name, body in self.functions.items()))

    def absorb(self, other: State) -> None:
        """Forget what differs in the other one."""
        for name in self.variables.keys() | other.variables.keys():
            if self.variables.get(name, "") != other.variables.get(name, ""):
                self.variables[name] = HOLE
        if self.arguments != other.arguments:
            self.arguments = None
        self.exported |= other.exported
        self.aliases = {**other.aliases, **self.aliases}
        self.links, self.files = {**other.links, **self.links}, {**other.files, **self.files}

    @staticmethod
    def distinct(states: Sequence[State]) -> list[State]:
        """`states` without doubles. What lies behind `exit` counts only where nothing else is left."""
        alive = [state for state in states if state.live] or states
        kept = list({state._key(): state for state in alive}.values())
        if len(kept) <= _MOST_STATES:
            return kept
        folded: dict[object, State] = {}
        for state in kept:
            alike = (state.cwd, state.stdin, state._functions_key())
            if alike in folded:
                folded[alike].absorb(state)
            else:
                folded[alike] = state.copy()
        return list(folded.values())


_KEPT_BY_SHELL = frozenset(
    (
        "?",
        "$",
        "!",
        "-",
        "_",
        "RANDOM",
        "SRANDOM",
        "SECONDS",
        "EPOCHSECONDS",
        "EPOCHREALTIME",
        "LINENO",
        "UID",
        "EUID",
        "PPID",
        "BASHPID",
        "HOSTNAME",
        "HOSTTYPE",
        "OSTYPE",
        "MACHTYPE",
        "SHLVL",
        "OPTARG",
        "OPTIND",
        "COLUMNS",
        "LINES",
        "BASH_VERSION",
        "BASH_SOURCE",
        "BASH_LINENO",
        "BASH_VERSINFO",
        "FUNCNAME",
        "GROUPS",
        "PIPESTATUS",
        "ZSH_VERSION",
    )
)
