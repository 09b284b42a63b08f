"""The grammar of shell scripts, as far as it tells which commands run with which words."""

from __future__ import annotations

import re

from hermes_company.domain.guard import tree
from hermes_company.domain.guard.cursor import Cursor, TooMuch, Unreadable
from hermes_company.domain.guard.quoting import read_arithmetic, read_double, read_word
from hermes_company.domain.guard.tree import Assignment, Literal, Node, Redirect, Sequence, Word

_MOST_NESTED = 40
_MOST_RESTARTS = 100
_SEPARATOR = re.compile(r"[;&|\n]")
_REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(<<<|<<-|<<|<>|<&|<(?!\()|&>>|&>|>>|>\||>&|>(?!\())")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\[[^\]\n]*\])?(\+?)=", re.ASCII)
_FUNCTION = re.compile(r"([^\s;&|<>()$`\"'\\#=]+)[ \t]*\([ \t]*\)")
_KEYWORD = re.compile(r"(?:[A-Za-z]+|[!{}]|\[\[)(?=[\s;&|<>()]|\Z)")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BLANKS = re.compile(r"(?:[ \t\r]|\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_ENDERS = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}"))
# Their arguments may be assignments, lists included.
DECLARERS = frozenset(("declare", "export", "local", "readonly", "typeset"))


def read_script(text: str) -> tuple[Sequence, str | None]:
    """What a shell would run of `text`, and what could not be read of it.

    A shell runs a script line by line and only then finds the line that it can't read; so what comes before is there, and what
    comes after a bad place too, because we could be the ones who are wrong about it.

    Raises:
        TooMuch: it is nested or broken beyond measure.
    """
    reader = Reader(text)
    items: list[Node] = []
    problem = None
    restarts = 0
    while not reader.at_end:
        start = reader.position
        try:
            if not reader.closes():
                items.append(reader.item())
            elif not reader.at_end:
                raise Unreadable(f"`{reader.peek()}` where no command can end")
        except Unreadable as found:
            problem = problem or str(found)
            restarts += 1
            if restarts > _MOST_RESTARTS:
                raise TooMuch from None
            reader.start_anew(start)
    return Sequence(tuple(items)), problem


class Reader(Cursor):
    """Reads a script's text."""

    def __init__(self, text: str, depth: int = 0) -> None:
        super().__init__(text)
        self._depth = depth
        self._documents: list[tuple[str, bool, bool, list[Word]]] = []

    def inner(self, text: str) -> Node:
        """The script in a text that stands inside of this one."""
        if self._depth >= _MOST_NESTED:
            raise TooMuch
        reader = Reader(text, self._depth + 1)
        script = reader.sequence()
        if not reader.at_end:
            raise Unreadable(f"`{reader.peek()}` where no command can end")
        return script

    def start_anew(self, start: int) -> None:
        """Go on behind the next place after `start` where a command could begin."""
        self._documents.clear()
        self._depth = 0
        found = _SEPARATOR.search(self.text, start)
        self.position = len(self.text) if found is None else found.end()

    def sequence(self) -> Sequence:
        """Commands up to something that closes them: `)`, `;;`, a keyword such as `fi`, the end of the text."""
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise TooMuch
        items: list[Node] = []
        while not self.closes():
            items.append(self.item())
        self._depth -= 1
        return Sequence(tuple(items))

    def closes(self) -> bool:
        """Whether something stands here that closes a sequence. Goes on behind blanks and line ends."""
        self._blanks(lines=True)
        return self.at_end or self.peek() in ");" or self._keyword() in _ENDERS

    def item(self) -> Node:
        """One item of a sequence, and what separates it from the next."""
        item = self._chain()
        self._blanks()
        if self.peek() == "&":
            self.position += 1
            return tree.Background(item)
        if self.peek() == ";" and self.peek(1) not in (";", "&"):
            self.position += 1
        return item

    def _blanks(self, *, lines: bool = False) -> None:
        """Go on behind blanks and comments, and behind line ends and the here-documents that follow them."""
        while not self.at_end:
            char = self.peek()
            if char in " \t\r" or self.text.startswith("\\\n", self.position):
                self.take(_BLANKS)
            elif char == "#":
                self.take(_COMMENT)
            elif char == "\n" and lines:
                self.position += 1
                self._read_documents()
            else:
                return

    def _keyword(self) -> str:
        found = _KEYWORD.match(self.text, self.position)
        return found.group() if found else ""

    def _skip_keyword(self, *words: str) -> str:
        self._blanks(lines=True)
        word = self._keyword()
        if word not in words:
            raise Unreadable(f"`{words[0]}` is missing")
        self.position += len(word)
        return word

    def _chain(self) -> Node:
        left = self._pipeline()
        while True:
            self._blanks()
            operator = self.text[self.position : self.position + 2]
            if operator not in ("&&", "||"):
                return left
            self.position += 2
            self._blanks(lines=True)
            left = tree.Chain(left, operator, self._pipeline())

    def _pipeline(self) -> Node:
        negated = False
        while (word := self._keyword()) in ("!", "time"):
            negated ^= word == "!"
            self.position += len(word)
            self._blanks()
            if word == "time" and self.text.startswith("-p ", self.position):
                self.position += 3
                self._blanks()
        items = [self._command()]
        while self._pipe():
            self._blanks(lines=True)
            items.append(self._command())
        return items[0] if len(items) == 1 and not negated else tree.Pipeline(tuple(items), negated)

    def _pipe(self) -> bool:
        self._blanks()
        if self.peek() != "|" or self.peek(1) == "|":
            return False
        self.position += 2 if self.peek(1) == "&" else 1
        return True

    def _command(self) -> Node:
        word = self._keyword()
        compound = _COMPOUND.get(word)
        if self.peek() == "(":
            return self._with_redirects(self._parentheses())
        if compound is not None:
            self.position += len(word)
            return self._with_redirects(compound(self))
        found = _FUNCTION.match(self.text, self.position)
        if found:
            self.position = found.end()
            return self._function(found[1])
        return self._simple()

    def _parentheses(self) -> Node:
        arithmetic = read_arithmetic(self)
        if arithmetic is not None:
            return tree.Test(((arithmetic,),))
        self.position += 1
        body = self.sequence()
        self.expect(")")
        return tree.Group(body, subshell=True, redirects=())

    def _with_redirects(self, body: Node) -> Node:
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            redirect = self._redirect()
            if redirect is None:
                return tree.Group(body, subshell=False, redirects=tuple(redirects)) if redirects else body
            redirects.append(redirect)

    def _group(self) -> Node:
        body = self.sequence()
        self._skip_keyword("}")
        return body

    def _if(self) -> Node:
        condition = self.sequence()
        self._skip_keyword("then")
        then = self.sequence()
        otherwise: Node | None = None
        word = self._skip_keyword("fi", "else", "elif")
        if word == "else":
            otherwise = self.sequence()
            self._skip_keyword("fi")
        elif word == "elif":
            otherwise = self._if()
        return tree.If(condition, then, otherwise)

    def _while(self) -> Node:
        condition = self.sequence()
        return tree.While(condition, self._loop_body())

    def _loop_body(self) -> Node:
        if self._skip_keyword("do", "{") == "{":
            return self._group()
        body = self.sequence()
        self._skip_keyword("done")
        return body

    def _for(self) -> Node:
        self._blanks()
        counting = read_arithmetic(self)
        name, words = "", None
        if counting is None:
            name = self.take(_NAME)
            self._blanks(lines=True)
            if self._keyword() == "in":
                self.position += 2
                words = self._words()
        self._blanks()
        if self.peek() == ";":
            self.position += 1
        body = self._loop_body()
        if counting is not None:
            body = Sequence((tree.Test(((counting,),)), body))
        return tree.For(name, words, body)

    def _words(self) -> tuple[Word, ...]:
        words: list[Word] = []
        while True:
            self._blanks()
            word = read_word(self)
            if not word:
                return tuple(words)
            words.append(word)

    def _case(self) -> Node:
        self._blanks()
        subject = read_word(self)
        self._skip_keyword("in")
        arms: list[Node] = []
        self._blanks(lines=True)
        while self._keyword() != "esac":
            if self.peek() == "(":
                self.position += 1
            while self._words() and self.peek() == "|":
                self.position += 1
            self.expect(")")
            arms.append(self.sequence())
            while self.peek() in tuple(";&"):
                self.position += 1
            self._blanks(lines=True)
        self._skip_keyword("esac")
        return tree.Case(subject, tuple(arms))

    def _named_function(self) -> Node:
        self._blanks()
        name = self.take(re.compile(r"[^\s;&|<>()]+"))
        self._blanks()
        if self.peek() == "(":
            self.position += 1
            self._blanks()
            self.expect(")")
        return self._function(name)

    def _function(self, name: str) -> Node:
        self._blanks(lines=True)
        return tree.Function(name, self._command())

    def _test(self) -> Node:
        words: list[Word] = []
        while True:
            self._blanks(lines=True)
            if self.at_end:
                raise Unreadable("`]]` is missing")
            if self.text.startswith("]]", self.position):
                self.position += 2
                return tree.Test(tuple(words))
            word = read_word(self)
            if word:
                words.append(word)
            else:
                self.position += 1

    def _coprocess(self) -> Node:
        self._blanks()
        found = _NAME.match(self.text, self.position)
        if found and self.text[found.end() : found.end() + 2].lstrip(" ")[:1] in tuple("{("):
            self.position = found.end()
            self._blanks()
        return tree.Background(self._command())

    def _simple(self) -> Node:
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        declares = False
        while True:
            self._blanks()
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            found = _ASSIGNMENT.match(self.text, self.position)
            if found and (declares or not words):
                self.position = found.end()
                assignments.append(self._assignment(found))
                continue
            word = read_word(self)
            if not word:
                break
            words.append(word)
            first = words[0][0]
            declares = isinstance(first, Literal) and first.text in DECLARERS
        if not (assignments or words or redirects):
            raise Unreadable(f"`{self.peek() or 'the end'}` where a command should stand")
        return tree.Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _assignment(self, found: re.Match[str]) -> Assignment:
        if self.peek() != "(":
            value = read_word(self)
            if not found[2]:
                return Assignment(found[1], value, append=bool(found[3]))
            # `name[i]=value` is one more of the list's words, whichever its place; that may hold a script.
            place = tuple(read_double(Reader(found[2], self._depth), ""))
            return Assignment(found[1], [place, value] if len(place) > 1 else [value], append=True)
        self.position += 1
        values: list[Word] = []
        while True:
            self._blanks(lines=True)
            word = read_word(self)
            if not word:
                break
            values.append(word)
        self.expect(")")
        return Assignment(found[1], values, append=bool(found[3]))

    def _redirect(self) -> Redirect | None:
        found = _REDIRECT.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        self._blanks()
        target = read_word(self)
        if not target:
            raise Unreadable(f"`{found[1]}` without a file")
        redirect = Redirect(found[1], target, [])
        if found[1] in ("<<", "<<-"):
            quoted = any(isinstance(part, Literal) and part.quoted for part in target)
            delimiter = "".join(part.text for part in target if isinstance(part, Literal))
            self._documents.append((delimiter, quoted, found[1] == "<<-", redirect.body))
        return redirect

    def _read_documents(self) -> None:
        for delimiter, quoted, tabs, body in self._documents:
            lines = []
            while not self.at_end:
                end = self.text.find("\n", self.position)
                end = len(self.text) if end < 0 else end
                line = self.text[self.position : end]
                self.position = end + 1
                line = line.lstrip("\t") if tabs else line
                if line == delimiter:
                    break
                lines.append(line + "\n")
            text = "".join(lines)
            body.append((Literal(text, quoted=True),) if quoted else tuple(read_double(Reader(text, self._depth), "")))
        self._documents.clear()


_COMPOUND = {
    "{": Reader._group,
    "if": Reader._if,
    "while": Reader._while,
    "until": Reader._while,
    "for": Reader._for,
    "select": Reader._for,
    "case": Reader._case,
    "function": Reader._named_function,
    "[[": Reader._test,
    "coproc": Reader._coprocess,
}
