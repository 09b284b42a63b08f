"""How userspace writes files and reads YAML; `folders` does both, and rooms on one floor never import each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

# Replace a file so that a reader sees the old text or the new one. Raises OSError; nothing is changed then.
WriteText = Callable[[Path, str], None]
WriteBytes = Callable[[Path, bytes], None]
# Replace a file's text (the third) if it is still what it was (the second). False: it was not, or this file system can't tell.
ReplaceText = Callable[[Path, str, str], bool]
# Mappings, lists and strings of a stranger's YAML, without tags and aliases. Raises ValueError.
ParseYaml = Callable[[str], Any]
