"""Which language a person reads: told, else the company's, else the environment's. Found without parsing any YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hermes_company.folders.layout import MARKER
from hermes_company.wording import Lang

_COMPANY_LANG = re.compile(rb"^lang:[ \t]*[\"']?(en|zh)\b", re.MULTILINE)
_HEAD = 65_536


def option(argv: Sequence[str], name: str) -> str | None:
    """The value of `--name VALUE` or `--name=VALUE` in the command line; None when it is not there."""
    for place, word in enumerate(argv):
        if word == "--":
            break
        if word == name and place + 1 < len(argv):
            return argv[place + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return None


def language(argv: Sequence[str], environ: Mapping[str, str], cwd: Path) -> Lang:
    """`--lang`, else the `lang:` of the company that is meant, else HC_LANG, else the locale's language, else English."""
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    named = option(argv, "--root") or environ.get("HC_ROOT")
    company = _company_lang(cwd / Path(named).expanduser() if named else None, cwd)
    for word in (option(argv, "--lang"), company, environ.get("HC_LANG"), locale):
        if word and word[:2].casefold() in ("en", "zh"):
            return "zh" if word[:2].casefold() == "zh" else "en"
    return "en"


def _company_lang(root: Path | None, cwd: Path) -> str | None:
    for folder in (root,) if root else (cwd, *cwd.parents):
        try:
            with (folder / MARKER).open("rb") as file:
                found = _COMPANY_LANG.search(file.read(_HEAD))
        except OSError:
            continue
        return found.group(1).decode() if found else None
    return None
