"""Saying something to an engine that is at work, in its own window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from hermes_company.ports.screens import Heard, Screen


@dataclass(frozen=True, kw_only=True, slots=True)
class Talk:
    """An attempt that is to be told something."""

    run_dir: Path
    screen: Screen
    # Raises a Refusal when the attempt must not be spoken to any more; asked again just before the words are typed.
    still_open: Callable[[], None]
    # How far the words have come by the engine's own reports; None as long as it reports nothing of them.
    heard: Callable[[], Heard | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipts:
    """How far the words have come, with the moments at which that was known."""

    # The engine has taken them: they have left its composer.
    delivered: datetime
    # They are in the conversation. None: the engine keeps them until its present step is over.
    submitted: datetime | None = None


class FollowUp(Protocol):
    """Typing into the window of an engine that is at work."""

    def tell(self, talk: Talk, words: str) -> Receipts:
        """Type the words once, and send them. Takes as long as it takes until that is proved.

        Args:
            words: as they are to arrive: no control characters but TAB and line feed.

        Raises:
            Refusal: nothing was typed (`window-…`, what `still_open` raises), or it was and nobody can tell more than that
                the words stand in the composer (`words-not-sent`).
        """
