"""Company folders for tests."""

from __future__ import annotations

from pathlib import Path

from hermes_company.folders.company_files import init_company
from hermes_company.folders.layout import Layout
from hermes_company.wording import Lang


def new_company(folder: Path, *, lang: Lang = "en", samples: bool = False) -> Layout:
    """A fresh company in `folder`, which must not exist; without git, so that no test reads the machine's git settings."""
    return init_company(folder, environ={}, lang=lang, samples=samples).layout


def tree(root: Path) -> dict[str, bytes | None]:
    """Every path below `root` with its bytes (None for folders): equal before and after means nothing was written."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in sorted(root.rglob("*"))
    }
