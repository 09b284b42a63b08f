"""What a new company is copied from: the repository's own top level, which the wheel carries as `_template/`.

An English file `X.md` may have a Chinese one `X.zh.md` beside it; a company in Chinese gets that one, under the plain name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import hermes_company
from hermes_company.errors import Refusal
from hermes_company.wording import LANGS, Lang, say

_PARTS = ("company", "runners")


def template_source() -> Path:
    """The folder that holds `company/`, `runners/` and the sample `agents/`.

    Raises:
        Refusal: `templates-missing`.
    """
    package = Path(hermes_company.__file__).parent
    for source in (package / "_template", package.parent):
        if all((source / part).is_dir() for part in _PARTS):
            return source
    raise Refusal(
        "templates-missing",
        fact=say("The templates of a new company are neither in {package} nor beside it.", package=package),
        cause=say("The installation is incomplete."),
        remedy=say("Install hermes-company again."),
    )


def template_files(source: Path, lang: Lang, *, samples: bool) -> Mapping[Path, Path]:
    """What a new company gets: path inside it → file in `source`. `samples` adds the sample agents."""
    chosen: dict[Path, Path] = {}
    for part in (*_PARTS, "agents") if samples else _PARTS:
        for file in sorted((source / part).rglob("*")):
            place = file.relative_to(source)
            if file.is_file() and not _is_ours(place):
                plain, file_lang = _split_lang(place)
                if file_lang == lang or (file_lang is None and plain not in chosen):
                    chosen[plain] = file
    return chosen


def _is_ours(place: Path) -> bool:
    """Whether it is the repository's own business: hidden files, what runs left behind."""
    return place.name.startswith(".") or place.name == "runtime.json"


def _split_lang(place: Path) -> tuple[Path, Lang | None]:
    for lang in LANGS:
        if place.stem.endswith(f".{lang}"):
            return place.with_name(place.stem.removesuffix(f".{lang}") + place.suffix), lang
    return place, None
