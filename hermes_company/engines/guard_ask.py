"""A call that needs a person's yes: files the question, waits for the answer, and parks the ticket when none comes in time.

The files (see `docs/reference/files.md`) lie in the ticket's run folder: `approvals/<n>.json` is a question,
`<n>.answer.json` its answer, `<n>.taken` says that the call went on with it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hermes_company.domain.guard import Asked
from hermes_company.domain.redaction import redact
from hermes_company.wording import Lang, Text, say

_LOOK_SECONDS = 0.2
_LONGEST_WHAT = 500
# What these call by name doesn't tell what would happen: the whole call is approved, or nothing.
_VAGUE = ("download-and-run", "unseen")


class Asking:
    """One question.

    Args:
        run_dir: the attempt's folder.
        settings: its `policy.json`.
        asked: what needs a yes.
        shown: the whole call for people, without secrets.
        command: the whole call as it is.
        until: when it gives up, in seconds since the epoch.
    """

    def __init__(
        self, run_dir: str, settings: Mapping[str, Any], asked: Asked, *, shown: str, command: str, until: float
    ) -> None:
        self._run_dir = Path(run_dir)
        self._settings = settings
        self._asked = asked
        self._shown = whole(shown)
        self._until = until
        self._what = whole(redact(asked.what).text[:_LONGEST_WHAT])
        self._folder = self._run_dir.parent / "approvals"
        subject = [asked.rule, asked.what, command if asked.rule in _VAGUE else ""]
        self._key, self._anywhere = _hash([*subject, asked.folder or ""]), _hash(subject)

    def settle(self) -> Text | None:
        """None when a person has said yes, else the sentence for the agent."""
        if self._is_allowed():
            return None
        attempt = self._settings["attempt"]
        with self._locked():
            number, question = self._find()
            if self._answer(number) is None and question.get("attempt") != attempt:
                question = self._file(number)
        self._wait(number, question["until"])
        with self._locked():
            question, answer = self._question(number), self._answer(number)
            # Once parked, the ticket goes on with the answer in its next attempt, and only there.
            if answer is None or question.get("parked") == attempt:
                return self._park(number, question)
            _write(self._folder / f"{number}.taken", "")
        return None if answer["given"] else refusal(self._what, str(answer["words"]))

    def _is_allowed(self) -> bool:
        """Whether a person has said yes to this for good."""
        allowed = _read(self._run_dir.parents[2] / "allowed.json") or ()
        return any(entry.get("key") == self._anywhere for entry in allowed)

    def _find(self) -> tuple[int, Mapping[str, Any]]:
        """The question about this, or an empty one with the next free number."""
        number = 1
        while question := self._question(number):
            if question.get("key") == self._key:
                return number, question
            number += 1
        return number, {}

    def _question(self, number: int) -> Mapping[str, Any]:
        question: Mapping[str, Any] = _read(self._folder / f"{number}.json") or {}
        return question

    def _answer(self, number: int) -> Mapping[str, Any] | None:
        answer: Mapping[str, Any] | None = _read(self._folder / f"{number}.answer.json")
        return answer

    def _file(self, number: int) -> Mapping[str, Any]:
        now = time.time()
        question = {
            "attempt": self._settings["attempt"],
            "rule": self._asked.rule,
            "what": self._what,
            "folder": self._asked.folder,
            "call": self._shown,
            "key": self._key,
            "anywhere": self._anywhere,
            "at": round(now, 3),
            "until": round(self._until, 3),
        }
        self._save(number, question)
        line = {
            "event": "GuardAsked",
            "at": round(now, 3),
            "question": f"{self._settings['ticket']}/{number}",
            "call": self._what,
        }
        _append(self._run_dir / "signals.jsonl", json.dumps(line).encode() + b"\n")
        return question

    def _save(self, number: int, question: Mapping[str, Any]) -> None:
        _write(self._folder / f"{number}.json", json.dumps(question, indent=1))

    def _wait(self, number: int, until: float) -> None:
        while self._answer(number) is None and time.time() < until:
            time.sleep(_LOOK_SECONDS)

    def _park(self, number: int, question: Mapping[str, Any]) -> Text:
        """Give up: the ticket goes to blocked with the question."""
        self._save(number, {**question, "parked": self._settings["attempt"]})
        identity = f"{self._settings['ticket']}/{number}"
        reason = question_words(self._what, self._asked.folder or "…", identity)
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            descriptor = os.open(Path(self._settings["outbox"]) / "BLOCKED", flags, 0o644)
        except FileExistsError:
            pass  # the agent's own word, or that of another question
        else:
            with os.fdopen(descriptor, "wb") as file:
                file.write(reason.in_lang(_lang()).encode("utf-8", "replace") + b"\n")
        return say(
            "`{what}` needs a person's yes, and nobody has answered yet (question {id}). The ticket is parked with the "
            "question. End your turn now: you go on in this conversation once it is answered.",
            what=self._what,
            id=identity,
        )

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Engines make several calls at once; the same question is filed once."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)


def whole(text: str) -> str:
    """`text` without halves of characters, which models write at times and no file takes."""
    return text.encode("utf-8", "replace").decode()


def refusal(what: str, words: str) -> Text:
    """What an agent is told of a person's no."""
    if not words.strip():
        return say("A person said no to `{what}`. Go on without it, or write BLOCKED with what you need.", what=what)
    return say(
        "A person said no to `{what}`: {words} Go on without it, or write BLOCKED with what you need.", what=what, words=words
    )


def question_words(what: str, folder: str, identity: str) -> Text:
    """A question as people read it."""
    return say(
        "It waits for a person's answer: may it run `{what}` in {folder}? `hc approve {id}`, or `hc deny {id} -m …`.",
        what=what,
        folder=folder,
        id=identity,
    )


def _lang() -> Lang:
    return "zh" if os.environ.get("HC_LANG") == "zh" else "en"


def _hash(subject: list[str]) -> str:
    return hashlib.sha256(json.dumps(subject).encode()).hexdigest()


def _read(path: Path) -> Any:
    """The JSON in a file; None where there is none."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.chmod(0o600)
    temporary.replace(path)


def _append(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)
