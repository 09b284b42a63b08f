"""Tricks of quoting: whatever bash makes of a script, the guard must have seen it coming. Bash itself is the judge."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_company.domain.guard import Ground, World, judge
from hermes_company.domain.guard.calling import judge_call
from hermes_company.domain.guard.marks import HOLE, show
from hermes_company.domain.guard.state import State
from hermes_company.domain.guard.walking import Call, Ends, Walker
from hermes_company.domain.policy import Grounds, Policy, frozen
from tests.guard.company import ground, run

Draw = Callable[[st.SearchStrategy[str]], str]
PROGRAMS = ("bash", "sh", "cat", "env", "printf", "xargs", "base64", "true")
# Writes down which of its words are really there, instead of deleting anything.
RM = """#!{sh}
for word; do
  [ ! -e "$word" ] || printf '%s\\n' "$word" >> "{log}"
done
"""


class Stage:
    """A company in a temporary folder, and a machine on which `rm` only takes notes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.work, self.bin = folder / "co", folder / "site", folder / "bin"
        self.log, self.rule = folder / "rm.log", self.root / "company" / "RULES.md"
        for place in (self.root / "company", self.root / "tasks", self.root / "outbox", self.work / "sub", self.bin):
            place.mkdir(parents=True)
        for name in PROGRAMS:
            (self.bin / name).symlink_to(str(shutil.which(name)))
        (self.bin / "rm").write_text(RM.format(sh=shutil.which("sh"), log=self.log))
        (self.bin / "rm").chmod(0o755)
        self.environ = {"PATH": str(self.bin), "HOME": str(folder / "home"), "HC_ROOT": str(self.root), "LC_ALL": "C.UTF-8"}

    def does_harm(self, script: str) -> bool:
        """Whether the script, run by bash, deletes `tasks` or changes the company's rules."""
        self.rule.write_text("rules")
        self.log.unlink(missing_ok=True)
        subprocess.run(
            [str(self.bin / "bash"), "-c", script],
            cwd=self.work,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        deleted = self.log.read_text().splitlines() if self.log.exists() else []
        return self.rule.read_text() != "rules" or any(word.rstrip("/").endswith("tasks") for word in deleted)

    def is_refused(self, script: str) -> bool:
        """Whether the guard refuses it."""
        return not judge(self._ground, self._world, "Bash", {"command": script}, str(self.work)).allowed

    @property
    def _ground(self) -> Ground:
        grounds = Grounds(
            root=str(self.root),
            home=self.environ["HOME"],
            workdir=str(self.work),
            outbox=str(self.root / "outbox/a/T"),
            temp=(),
        )
        return Ground(frozen(Policy(), grounds, os.path.realpath))

    @property
    def _world(self) -> World:
        return World(self.environ, os.path.realpath, lambda path: None)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """One stage for all tricks: nothing on it is ever really lost."""
    with tempfile.TemporaryDirectory(prefix="hc-guard-") as folder:
        yield Stage(Path(folder).resolve())


def quoted_char(draw: Draw, char: str) -> str:
    """One character of a word, written in one of bash's ways."""
    ways = [
        char,
        f"\\{char}",
        f"'{char}'",
        f'"{char}"',
        f"$'{char}'",
        f"$'\\x{ord(char):02x}'",
        f"$'\\{ord(char):03o}'",
        f"''{char}",
    ]
    return draw(st.sampled_from(ways))


@st.composite
def words(draw: Draw, word: str) -> str:
    """A word, each of its characters written in some way."""
    return "".join(quoted_char(draw, char) for char in word)


@st.composite
def in_variables(draw: Draw, word: str, name: str) -> tuple[str, str]:
    """Assignments, and a word that uses them."""
    cut = draw(st.integers(0, len(word)))
    first, second = word[:cut], word[cut:]
    use = draw(
        st.sampled_from(
            [
                f'"${{{name}1}}${name}2"',
                f"${{{name}1}}${{{name}2}}",
                f'"${{{name}1:0}}"${{{name}2:-}}',
                f"${{{name}0:-${name}1}}${{{name}2%zzz}}",
                f"${{{name}1#zzz}}${{{name}2/zzz/y}}",
            ]
        )
    )
    return f"{name}1={draw(words(first))}; {name}2={draw(words(second))}; ", use


TARGETS = (
    "../co/tasks",
    "./../co/./tasks",
    "..//co/tasks/",
    "sub/../../co/tasks",
)
ODD_TARGETS = (
    "$HC_ROOT/tasks",
    '"$HC_ROOT"/tasks',
    "${HC_ROOT}/tasks",
    "$PWD/../co/tasks",
    "../c?/tasks",
    "../co/task[s]",
    "../co/t*",
    "../co/{tasks,nothing}",
    "../{c,d}o/tasks",
    "~+/../co/tasks",
    "$(echo ../co/tasks)",
    "`echo ../co`/tasks",
    "$(printf '%s/%s' ../co tasks)",
)
GAPS = (" ", "  ", "\t", " \\\n", "$IFS", "${IFS}", "$IFS$IFS")


@st.composite
def deletions(draw: Draw) -> str:
    """A command that deletes the company's tickets."""
    before = ""
    parts = []
    for number, word in enumerate(("rm", "-rf")):
        if draw(st.booleans()):
            assigned, use = draw(in_variables(word, f"v{number}"))
            before += assigned
            parts.append(use)
        else:
            parts.append(draw(words(word)))
    plain = draw(st.booleans())
    parts.append(draw(words(draw(st.sampled_from(TARGETS)))) if plain else draw(st.sampled_from(ODD_TARGETS)))
    gap = draw(st.sampled_from(GAPS))
    shape = draw(st.sampled_from(["plain", "plain", "array", "set", "one variable", "cd", "cd in steps", "loop"]))
    if shape == "array":
        return f'{before}a=({" ".join(parts)}); "${{a[@]}}"'
    if shape == "set":
        return f'{before}set -- {" ".join(parts)}; "$@"'
    if shape == "one variable":
        return "c='rm -rf ../co/tasks'; $c"
    if shape == "cd":
        return f"{before}cd ../co{draw(st.sampled_from([' &&', ';']))} {' '.join(parts[:2])} {draw(words('tasks'))}"
    if shape == "cd in steps":
        return f"{before}cd ..; cd sub/../co; cd /nowhere; {' '.join(parts[:2])} ./tasks"
    if shape == "loop":
        return f"{before}for t in x {parts[2]}; do {' '.join(parts[:2])} $t; done"
    return before + gap.join(parts)


@st.composite
def overwrites(draw: Draw) -> str:
    """A command that changes the company's rules."""
    path = draw(st.sampled_from(["../co/company/RULES.md", "sub/../../co/company/RULES.md"]))
    written = draw(words(path))
    if draw(st.booleans()):
        before, written = draw(in_variables(path, "p"))
    else:
        before = ""
    shape = draw(
        st.sampled_from(
            [
                "echo x > {}",
                "echo x >>{}",
                "echo x >| {}",
                "> {}",
                "&> {} echo",
                "cat <<< x 1> {}",
                "{{ echo x; }} > {}",
                "cat > {} <<E\nx\nE\n",
                "exec 3> {}",
                "printf x > {}",
            ]
        )
    )
    return before + shape.format(written)


def wrapped(draw: Draw, script: str) -> str:
    """The script inside of something that runs it."""
    quoted = shlex.quote(script)
    ways = [
        f"bash -c {quoted}",
        f"sh -c {quoted}",
        f"eval {quoted}",
        f"env bash -c {quoted}",
        f"( {script}\n)",
        f"{{ {script}\n}}",
        f"if true; then {script}\nfi",
        f"if false; then :; else {script}\nfi",
        f"true && {{ {script}\n}}",
        f"false || {{ {script}\n}}",
        f": ; {script}",
        f": # comment\n{script}",
        f"{script}\n: | :",
        f"printf %s {quoted} | bash",
        f"bash <<'E'\n{script}\nE",
        f"bash <<< {quoted}",
        f"bash <(printf %s {quoted})",
        f"source <(printf %s {quoted})",
        f"x=$({script}\n)",
        f': "$({script}\n)"',
        f"f() {{ {script}\n}}; f",
        f"for i in 1; do {script}\ndone",
        f"case a in a) {script}\n;; esac",
        f"while :; do {script}\nbreak; done",
        f"trap {quoted} EXIT",
        f'x={quoted}; bash -c "$x"',
        f'x={quoted}; eval "$x"',
        f"bash -c 'eval \"$1\"' _ {quoted}",
        f'f() {{ eval "$@"; }}; f {quoted}',
        f"printf %s {quoted} > s.sh; bash s.sh",
        f"{{ {script}\n}} 2>/dev/null | cat",
    ]
    return draw(st.sampled_from(ways))


@st.composite
def harmful(draw: Draw) -> str:
    """A harmful script, wrapped up to three times."""
    script = draw(st.one_of(deletions(), overwrites()))
    for _ in range(draw(st.integers(0, 3))):  # type: ignore[call-overload]
        script = wrapped(draw, script)
    return script


GUARDED = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(script=harmful())
@GUARDED
def test_no_trick_gets_through(stage: Stage, script: str) -> None:
    """Whatever deletes tickets or changes the company's rules when bash runs it is refused, however it is quoted or wrapped."""
    if not stage.is_refused(script):
        assert not stage.does_harm(script)


@given(scripts=st.lists(harmful(), min_size=20, max_size=20))
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_tricks_are_real(stage: Stage, scripts: list[str]) -> None:
    """Most of these scripts do harm when bash runs them; a few have forms that `sh` doesn't know. So the test above is one."""
    assert sum(stage.does_harm(script) for script in scripts) >= 12


PIECES = (
    *("a", "b", "/", "-", "=", ".", "..", "~", "~/", "#", "%", "^", ",", "@", "+", "!", "汉", " ", "  ", "\t"),
    *("\\ ", "\\$", "\\\\", "'a b'", "'$A'", "'it'\\''s'", "''", '""', '"a b"', '"$A"', '"${A}b"', '"\\a"', '"\\$"', '$"q"'),
    *("$'\\t'", "$'\\x41'", "$'\\101'", "$A", "${A}", "$B", "${B}", "${Z}", "$1", "$#", "$@", '"$@"', "${C}"),
    *(
        "${Z:-q}",
        "${B:-q r}",
        '"${B:-q r}"',
        "${Z-q}",
        "${B-q}",
        "${A:+k}",
        "${Z+k}",
        "${A%y}",
        "${A%% *}",
        "${A#x}",
        "${A##* }",
    ),
    *("${A/ /_}", "${A//[xy]/k}", "${A:1}", "${A:0:1}", "${#A}", "${A^^}", "${A^}", '"${L[@]}"', "${L[1]}", "${#L[@]}"),
    *("{a,b}", "{1..3}", "{a,b{c,d}}", "{a}", "{,x}", "{c..a}"),
    *("$(echo hi)", "$(echo a b)", '"$(echo a b)"', "`echo q`", "$(printf 'a\\nb')", "$(printf '%s-%s' a b)", "$(cd / && pwd)"),
)
VARIABLES = {"HOME": "/home/u", "A": "x y", "B": "", "C": "-n", "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
PROBE = 'PROBE() { [ $# = 0 ] || printf "%s\\0" "$@"; }\nL=(one "two three"); PROBE '


@given(text=st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
@GUARDED
def test_words_are_what_bash_makes_of_them(text: str) -> None:
    """Every word that we claim to know is, character for character, the word that bash hands to the program."""
    ours = expanded(f'L=(one "two three"); PROBE {text}')
    done = subprocess.run(
        ["bash", "-f", "-c", PROBE + text, "_", "p1", "p 2"], env=VARIABLES, cwd="/", capture_output=True, check=False
    )
    # Whether `~name` is somebody's home depends on the machine; the guard takes it for one.
    if done.returncode == 0 and ours is not None and not re.search("~[a-z]", text):
        assert ours == done.stdout.decode().split("\0")[:-1]


def expanded(script: str) -> list[str] | None:
    """The words of the program PROBE in the script, as the guard reads them; None when it says that it doesn't know."""
    seen: list[str] = []

    def look(walker: Walker, call: Call) -> Ends:
        if call.name != "PROBE":
            return judge_call(walker, call)
        seen.extend(call.words)
        return [call.state], [call.state]

    state = State("/", VARIABLES)
    state.arguments = ("p1", "p 2")
    Walker(ground(), lambda path: path, lambda path: None, look).script(script, state)
    return [show(word) for word in seen] if not any(HOLE in word for word in seen) else None


TOKENS = (
    *(
        "rm",
        "-rf",
        "/x",
        "build",
        "cd",
        "..",
        "echo",
        "bash",
        "-c",
        "eval",
        "xargs",
        "find",
        "-exec",
        "git",
        "push",
        "X=1",
        "$X",
        "${",
    ),
    *(
        "}",
        "{",
        "(",
        ")",
        "((",
        "))",
        "[[",
        "]]",
        "[",
        "]",
        "if",
        "then",
        "else",
        "fi",
        "for",
        "i",
        "in",
        "do",
        "done",
        "while",
    ),
    *(
        "case",
        "esac",
        ";;",
        ";",
        "\n",
        "&",
        "&&",
        "||",
        "|",
        ">",
        ">>",
        "<",
        "<<E",
        "E",
        "<<<",
        "'",
        '"',
        "`",
        "$(",
        "$((",
        "\\",
        "#",
    ),
    *(
        "!",
        "*",
        "?",
        "~",
        "=",
        "+=",
        ":-",
        "%",
        "/",
        "@",
        "-",
        "--",
        "f()",
        "function",
        "f",
        "汉",
        "\t",
        "$@",
        "'a'",
        '"b"',
        "\x00",
    ),
)


@given(
    text=st.lists(st.sampled_from(TOKENS), max_size=25).map(" ".join)
    | st.lists(st.sampled_from(TOKENS), max_size=25).map("".join)
)
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_there_is_always_an_answer(text: str) -> None:
    """Whatever a model writes is allowed or refused, never a fault of ours."""
    run(text)
    run(text, strict=True)
