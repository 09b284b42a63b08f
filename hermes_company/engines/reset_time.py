"""When a limit ends, out of an engine's own sentence about it. Nothing else is ever looked through for that."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

# Sentences name the minute, and drop its seconds: a minute later it is over for sure.
_MARGIN = timedelta(minutes=1)
# A limit that ends later than that is not one that is waited for.
_LONGEST = timedelta(days=32)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_EPOCH = re.compile(r"\|(\d{10})\b")
# `resets 3pm (Europe/Paris)`, `resets Dec 3, 3:52pm (UTC)`, `try again at 3:51 PM.`, `try again at Dec 3rd, 2026 3:51 PM.`
_MOMENT = re.compile(
    r"(?:resets(?: at)?|try again at)\s+"
    r"(?:(?P<month>[a-z]{3})[a-z]*\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?P<year>\d{4}),?)?(?: at)? )?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s?(?P<half>[ap]m)(?: \((?P<zone>[^)]*)\))?",
    re.IGNORECASE,
)
# `try again in 2 hours 5 minutes`
_SPAN = re.compile(r"try again in ((?:\d+ (?:day|hour|minute|second)s?,? ?(?:and )?)+)", re.IGNORECASE)
_PART = re.compile(r"(\d+) (day|hour|minute|second)", re.IGNORECASE)


def reset_time(said: str, at: datetime, local: tzinfo | None = None) -> datetime | None:
    """The moment at which the engine says that its limit ends; None where it says none that could be meant.

    Args:
        said: the sentence.
        at: when it was said.
        local: the zone of a time that names none; None is the machine's.
    """
    said = said.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")
    moment = _epoch(said) or _span(said, at) or _moment(said, at, local)
    return moment if moment and at < moment < at + _LONGEST else None


def _epoch(said: str) -> datetime | None:
    found = _EPOCH.search(said)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _span(said: str, at: datetime) -> datetime | None:
    found = _SPAN.search(said)
    if found is None:
        return None
    parts: dict[str, Any] = {f"{unit.lower()}s": int(count) for count, unit in _PART.findall(found[1])}
    try:
        return at + timedelta(**parts) + _MARGIN
    except OverflowError:
        return None


def _moment(said: str, at: datetime, local: tzinfo | None) -> datetime | None:
    found = _MOMENT.search(said)
    if found is None:
        return None
    try:
        here = at.astimezone(_zone(found["zone"]) or local)
        hour = int(found["hour"]) % 12 + 12 * (found["half"].lower() == "pm")
        moment = here.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
        if found["month"]:
            return _on_that_day(moment, found, here) + _MARGIN
    except (ValueError, KeyError, OSError):
        return None  # a day or a zone that there is not; ZoneInfo has all three for that
    # Of a minute that has just begun is spoken too.
    return moment + (_MARGIN if moment + _MARGIN > here else timedelta(days=1) + _MARGIN)


def _on_that_day(moment: datetime, found: re.Match[str], now: datetime) -> datetime:
    month = _MONTHS.index(found["month"].lower()) + 1
    moment = moment.replace(month=month, day=int(found["day"]), year=int(found["year"] or now.year))
    return moment if found["year"] or moment + _MARGIN > now else moment.replace(year=now.year + 1)


def _zone(name: str | None) -> tzinfo | None:
    if name is None:
        return None
    from zoneinfo import ZoneInfo  # few sentences name one

    return ZoneInfo(name)
