"""Which of its words a program writes to, deletes or copies whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hermes_company.domain.guard.options import Options, read_options


class Target(NamedTuple):
    """A path that a command changes."""

    path: str
    # "write", "delete", "read" (with all that lies below).
    what: str = "write"
    # All that lies below is changed too.
    deep: bool = False
    # A link of that name is meant itself, not what it leads to.
    itself: bool = False


Targets = Iterator[Target]
_Reader = Callable[[Sequence[str]], Targets]


def targets(name: str, words: Sequence[str]) -> list[Target]:
    """The paths that the command changes, as they are written; empty for a program that we don't know."""
    reader = _READERS.get(name)
    return list(reader(words)) if reader else []


def _all(valued: str = "", *, deep: Sequence[str] = ("R", "recursive"), skip: int = 0) -> _Reader:
    """Every operand is written to, but for the first `skip`."""

    def read(words: Sequence[str]) -> Targets:
        options = read_options(words, valued)
        for operand in options.operands[skip:]:
            yield Target(operand, deep=options.has(*deep))

    return read


def _output(*names: str, valued: str = "") -> _Reader:
    """What stands behind an option is written to."""

    def read(words: Sequence[str]) -> Targets:
        for value in read_options(words, (*names, *valued)).of(*names):
            yield Target(value)

    return read


def _last(valued: str = "") -> _Reader:
    """The last operand is written to."""

    def read(words: Sequence[str]) -> Targets:
        for operand in read_options(words, valued).operands[-1:]:
            yield Target(operand)

    return read


def _first(valued: str = "") -> _Reader:
    """The first operand is written to."""

    def read(words: Sequence[str]) -> Targets:
        for operand in read_options(words, valued).operands[:1]:
            yield Target(operand)

    return read


def _chmod(words: Sequence[str]) -> Targets:
    options = read_options(words, ("reference",))
    # `-x` takes a permission away: it is the mode, not an option.
    has_mode = options.has("reference", *"rwxXst")
    for operand in options.operands[0 if has_mode else 1 :]:
        yield Target(operand, deep=options.has("R", "recursive"))


def _rm(words: Sequence[str]) -> Targets:
    options = read_options(words)
    for operand in options.operands:
        deep = options.has("r", "R", "recursive")
        yield Target(operand, "delete", deep=deep, itself=not operand.endswith("/"))


def _rmdir(words: Sequence[str]) -> Targets:
    for operand in read_options(words).operands:
        yield Target(operand, "delete", itself=True)


def _into(options: Options) -> tuple[Sequence[str], str | None]:
    """What is copied, and where to."""
    folder = options.of("t", "target-directory")
    if folder:
        return options.operands, folder[-1]
    if len(options.operands) < 2:
        return options.operands, None
    return options.operands[:-1], options.operands[-1]


def _places_for(sources: Sequence[str], target: str, *, whole: bool) -> Targets:
    """The target itself, and what it would be called if it is a folder."""
    spread = whole and any(source.rstrip("/").endswith(("/.", "/*")) or source in (".", "*") for source in sources)
    yield Target(target, deep=spread)
    for source in sources:
        name = source.rstrip("/").rsplit("/", 1)[-1]
        if name not in ("", ".", ".."):
            yield Target(f"{target.rstrip('/')}/{name}", itself=True)


def _cp(words: Sequence[str]) -> Targets:
    options = read_options(words, ("S", "t", "suffix", "target-directory"))
    sources, target = _into(options)
    whole = options.has("r", "R", "a", "recursive", "archive")
    for source in sources:
        yield Target(source, "read", deep=whole)
        if options.has("l", "link"):
            yield Target(source)
    if target is not None:
        yield from _places_for(sources, target, whole=whole)


def _mv(words: Sequence[str]) -> Targets:
    sources, target = _into(read_options(words, ("S", "t", "suffix", "target-directory")))
    for source in sources:
        yield Target(source, "delete", deep=True, itself=not source.endswith("/"))
    if target is not None:
        yield from _places_for(sources, target, whole=False)


def _ln(words: Sequence[str]) -> Targets:
    options = read_options(words, ("S", "t", "suffix", "target-directory"))
    sources, target = _into(options)
    if not options.has("s", "symbolic"):
        # Another name for the same file: what is written there is written here.
        for source in sources:
            yield Target(source)
    if target is None:
        target = "."
    yield Target(target, itself=True)
    yield from _places_for(sources, target, whole=False)


def _install(words: Sequence[str]) -> Targets:
    options = read_options(words, "mogtS")
    if options.has("d", "directory"):
        for operand in options.operands:
            yield Target(operand)
        return
    sources, target = _into(options)
    if target is not None:
        yield from _places_for(sources, target, whole=False)


def _rsync(words: Sequence[str]) -> Targets:
    options = read_options(words, ("e", "B", "T", "f", "rsh", "exclude", "include", "filter", "files-from", "log-file"))
    for source in options.operands[:-1]:
        yield Target(source, "delete" if options.has("remove-source-files") else "read", deep=True)
    for target in options.operands[-1:]:
        if not _is_remote(target):
            deletes = options.has("delete", "del", "delete-after", "delete-before", "delete-during", "delete-excluded")
            spread = any(source.endswith(("/", "/.", "/*")) or source == "." for source in options.operands[:-1])
            yield Target(target, deep=deletes or spread)


def _scp(words: Sequence[str]) -> Targets:
    options = read_options(words, "cFiJloPSX")
    for source in options.operands[:-1]:
        yield Target(source, "read", deep=True)
    for target in options.operands[-1:]:
        if not _is_remote(target):
            yield Target(target)


def _is_remote(word: str) -> bool:
    return ":" in word.split("/", 1)[0]


def _dd(words: Sequence[str]) -> Targets:
    for word in words:
        if word.startswith("of="):
            yield Target(word[3:])


def _sed(words: Sequence[str]) -> Targets:
    # The suffix of -i is attached to it, so it takes no word of its own.
    options = read_options(words, ("e", "f", "l", "expression", "file", "line-length"))
    in_place = options.has("in-place") or any(w.startswith("-") and not w.startswith("--") and "i" in w for w in words)
    if in_place:
        scripted = options.has("e", "f", "expression", "file")
        for operand in options.operands[0 if scripted else 1 :]:
            yield Target(operand)


def _perl(words: Sequence[str]) -> Targets:
    options = read_options(words, "eEIMmx")
    if options.has("i"):
        for operand in options.operands[0 if options.has("e", "E") else 1 :]:
            yield Target(operand)


def _tar(words: Sequence[str]) -> Targets:
    if words and not words[0].startswith("-"):
        words = [f"-{words[0]}", *words[1:]]
    options = read_options(
        words, ("f", "C", "T", "X", "I", "file", "directory", "exclude", "files-from", "use-compress-program")
    )
    folders = options.of("C", "directory") or ["."]
    if options.has("x", "extract", "get"):
        for folder in folders:
            yield Target(folder)
    elif options.has("c", "r", "u", "create", "append", "update", "delete"):
        for archive in options.of("f", "file"):
            yield Target(archive)
        for operand in options.operands:
            yield Target(operand, "delete" if options.has("remove-files") else "read", deep=True)


def _zip(words: Sequence[str]) -> Targets:
    options = read_options(words, "bntxi")
    yield from (Target(archive) for archive in options.operands[:1])
    for operand in options.operands[1:]:
        yield Target(operand, "delete" if options.has("m") else "read", deep=True)


def _unzip(words: Sequence[str]) -> Targets:
    options = read_options(words, "dPx")
    if not options.has("l", "t", "p", "Z", "v", "z"):
        yield Target((options.of("d") or ["."])[-1])


def _compress(words: Sequence[str]) -> Targets:
    options = read_options(words, "bSTo")
    if not options.has("c", "l", "t", "stdout", "to-stdout", "list", "test"):
        for operand in options.operands:
            yield Target(operand)
    yield from (Target(value) for value in options.of("o"))


def _curl(words: Sequence[str]) -> Targets:
    options = read_options(words, ("o", "output", "output-dir", "D", "dump-header", "c", "cookie-jar", *_CURL_VALUED))
    folder = (options.of("output-dir") or ["."])[-1]
    for value in options.of("o", "output"):
        yield Target(value if value.startswith("/") else f"{folder}/{value}")
    yield from (Target(value) for value in options.of("D", "dump-header", "c", "cookie-jar") if value != "-")
    if options.has("O", "remote-name", "remote-name-all"):
        yield Target(folder)


_CURL_VALUED = (
    *"XHdFTuAbeEKmrtUwxyYzCQ",
    "request",
    "header",
    "data",
    "data-binary",
    "data-raw",
    "form",
    "url",
    "user",
    "max-time",
)


def _wget(words: Sequence[str]) -> Targets:
    options = read_options(words, (*"OPoaUtTwQeiB", "output-document", "directory-prefix", "output-file", "append-output"))
    documents = options.of("O", "output-document")
    yield from (Target(value) for value in (*documents, *options.of("o", "a", "output-file", "append-output")) if value != "-")
    if not documents and not options.has("spider"):
        yield Target((options.of("P", "directory-prefix") or ["."])[-1])


def _patch(words: Sequence[str]) -> Targets:
    options = read_options(words, ("p", "i", "d", "o", "F", "r", "B", "D", "strip", "input", "directory", "output"))
    folder = (options.of("d", "directory") or ["."])[-1]
    yield Target(folder)
    for value in (*options.operands[:1], *options.of("o", "output")):
        yield Target(value if value.startswith("/") else f"{folder}/{value}")


def _container(words: Sequence[str]) -> Targets:
    """A folder of this machine that a container may write to."""
    options = read_options(words, ("v", "volume", "mount"))
    for value in options.of("v", "volume"):
        source, _, rest = value.partition(":")
        if "/" in source and not rest.endswith(":ro"):
            yield Target(source, deep=True)
    for value in options.of("mount"):
        fields = dict(field.partition("=")[::2] for field in value.split(","))
        source = fields.get("src") or fields.get("source") or ""
        if "/" in source and "readonly" not in fields and "ro" not in fields:
            yield Target(source, deep=True)


_READERS: dict[str, _Reader] = {
    "rm": _rm,
    "rmdir": _rmdir,
    "unlink": _rmdir,
    "shred": _all("ns"),
    "cp": _cp,
    "mv": _mv,
    "ln": _ln,
    "link": _all(),
    "install": _install,
    "rsync": _rsync,
    "scp": _scp,
    "mkdir": _all("mZ"),
    "touch": _all("drt"),
    "truncate": _all("sr"),
    "fallocate": _all("lo"),
    "tee": _all(),
    "sponge": _all(),
    "mkfifo": _all("m"),
    "mknod": _first("m"),
    "chmod": _chmod,
    "chown": _all(skip=1),
    "chgrp": _all(skip=1),
    "chattr": _all(skip=1),
    "setfacl": _all("mxMX"),
    "rename": _all(skip=1),
    "dd": _dd,
    "sed": _sed,
    "perl": _perl,
    "tar": _tar,
    "zip": _zip,
    "unzip": _unzip,
    "gzip": _compress,
    "gunzip": _compress,
    "bzip2": _compress,
    "bunzip2": _compress,
    "xz": _compress,
    "unxz": _compress,
    "zstd": _compress,
    "curl": _curl,
    "wget": _wget,
    "patch": _patch,
    "sort": _output("o", "output", valued="ktTS"),
    "split": _last("abCln"),
    "csplit": _output("f", "prefix"),
    "ssh-keygen": _output("f", valued="tbCNPmI"),
    "openssl": _output("out", "keyout"),
    "gcc": _output("o"),
    "cc": _output("o"),
    "clang": _output("o"),
    "g++": _output("o"),
    "ld": _output("o"),
    "rustc": _output("o"),
    "pandoc": _output("o", "output"),
    "script": _first("cEBIOTm"),
    "ed": _all("p"),
    "ex": _all("cSsTu"),
    "vi": _all("cSsTu"),
    "vim": _all("cSsTu"),
    "nvim": _all("cSsTu"),
    "nano": _all(),
    "docker": _container,
    "podman": _container,
}
NAMES = frozenset(_READERS)
