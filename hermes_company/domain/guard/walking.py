"""Goes through a script as a shell would, in every way that it can go, and shows each command to the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hermes_company.domain.guard import tree
from hermes_company.domain.guard.cursor import TooMuch
from hermes_company.domain.guard.expanding import Expander
from hermes_company.domain.guard.ground import Ground, Refused
from hermes_company.domain.guard.marks import DOWNLOAD, HOLE, STREAM, disarm
from hermes_company.domain.guard.places import Place, Places
from hermes_company.domain.guard.reading import DECLARERS, read_script
from hermes_company.domain.guard.state import State

# More than this is refused rather than passed by: a script could hide behind its length.
_MOST_COMMANDS = 4_000
_MOST_NESTED = 120
_MOST_ROUNDS = 24

# The states in which a command leaves the script when it succeeds and when it fails.
Ends = tuple[list[State], list[State]]


class Call(NamedTuple):
    """A program with its words, in a state."""

    name: str
    words: tuple[str, ...]
    state: State


class Walker:
    """Looks at everything that one script starts.

    Args:
        ground: what is allowed.
        resolve: follows the links in an absolute path.
        read: the text of a small file, by its absolute path; None for others.
        command: judges a call and tells how the script goes on.
    """

    def __init__(
        self,
        ground: Ground,
        resolve: Callable[[str], str],
        read: Callable[[str], str | None],
        command: Callable[[Walker, Call], Ends],
    ) -> None:
        self.ground = ground
        self.places = Places(ground, resolve)
        self._read = read
        self._command = command
        self._expander = Expander(self._printed_by)
        self._printed: list[list[str]] = [[]]
        self._commands = 0
        self._depth = 0

    def script(self, text: str, state: State) -> Ends:
        """A script given as text.

        Raises:
            Refused: something in it is forbidden, or it is too much to be looked through.
        """
        try:
            node, problem = read_script(text)
        except TooMuch:
            raise Refused("too-long") from None
        if problem:
            self.ground.unsure(f"{text.strip()[:80]} ({problem})")
        return self.run(node, [state])

    def call(self, call: Call) -> Ends:
        """One program."""
        self._commands += 1
        if self._commands > _MOST_COMMANDS:
            raise Refused("too-long")
        return self._command(self, call)

    def emit(self, text: str) -> None:
        """What a program prints, as far as it is known."""
        self._printed[-1].append(text)

    def place(self, path: str, state: State, *, itself: bool = False) -> Place | None:
        """Where a path of the script leads."""
        return self.places.find(path, state.cwd, state.links, itself=itself)

    def check_text(self, text: str) -> None:
        """Refuse to let a shell read what comes from another machine, or, if the policy is strict, from anywhere unknown."""
        if DOWNLOAD in text:
            self.ground.forbid("download-and-run", "… | sh")
        elif HOLE in text:
            self.ground.unsure(text.strip()[:80])

    def script_in(self, path: str, state: State) -> str | None:
        """The text of a file that a shell is to run, where the script itself has made it."""
        if path in ("/dev/stdin", "/dev/fd/0", "-"):
            return state.stdin
        text = self.text_of(path, state)
        if text is not None:
            self.check_text(text)
        return text

    def file(self, path: str, state: State, arguments: tuple[str, ...] = (), *, anew: bool = True) -> Ends:
        """A script in a file, as far as we can look into it.

        One from the disk that is too long is let pass, unless the policy is strict: it is a program like any other.
        """
        text = self.script_in(path, state)
        inner = state.started(arguments) if anew else state
        if text is not None:
            return self.script(text, inner)
        place = self.place(path, state)
        text = self._read(place.base) if place is not None and not place.rest else None
        if text is None:
            return [state], [state]
        counted, self._commands = self._commands, 0
        try:
            return self.script(disarm(text), inner)
        except Refused as refused:
            if refused.rule != "too-long":
                raise
            self.ground.unsure(path)
            return [state], [state]
        finally:
            self._commands = counted

    def change(self, path: str, state: State) -> None:
        """Refuse to write to a path of the script, or, if the policy is strict, where that can't be known."""
        place = self.place(path, state)
        if place is None:
            self.ground.unsure(path)
        else:
            self.places.change(place)

    def run(self, node: tree.Node, states: Sequence[State]) -> Ends:
        """Any part of a script."""
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise Refused("too-long")
        try:
            ok, failed = _STEPS[type(node)](self, node, list(states))
        finally:
            self._depth -= 1
        return State.distinct(ok), State.distinct(failed)

    def _printed_by(self, script: tree.Node, state: State) -> str:
        _, text = self._captured(script, [state])
        return text

    def _captured(self, node: tree.Node, states: Sequence[State]) -> tuple[Ends, str]:
        self._printed.append([])
        try:
            ends = self.run(node, states)
        finally:
            text = "".join(self._printed.pop())
        return ends, text

    def _sequence(self, node: tree.Sequence, states: list[State]) -> Ends:
        ends: Ends = (states, states)
        for item in node.items:
            ends = self.run(item, _all(ends))
        return ends

    def _chain(self, node: tree.Chain, states: list[State]) -> Ends:
        ok, failed = self.run(node.left, states)
        if node.operator == "&&":
            then_ok, then_failed = self.run(node.right, ok)
            return then_ok, [*failed, *then_failed]
        (then_ok, then_failed), text = self._captured(node.right, failed)
        self._maybe(text)
        return [*ok, *then_ok], then_failed

    def _maybe(self, text: str) -> None:
        """Print what is printed on one of two ways only."""
        if text:
            self.emit(DOWNLOAD if DOWNLOAD in text else HOLE)

    def _pipeline(self, node: tree.Pipeline, states: list[State]) -> Ends:
        if len(node.items) == 1:
            ok, failed = self.run(node.items[0], states)
            return (failed, ok) if node.negated else (ok, failed)
        ends, text = self._captured(node.items[0], states)
        for item in node.items[1:]:
            ends, text = self._captured(item, [state.fed(text) for state in states])
        self.emit(text)
        # Some shells run the last command themselves, so what it sets may stay set.
        left = [*states, *(state.fed(states[0].stdin) for state in _all(ends))]
        return left, left

    def _background(self, node: tree.Background, states: list[State]) -> Ends:
        self.run(node.item, states)
        return states, states

    def _group(self, node: tree.Group, states: list[State]) -> Ends:
        inner = [state.fed(self._stdin(node.redirects, state)) for state in states]
        ends, text = self._captured(node.body, inner)
        if not _writes_file(node.redirects):
            self.emit(text)
        if node.subshell:
            ends = (states, states)
        back = [[each.fed(states[0].stdin).copy() for each in side] for side in ends] if states else [[], []]
        for state in (*back[0], *back[1]):
            self._keep_output(node.redirects, state, text)
        return back[0], back[1]

    def _if(self, node: tree.If, states: list[State]) -> Ends:
        ok, failed = self.run(node.condition, states)
        (then_ok, then_failed), text = self._captured(node.then, ok)
        self._maybe(text)
        if node.otherwise is None:
            return [*then_ok, *failed], then_failed
        (else_ok, else_failed), text = self._captured(node.otherwise, failed)
        self._maybe(text)
        return [*then_ok, *else_ok], [*then_failed, *else_failed]

    def _while(self, node: tree.While, states: list[State]) -> Ends:
        seen = states
        for _ in range(_MOST_ROUNDS):
            ok, failed = self.run(node.condition, seen)
            ends, text = self._captured(node.body, ok)
            self._maybe(text)
            grown = State.distinct([*seen, *failed, *_all(ends)])
            if len(grown) == len(seen):
                break
            seen = grown
        return seen, seen

    def _for(self, node: tree.For, states: list[State]) -> Ends:
        left: list[State] = []
        for state in states:
            going = [state.copy()]
            left.append(state)
            for word in self._rounds(node, state):
                for one in going:
                    one.assign(node.name, word)
                ends, text = self._captured(node.body, going)
                self._maybe(text)
                going = [each.copy() for each in State.distinct(_all(ends))]
                left += going
        return left, left

    def _rounds(self, node: tree.For, state: State) -> list[str]:
        """What the loop's variable holds, round by round."""
        if not node.name:
            return [HOLE]
        words = self._fields(node.words, state) if node.words is not None else list(state.arguments or (HOLE,))
        return words if len(words) <= _MOST_ROUNDS else [*words[:_MOST_ROUNDS], HOLE]

    def _case(self, node: tree.Case, states: list[State]) -> Ends:
        for state in states:
            self._expander.text(node.subject, state)
        left = list(states)
        for arm in node.arms:
            ends, text = self._captured(arm, [state.copy() for state in states])
            self._maybe(text)
            left += _all(ends)
        return left, left

    def _function(self, node: tree.Function, states: list[State]) -> Ends:
        left = [state.copy() for state in states]
        for state in left:
            state.functions[node.name] = node.body
        return left, left

    def _test(self, node: tree.Test, states: list[State]) -> Ends:
        for state in states:
            for word in node.words:
                self._expander.text(word, state)
        return states, states

    def _simple(self, node: tree.Simple, states: list[State]) -> Ends:
        ok: list[State] = []
        failed: list[State] = []
        texts = []
        for state in states:
            self._printed.append([])
            try:
                ends = self._one(node, state.copy())
            finally:
                texts.append("".join(self._printed.pop()))
            ok += ends[0]
            failed += ends[1]
        if len(set(texts)) == 1:
            self.emit(texts[0])
        else:
            self._maybe("".join(texts))
        return ok, failed

    def _one(self, node: tree.Simple, state: State) -> Ends:
        words = self._fields(node.words, state)
        given = dict(self._assigned(assignment, state) for assignment in node.assignments)
        stdin = self._stdin(node.redirects, state)
        lasting = not words or words[0] in DECLARERS
        if lasting:
            state.variables.update(given)
            if words[:1] == ["export"] or "-x" in words:
                state.exported |= given.keys()
        if not words:
            self._keep_output(node.redirects, state, "")
            return [state], [state]
        started = state.fed(stdin)
        if given and not lasting:
            # Set for this one program only, which may be a shell itself.
            started = started.copy()
            started.variables.update(given)
            started.exported |= given.keys()
        self._printed.append([])
        try:
            ok, failed = self.call(Call(words[0], tuple(words[1:]), started))
        finally:
            text = "".join(self._printed.pop())
        if not _writes_file(node.redirects):
            self.emit(text)
        alone = () if lasting else given.keys()
        left = [[each.behind(state, alone) for each in side] for side in (ok, failed)]
        for each in (*left[0], *left[1]):
            self._keep_output(node.redirects, each, text)
        return left[0], left[1]

    def _fields(self, words: Sequence[tree.Word], state: State) -> list[str]:
        return [field for word in words for field in self._expander.fields(word, state)]

    def _assigned(self, assignment: tree.Assignment, state: State) -> tuple[str, str | tuple[str, ...]]:
        before = state.value(assignment.name)
        if isinstance(assignment.value, list):
            values = tuple(self._fields(assignment.value, state))
            earlier = (before if isinstance(before, tuple) else (before,) if before else ()) if assignment.append else ()
            return assignment.name, (*earlier, *values)
        value = self._expander.text(assignment.value, state)
        return assignment.name, f"{before}{value}" if assignment.append and isinstance(before, str) else value

    def _stdin(self, redirects: Sequence[tree.Redirect], state: State) -> str:
        """What is fed into a command with these redirections. Those that write are judged on the way."""
        stdin = state.stdin
        for redirect in redirects:
            operator = redirect.operator
            if operator in ("<<", "<<-"):
                stdin = "".join(self._expander.text(body, state) for body in redirect.body)
                continue
            target = self._expander.text(redirect.target, state, pattern=True)
            if operator == "<<<":
                stdin = target + "\n"
            elif operator == "<":
                self._read_file(target, state)
                stdin = self.text_of(target, state) or HOLE
            elif operator in (">&", "<&") and (target.rstrip("-").isdigit() or target == "-"):
                continue
            elif not target.startswith(STREAM):
                self.change(target, state)
        return stdin

    def _read_file(self, path: str, state: State) -> None:
        place = self.place(path, state)
        if place is not None:
            self.places.read(place)

    def text_of(self, path: str, state: State) -> str | None:
        """What a file holds that the script itself has written, or that `<(…)` stands for; None for others."""
        if path.startswith(STREAM) and path[1:].isdigit():
            return self._expander.streams[int(path[1:])]
        place = self.place(path, state)
        return state.files.get(place.base) if place is not None and not place.rest else None

    def _keep_output(self, redirects: Sequence[tree.Redirect], state: State, text: str) -> None:
        """Remember what a command writes into files."""
        for redirect in redirects:
            if redirect.operator in _WRITING:
                place = self.place(self._expander.text(redirect.target, state, pattern=True), state)
                if place is not None and not place.rest:
                    before = state.files.get(place.base, "") if ">>" in redirect.operator else ""
                    state.files[place.base] = before + text


_WRITING = (">", ">>", ">|", "&>", "&>>")


def _writes_file(redirects: Sequence[tree.Redirect]) -> bool:
    return any(redirect.operator in _WRITING for redirect in redirects)


def _all(ends: Ends) -> list[State]:
    return State.distinct([*ends[0], *ends[1]])


_STEPS: Mapping[type, Callable[..., Ends]] = {
    tree.Simple: Walker._simple,
    tree.Sequence: Walker._sequence,
    tree.Chain: Walker._chain,
    tree.Pipeline: Walker._pipeline,
    tree.Background: Walker._background,
    tree.Group: Walker._group,
    tree.If: Walker._if,
    tree.While: Walker._while,
    tree.For: Walker._for,
    tree.Case: Walker._case,
    tree.Function: Walker._function,
    tree.Test: Walker._test,
}
