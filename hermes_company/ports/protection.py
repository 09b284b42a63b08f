"""The company's own files (rules, agents' profiles, prompts) around an attempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hermes_company.wording import Text


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One file that was not as before when an attempt ended."""

    # Relative to the company's folder.
    path: str
    # Whether it is as before again.
    put_back: bool
    # Where the version lies that isn't in its place now, relative to the run folder; None when there is none.
    kept: str | None
    says: Text


class Protection(Protocol):
    """Finds what was changed while an attempt ran, and puts back what its agent changed."""

    def snapshot(self, run_dir: Path, *, open_to: Iterable[Path] = ()) -> None:
        """Remember how the files are before an attempt starts. Repeated, it keeps what it knows: the attempt may have begun.

        Args:
            run_dir: the attempt's folder.
            open_to: folders that the attempt may write to (its workdir, its outbox). One that lies inside of the protected
                ones was opened to it by a person.
        """

    def vouch(self, places: Iterable[Path]) -> None:
        """What lies at and below these places now was put there by `hc` itself: no attempt that runs is to blame for it.

        Args:
            places: absolute; those outside of the protected ones are passed over.
        """

    def restore(self, run_dir: Path) -> Sequence[Change]:
        """Compare with how it was, after the attempt's last process is gone. Repeated, it answers the same.

        Raises:
            OSError: a file can't be written; it goes on from there when it is repeated.
        """
