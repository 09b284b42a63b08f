"""Reading YAML that strangers wrote: no aliases, tags or deep nesting, and scalars stay the text that was typed.

`no` is not False here, `010` not 8 and `12:30:45` not 45045: what a field means is for its schema to say.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import yaml

MAX_BYTES = 16_384
MAX_DEPTH = 8
MAX_NODES = 1_000

_Loader: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class BadYaml(ValueError):
    """What is wrong, and in which line (1-based, counted from the text's first line)."""

    def __init__(self, problem: str, line: int | None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def load_yaml(text: str) -> Any:
    """Mappings, lists and strings of a YAML text; an empty scalar is None.

    Raises:
        BadYaml: not YAML, too large or deep, an alias, anchor or tag, or a key that occurs twice.
    """
    if len(text.encode()) > MAX_BYTES:
        raise BadYaml(f"more than {MAX_BYTES} bytes", None)
    try:
        _refuse_tricks(text)
        node = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        raise BadYaml(problem.problem or str(problem), mark.line + 1 if mark else None) from None
    except yaml.YAMLError as problem:
        raise BadYaml(str(problem).splitlines()[0], None) from None
    return None if node is None else _value(node)


def _refuse_tricks(text: str) -> None:
    depth = 0
    for nodes, event in enumerate(yaml.parse(text, Loader=_Loader)):
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise BadYaml("anchors and aliases are not allowed", line)
        tag = getattr(event, "tag", None)
        if tag:
            raise BadYaml(f"the tag {tag} is not allowed", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise BadYaml(f"nested deeper than {MAX_DEPTH} levels", line)
        if nodes > MAX_NODES:
            raise BadYaml(f"more than {MAX_NODES} nodes", line)


def _value(node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        plain_empty = not node.style and node.value in ("", "~", "null")
        return None if plain_empty else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item) for item in node.value]
    built: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1 if key_node.start_mark else None
        if not isinstance(key_node, yaml.ScalarNode):
            raise BadYaml("a key must be a word", line)
        key = unicodedata.normalize("NFC", key_node.value)
        if key in built:
            raise BadYaml(f"the key `{key}` occurs twice", line)
        built[key] = _value(value_node)
    return built
