"""`.hc/chats`: the tickets whose conversation a person has open. Each is a lock, so that nothing is left of one that died."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hermes_company.domain.names import is_ticket_id
from hermes_company.errors import Refusal
from hermes_company.wording import say

_LOCK = ".lock"


class Chats:
    """Conversations that people have open.

    Args:
        folder: where their locks lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def hold(self, ticket: str) -> Iterator[Path]:
        """Keep the ticket's conversation for a person while the block runs; yields a folder for what that needs.

        Raises:
            Refusal: `chat-open`.
        """
        folder = self._folder / ticket
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _lock(descriptor, ticket)
            yield folder
        finally:
            os.close(descriptor)

    def now_open(self) -> frozenset[str]:
        """The tickets that are not to be started: their conversation is in a person's hands."""
        try:
            names = [entry.name for entry in os.scandir(self._folder)]
        except FileNotFoundError:
            return frozenset()
        return frozenset(name for name in names if is_ticket_id(name) and _is_held(self._folder / name / _LOCK))


def _lock(descriptor: int, ticket: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _open_already(ticket) from None


def _is_held(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open_already(ticket: str) -> Refusal:
    return Refusal(
        "chat-open",
        fact=say("Somebody has the conversation of {ticket} open.", ticket=ticket),
        cause=say("Two at once would spoil it."),
        remedy=say("Use that terminal, or leave the conversation there first."),
        status=75,
    )
