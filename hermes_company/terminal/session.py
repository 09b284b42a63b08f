"""The `tmux` command on the company's own server: its socket, its configuration, its environment.

"Could not ask" is never read as "nothing runs": tmux either answers, or says that what was asked for is not there
(`NotThere`), or the question is refused (`tmux-unreachable`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hermes_company.errors import Refusal
from hermes_company.wording import say

_ANSWER_SECONDS = 10.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# What tmux says when there is no server, session, window or pane of that name. All else is no answer.
_ABSENCE = re.compile(
    r"no server running on |error connecting to .* \(No such file or directory\)"
    r"|can't find (session|window|pane)|no current target"
)
# What a server says that is being killed. In a moment there will be none, and then the answer is a clear one.
_DYING = re.compile(r"server exited|lost server")
_DYING_SECONDS = 5.0
_RETRY_SECONDS = 0.05
_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMUX_TMPDIR", "XDG_RUNTIME_DIR")


class NotThere(Exception):
    """tmux answered: no such server, session, window or pane."""


class Tmux:
    """One tmux server and the one session in it that is the company's.

    Args:
        socket: name of the server's socket (`-L`).
        session: name of the session.
        config: the server's configuration file; a person's own `~/.tmux.conf` is never read.
        environ: the orchestrator's environment; what the server needs of it is picked from here.

    Raises:
        Refusal: `tmux-name-unusable`: the socket's or session's name could mean something else to tmux.
    """

    def __init__(self, *, socket: str, session: str, config: Path, environ: Mapping[str, str]) -> None:
        for key, name in (("tmux.socket", socket), ("tmux.session", session)):
            if not _NAME.fullmatch(name):
                raise _unusable_name(key, name)
        self.socket = socket
        self.session = session
        self._config = config
        self._environ = _server_environment(environ)

    def require_program(self) -> None:
        """Refuse to go on without tmux.

        Raises:
            Refusal: `tmux-missing`.
        """
        if shutil.which("tmux", path=self._environ.get("PATH")) is None:
            raise _missing()

    def version(self) -> str:
        """What the program says of itself, e.g. `tmux 3.3a`.

        Raises:
            Refusal: `tmux-unreachable`, `tmux-missing`.
        """
        done = self._run((("-V",),), ("-V",))
        if done.returncode != 0:
            raise _unreachable((("-V",),), done.stderr.decode("utf-8", "replace").strip())
        return done.stdout.decode("utf-8", "replace").strip()

    @property
    def socket_path(self) -> Path:
        """Where the server's socket lies."""
        wanted = Path(self._environ.get("TMUX_TMPDIR") or "/tmp")
        base = wanted if wanted.is_dir() else Path("/tmp")
        return base.resolve() / f"tmux-{os.getuid()}" / self.socket

    def window(self, name: str) -> str:
        """The target that means exactly this window of the session."""
        return f"={self.session}:={name}"

    def ask(self, *commands: Sequence[str]) -> str:
        """Run tmux commands, one after the other, in one call. Returns what they print.

        Raises:
            NotThere: no such server, session, window or pane.
            Refusal: `tmux-unreachable`, `tmux-missing`: anything else.
        """
        words = [word for command in commands for word in (";", *map(_literal, command))][1:]
        deadline = time.monotonic() + _DYING_SECONDS
        while True:
            done = self._run(commands, words)
            if done.returncode == 0:
                return done.stdout.decode("utf-8", "surrogateescape")
            complaint = done.stderr.decode("utf-8", "replace").strip()
            if _ABSENCE.match(complaint):
                raise NotThere(complaint)
            if not _DYING.search(complaint) or time.monotonic() >= deadline:
                raise _unreachable(commands, complaint or f"exit status {done.returncode}")
            time.sleep(_RETRY_SECONDS)

    def load_buffer(self, name: str, data: bytes) -> None:
        """Put bytes into a paste buffer, as they are: not by way of a command line.

        Raises:
            Refusal: `tmux-unreachable`, `tmux-missing`.
        """
        words = ("load-buffer", "-b", name, "-")
        done = self._run((words,), words, data)
        if done.returncode != 0:
            raise _unreachable((words,), done.stderr.decode("utf-8", "replace").strip())

    def _run(
        self, commands: Sequence[Sequence[str]], words: Sequence[str], data: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        argv = ["tmux", "-L", self.socket, "-f", str(self._config), "-u", *words]
        try:
            # From `/`: the first call starts the server, which would keep our working directory in use.
            return subprocess.run(
                argv,
                cwd="/",
                env=self._environ,
                stdin=None if data else subprocess.DEVNULL,
                input=data or None,
                capture_output=True,
                timeout=_ANSWER_SECONDS,
            )
        except FileNotFoundError:
            raise _missing() from None
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise _unreachable(commands, str(problem)) from problem


def _literal(word: str) -> str:
    """A trailing `;` would end the tmux command there and make the next word a command of its own."""
    return f"{word[:-1]}\\;" if word.endswith(";") else word


def _server_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """An allow-list: an agent's token, keys and `TMUX` of the shell we were started from must not reach every window."""
    passed = {name: environ[name] for name in _PASSED_ON if name in environ}
    return {**passed, "TERM": environ.get("TERM", "xterm-256color"), "LC_CTYPE": _utf8_locale(environ)}


def _utf8_locale(environ: Mapping[str, str]) -> str:
    """What the person uses if that is UTF-8; Chinese text would come out as `_` otherwise."""
    own = own_locale(environ)
    return own if is_utf8(own) else "en_US.UTF-8" if sys.platform == "darwin" else "C.UTF-8"


def own_locale(environ: Mapping[str, str]) -> str:
    """The locale that decides about characters; empty where none is set."""
    return next((environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), "")


def is_utf8(locale: str) -> bool:
    """Whether a locale's name says that its text is UTF-8."""
    return locale.casefold().replace("-", "").endswith("utf8")


def _missing() -> Refusal:
    command = "brew install tmux" if sys.platform == "darwin" else "sudo apt install tmux"
    return Refusal(
        "tmux-missing",
        fact=say("The program `tmux` is not on PATH."),
        cause=say("Agents work in tmux windows, so none could be started."),
        remedy=say("Install it, e.g. `{command}`, and try again.", command=command),
    )


def _unreachable(commands: Sequence[Sequence[str]], complaint: str) -> Refusal:
    verbs = ", ".join(command[0] for command in commands)
    return Refusal(
        "tmux-unreachable",
        fact=say("tmux did not carry out `{verbs}`: {complaint}", verbs=verbs, complaint=complaint),
        cause=say("It cannot be known what runs in the agents' windows."),
        remedy=say("Look at the tmux server and its socket; `hc doctor` checks both."),
        status=75,
    )


def _unusable_name(key: str, name: str) -> Refusal:
    return Refusal(
        "tmux-name-unusable",
        fact=say("company.yaml: `{key}` is {name}.", key=key, name=repr(name)),
        cause=say("tmux reads other characters as an address or as a command."),
        remedy=say("Use up to 64 letters (A–Z), digits, `_` and `-`, beginning with a letter or digit."),
    )
