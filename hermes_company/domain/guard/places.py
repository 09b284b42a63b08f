"""Which paths may be changed, deleted and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hermes_company.domain.guard.ground import Ground, Refused
from hermes_company.domain.guard.marks import DOWNLOAD, HOLE, QUESTION, STAR, STREAM, is_known, matches, show

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/ptmx")
_DEVICE_FOLDERS = ("/dev/fd", "/dev/pts", "/dev/shm")
_UNKNOWN = (HOLE, STREAM, DOWNLOAD)


class Place(NamedTuple):
    """A path: what is known of it, links followed, and the parts behind that, which may be patterns."""

    base: str
    rest: tuple[str, ...]


class Places:
    """Judges paths.

    Args:
        ground: what may be changed.
        resolve: follows the links in an absolute path, which need not exist.
    """

    def __init__(self, ground: Ground, resolve: Callable[[str], str]) -> None:
        self._ground = ground
        self._resolve = resolve

    def find(self, path: str, cwd: str | None, links: Mapping[str, str], *, itself: bool = False) -> Place | None:
        """Where a path leads from `cwd`; None when that can't be known.

        Args:
            path: with marks.
            links: those that were made only just now.
            itself: a link at the path's end is meant, not what it leads to.
        """
        if not path.startswith("/"):
            if cwd is None or path[:1] in _UNKNOWN:
                return None
            path = f"{cwd}/{path}"
        parts = [part for part in path.split("/") if part not in ("", ".")]
        known = next((place for place, part in enumerate(parts) if not is_known(part)), len(parts))
        rest = tuple(parts[known:])
        if ".." in rest:
            return None
        fixed = parts[:known]
        if itself and not rest and fixed and fixed[-1] != "..":
            return Place(self._follow("/" + "/".join(fixed[:-1]), links).rstrip("/") + "/" + fixed[-1], ())
        return Place(self._follow("/" + "/".join(fixed), links), rest)

    def _follow(self, path: str, links: Mapping[str, str]) -> str:
        resolved = self._resolve(path)
        for link, target in links.items():
            if _inside(resolved, link):
                return self._resolve(target + resolved[len(link) :])
        return resolved

    def change(self, place: Place, *, deep: bool = False) -> None:
        """Refuse to write there. `deep`: all that lies below is changed too."""
        self._check_protected(place, deep)
        self._check_clear(place)
        if not self._is_writable(place) and not _is_device(place):
            raise Refused("write-outside", path=_show(place), roots=self._roots())

    def delete(self, place: Place, *, deep: bool) -> None:
        """Refuse to delete there; the folders that an attempt works in are not deleted themselves either."""
        self._check_protected(place, deep)
        self._check_clear(place)
        if not self._is_writable(place):
            raise Refused("delete-outside", path=_show(place), roots=self._roots())
        if deep and any(_reaches(place, root, deep=True) for root in self._ground.writable):
            raise Refused("delete-root", path=_show(place))

    def read(self, place: Place, *, deep: bool = False) -> None:
        """Refuse to look into files that hold keys."""
        for secret in self._ground.secrets:
            if _reaches_secret(place, secret, deep=deep):
                raise Refused("secrets", path=_show(place))

    def _check_protected(self, place: Place, deep: bool) -> None:
        ground = self._ground
        owner = self._owner(place)
        if owner and owner not in ground.writable:
            raise Refused("protected", path=_show(place))
        for protected in ground.protected:
            if protected not in ground.writable and _reaches(place, protected, deep=deep, strict=ground.strict):
                raise Refused("protected", path=_show(place))

    def _check_clear(self, place: Place) -> None:
        # What isn't known of a path could be `..`.
        if any(mark in part for part in place.rest for mark in _UNKNOWN):
            self._ground.unsure(_show(place))

    def _is_writable(self, place: Place) -> bool:
        return self._owner(place) in self._ground.writable

    def _owner(self, place: Place) -> str:
        """The longest of all writable and protected folders that hold the place; empty when none does."""
        path = place.base + ("/x" if place.rest else "")
        holding = [f for f in (*self._ground.writable, *self._ground.protected) if _inside(path, f)]
        return max(holding, key=len, default="")

    def _roots(self) -> str:
        return ", ".join(self._ground.writable)


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_device(place: Place) -> bool:
    return not place.rest and (place.base in _DEVICES or any(_inside(place.base, folder) for folder in _DEVICE_FOLDERS))


def _show(place: Place) -> str:
    return show("/".join((place.base.rstrip("/"), *place.rest))) or "/"


def _reaches(place: Place, folder: str, *, deep: bool, strict: bool = False) -> bool:
    """Whether a folder lies where the place's patterns lead, or (`deep`) anywhere below."""
    if not _inside(folder, place.base):
        return False
    below = [part for part in folder[len(place.base.rstrip("/")) :].split("/") if part]
    if not below and place.rest:
        return False
    if not all(_stands_for(pattern, name, strict=strict) for pattern, name in zip(place.rest, below, strict=False)):
        return False
    return deep or len(place.rest) >= len(below) > 0


def _stands_for(pattern: str, name: str, *, strict: bool) -> bool:
    if set(pattern) <= set(_UNKNOWN):
        # It could stand for anything, and nearly always stands for something harmless.
        return strict
    if name.startswith(".") and pattern[0] in (STAR, QUESTION):
        return False
    return matches(pattern, name)


def _reaches_secret(place: Place, secret: str, *, deep: bool) -> bool:
    """As `_reaches`, for a path in which `*` stands for anything; what lies below it is meant too."""
    parts = [*(part for part in place.base.split("/") if part), *place.rest]
    wanted = [part for part in secret.split("/") if part]
    for part, pattern in zip(parts, wanted, strict=False):
        if set(part) <= set(_UNKNOWN):
            return False
        if not (matches(part, pattern) or matches(pattern.replace("*", STAR), part)):
            return False
    return deep or len(parts) >= len(wanted)
