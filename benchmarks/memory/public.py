"""A public bilingual task from Debian's manual pages: `python -m benchmarks.memory.public`.

Needs the packages `manpages-zh`, `manpages`, `manpages-dev` and `coreutils` installed; nothing of them is kept. A query is a
page's line of purpose without the command's name; what is to be found is that page's body, among all pages of both languages.
"""

from __future__ import annotations

import gzip
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.memory.dataset import BenchQuery
from benchmarks.memory.measure import retriever_over, score, ungated

GLOSSARY = Path(__file__).parents[2] / "company" / "glossary.tsv"
PACKAGES = {"zh": ("manpages-zh",), "en": ("manpages", "manpages-dev", "coreutils")}
_QUERIES = 150
_SEED = 20_260_501
_MAX_CHARS = 20_000
_SECTION = re.compile(r"^\.S[Hh]\s+\"?(?P<name>.+?)\"?\s*$", re.MULTILINE)
_NAMES = re.compile(r"^(NAME|名称|名字|名 称|NAME \(名称\)|.*\(名称\).*|命令名)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Page:
    """A manual page: its names, its line of purpose without them, and its text without that line."""

    id: str
    lang: str
    purpose: str
    body: str


def main() -> None:
    """Find pages by their purpose, each language in its own."""
    pages = {lang: read_pages(lang) for lang in PACKAGES}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for page in [*pages["zh"], *pages["en"]]:
            path = root / "memory" / "bench" / "lessons" / f"{page.id}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\nid: {page.id}\ntask: {page.id}\nstatus: approved\n---\n{page.body}\n", encoding="utf-8")
        find = ungated(retriever_over(root, GLOSSARY))
        print("| queries | pages | recall@5 |")
        print("|---|---|---|")
        for lang, own in pages.items():
            chosen = random.Random(_SEED).sample(own, min(_QUERIES, len(own)))
            queries = [BenchQuery(page.id, lang, page.purpose, "", frozenset([page.id])) for page in chosen]
            print(f"| {lang}→{lang} ({len(queries)}) | {len(own)} | {score(find, queries).recall:.2f} |", flush=True)


def read_pages(lang: str) -> list[Page]:
    """The usable pages of a language: with a purpose and a text, every text once."""
    pages: dict[str, Page] = {}
    for package in PACKAGES[lang]:
        listed = subprocess.run(["dpkg", "-L", package], check=True, capture_output=True, text=True).stdout.splitlines()
        files = [Path(path) for path in listed if re.search(r"/man\d[^/]*/[^/]+\.gz$", path)]
        # Many names are links to one page.
        for path in sorted(path for path in files if path.is_file() and not path.is_symlink()):
            page = _page(path, lang)
            if page:
                pages.setdefault(page.body, page)
    return list(pages.values())


def _page(path: Path, lang: str) -> Page | None:
    raw = gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")
    if (lang == "zh") != ("/zh_CN/" in str(path)) or raw.startswith(".so "):
        return None
    sections = _SECTION.split(raw)
    named = next((i for i in range(1, len(sections) - 1, 2) if _NAMES.match(sections[i].strip())), None)
    if named is None:
        return None
    names, dash, purpose = _plain(sections[named + 1]).partition(" - ")
    body = " ".join(_plain(text) for i, text in enumerate(sections[3:], start=3) if i != named + 1)[:_MAX_CHARS]
    for name in re.split(r"[,\s]+", names):
        purpose = re.sub(rf"(?<![\w]){re.escape(name)}(?![\w])", " ", purpose) if name else purpose
    purpose = " ".join(purpose.split())
    if not dash or len(purpose) < 4 or len(body) < 200:
        return None
    return Page(f"{lang}-{re.sub(r'[^A-Za-z0-9_.-]', '_', path.name.removesuffix('.gz'))}", lang, purpose, body)


def _plain(roff: str) -> str:
    """The words of a page without its macros."""
    lines = [line for line in roff.splitlines() if not line.startswith(('.\\"', "'\\\"", ".TH", ".so", ".de", ".ds"))]
    text = " ".join(re.sub(r"^[.'][A-Za-z]{1,3}\b\s*", "", line) for line in lines)
    text = (
        re.sub(r"\\f[A-Z(][A-Z]{0,2}|\\[&/,|^]|\\s[-+]?\d", "", text)
        .replace("\\-", "-")
        .replace("\\(em", "-")
        .replace("\\(hy", "-")
    )
    return " ".join(re.sub(r"\\\S", " ", text).replace('"', " ").replace(" — ", " - ").split())


if __name__ == "__main__":
    main()
