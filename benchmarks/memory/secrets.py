"""Who finds which secrets: our rules, Kingfisher's, and both, on examples that neither of us wrote.

    python -m benchmarks.memory.secrets CHECKOUT

CHECKOUT is a clone of Yelp/detect-secrets (v1.5.0): the examples are those of its plugins' tests, each with whether it is a
secret; entropy and IP addresses, which none of us looks for, are left out. Harmless texts are our notes and Debian's
manual pages.
"""

from __future__ import annotations

import ast
import gzip
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.memory.dataset import read_notes
from hermes_company.domain.redaction import redact
from hermes_company.userspace.memory.secrets import Kingfisher

_LEFT_OUT = ("high_entropy_strings_test.py", "ip_public_test.py", "base_test.py")
_PAGES = ("/usr/share/man/man[1-8]/*.gz", "/usr/share/man/zh_CN/man[1-8]/*.gz")
_MOST_PAGES = 200
_MOST_CHARS = 65_536

Finds = Callable[[str], bool]


def examples(checkout: Path) -> Iterator[tuple[str, bool]]:
    """Every literal (text, whether it is a secret) in the plugins' tests."""
    for file in sorted((checkout / "tests" / "plugins").glob("*_test.py")):
        if file.name in _LEFT_OUT:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            pair = _pair(node)
            if pair:
                yield pair


def _pair(node: ast.AST) -> tuple[str, bool] | None:
    if not isinstance(node, ast.Tuple) or len(node.elts) not in (2, 3):
        return None
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return (value[0], value[1]) if isinstance(value[0], str) and isinstance(value[1], bool) else None


def harmless() -> list[str]:
    """Our notes, and manual pages of both languages where they are installed."""
    texts = ["\n".join((note.title, *note.pitfalls, note.pattern)) for note in read_notes()]
    for pattern in _PAGES:
        pages = sorted(Path("/").glob(pattern.lstrip("/")))
        for page in pages[:: max(1, len(pages) // _MOST_PAGES)]:
            with gzip.open(page, "rt", encoding="utf-8", errors="replace") as file:
                texts.append(file.read(_MOST_CHARS))
    return texts


def main(checkout: Path) -> None:
    """Print the table."""
    cases, texts = list(examples(checkout)), harmless()
    secrets = [text for text, is_secret in cases if is_secret]
    others = [text for text, is_secret in cases if not is_secret]
    with tempfile.TemporaryDirectory() as cache:
        both = Kingfisher(Path(cache))
        begun = time.process_time()
        both("")
        print(f"{len(cases)} examples, {len(texts)} harmless texts. First load: {time.process_time() - begun:.1f} s.\n")
        ways: dict[str, Finds] = {
            "our rules": lambda text: redact(text).count > 0,
            "with Kingfisher": lambda text: both(text).count > 0,
        }
        print("| rules | secrets found | other examples that raise an alarm | harmless texts that do | ms per 64 KB |")
        print("|---|---|---|---|---|")
        for name, finds in ways.items():
            begun = time.process_time()
            alarms = sum(map(finds, texts))
            spent = (time.process_time() - begun) * 1_000 / (sum(map(len, texts)) / _MOST_CHARS)
            row = (name, f"{sum(map(finds, secrets))}/{len(secrets)}", f"{sum(map(finds, others))}/{len(others)}")
            print(f"| {' | '.join(row)} | {alarms}/{len(texts)} | {spent:.1f} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
