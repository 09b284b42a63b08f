"""A shell script as a tree.

Plain classes and a few named tuples: importing dataclasses would cost a third of what a tool call may cost in all. Tuples that
contain each other would keep mypy busy for minutes.
"""

from __future__ import annotations

from typing import NamedTuple


class Node:
    """Any part of a script that can be run."""

    __slots__ = ()


class Literal(NamedTuple):
    """Text that stands for itself. Unquoted, it may hold a pattern, braces or a tilde."""

    text: str
    quoted: bool = False


class Variable:
    """`$name` or `${name…}`.

    Args:
        operator: what is done with the value: "" for nothing, else `:-`, `%%`, `/`, `:`, `!`, `len`, …, with its `argument`.
        subscript: `[…]` of an array: "@", "*", a number, or something that can't be known; `scripts` are those in it.
        bare: written without braces and quotes.
    """

    __slots__ = ("argument", "bare", "name", "operator", "quoted", "scripts", "subscript")

    def __init__(
        self,
        name: str,
        quoted: bool,
        *,
        operator: str = "",
        argument: Word = (),
        subscript: str = "",
        scripts: tuple[Node, ...] = (),
        bare: bool = False,
    ) -> None:
        self.name = name
        self.quoted = quoted
        self.operator = operator
        self.argument = argument
        self.subscript = subscript
        self.scripts = scripts
        self.bare = bare


class Substitution(NamedTuple):
    """`$(…)` or backquotes: the words are what the script prints."""

    script: Node
    quoted: bool


class Stream(NamedTuple):
    """`<(…)` or `>(…)`: a file that a script writes or reads."""

    script: Node


class Opaque(NamedTuple):
    """Arithmetic and the like: its value isn't followed, the scripts inside of it are."""

    scripts: tuple[Node, ...] = ()


Part = Literal | Variable | Substitution | Stream | Opaque
Word = tuple[Part, ...]


class Assignment(NamedTuple):
    """`name=value`, `name+=value`, or `name=(…)` with a list of words."""

    name: str
    value: Word | list[Word]
    append: bool = False


class Redirect(NamedTuple):
    """`2> file` and the like. A here-document's text follows later in the script, so it is filled in afterwards."""

    operator: str
    target: Word
    body: list[Word]


class Simple(Node):
    """A command with its arguments."""

    __slots__ = ("assignments", "redirects", "words")

    def __init__(self, assignments: tuple[Assignment, ...], words: tuple[Word, ...], redirects: tuple[Redirect, ...]) -> None:
        self.assignments = assignments
        self.words = words
        self.redirects = redirects


class Sequence(Node):
    """One after the other."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items


class Chain(Node):
    """`left && right` or `left || right`."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, left: Node, operator: str, right: Node) -> None:
        self.left = left
        self.operator = operator
        self.right = right


class Pipeline(Node):
    """`a | b`, each in a process of its own; one command alone stays in this one."""

    __slots__ = ("items", "negated")

    def __init__(self, items: tuple[Node, ...], negated: bool = False) -> None:
        self.items = items
        self.negated = negated


class Background(Node):
    """`a &`, and coprocesses."""

    __slots__ = ("item",)

    def __init__(self, item: Node) -> None:
        self.item = item


class Group(Node):
    """`{ … }`, or `( … )` in a process of its own, or another command that carries redirections."""

    __slots__ = ("body", "redirects", "subshell")

    def __init__(self, body: Node, subshell: bool, redirects: tuple[Redirect, ...]) -> None:
        self.body = body
        self.subshell = subshell
        self.redirects = redirects


class If(Node):
    """`if … then … else …`."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, condition: Node, then: Node, otherwise: Node | None) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


class While(Node):
    """`while`, and `until`, which is the same to us."""

    __slots__ = ("body", "condition")

    def __init__(self, condition: Node, body: Node) -> None:
        self.condition = condition
        self.body = body


class For(Node):
    """`for`, and `select`. Without words it goes over the arguments; without a name it counts."""

    __slots__ = ("body", "name", "words")

    def __init__(self, name: str, words: tuple[Word, ...] | None, body: Node) -> None:
        self.name = name
        self.words = words
        self.body = body


class Case(Node):
    """`case … in … esac`. Which arm is taken isn't followed."""

    __slots__ = ("arms", "subject")

    def __init__(self, subject: Word, arms: tuple[Node, ...]) -> None:
        self.subject = subject
        self.arms = arms


class Function(Node):
    """The definition of a function."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: Node) -> None:
        self.name = name
        self.body = body


class Test(Node):
    """`[[ … ]]`, `(( … ))`: nothing but the scripts inside matters."""

    __slots__ = ("words",)

    def __init__(self, words: tuple[Word, ...]) -> None:
        self.words = words
