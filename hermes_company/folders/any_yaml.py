"""Any YAML, by way of the library: event by event, so that nothing is built of what is not allowed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import yaml

from hermes_company.folders.yaml_text import BadYaml

MAX_DEPTH = 8
MAX_NODES = 1_000

_Loader: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def load_any(text: str) -> Any:
    """See `load_yaml`."""
    try:
        events = _plain(yaml.parse(text, Loader=_Loader))
        started = [event for event in islice(events, 2) if isinstance(event, yaml.DocumentStartEvent)]
        value = _value(next(events), events) if started else None
        _refuse_more(events)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise BadYaml(problem.problem or str(problem), mark.line + 1 if mark else None) from None
    except yaml.YAMLError as problem:
        raise BadYaml(str(problem).splitlines()[0], None) from None
    return value


def _plain(events: Iterable[yaml.Event]) -> Iterator[yaml.Event]:
    """The events as long as they are no trick: nothing is built of what comes after one."""
    depth = 0
    for number, event in enumerate(events):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadYaml("anchors and aliases are not allowed", _line(event))
        tag = getattr(event, "tag", None)
        if tag:
            raise BadYaml(f"the tag {tag} is not allowed", _line(event))
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise BadYaml(f"nested deeper than {MAX_DEPTH} levels", _line(event))
        if number > MAX_NODES:
            raise BadYaml(f"more than {MAX_NODES} nodes", _line(event))
        yield event


def _line(event: yaml.Event) -> int | None:
    return event.start_mark.line + 1 if event.start_mark else None


def _value(event: yaml.Event, events: Iterator[yaml.Event]) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        plain_empty = not event.style and event.value in ("", "~", "null")
        return None if plain_empty else str(event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        return _items(events)
    return _mapping(events)


def _items(events: Iterator[yaml.Event]) -> list[Any]:
    built: list[Any] = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        built.append(_value(event, events))
    return built


def _mapping(events: Iterator[yaml.Event]) -> dict[str, Any]:
    built: dict[str, Any] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        if not isinstance(event, yaml.ScalarEvent):
            raise BadYaml("a key must be a word", _line(event))
        key = unicodedata.normalize("NFC", event.value)
        if key in built:
            raise BadYaml(f"the key `{key}` occurs twice", _line(event))
        built[key] = _value(next(events), events)
    return built


def _refuse_more(events: Iterator[yaml.Event]) -> None:
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            raise BadYaml("more than one document", _line(event))
