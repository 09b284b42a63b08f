"""The index in SQLite FTS5, one file under `.hc/cache`, fed with our own tokens; rebuilt when missing or damaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hermes_company.userspace.files import Finding, Unreadable
from hermes_company.userspace.memory.entry import Entry, Found, searchable
from hermes_company.userspace.memory.note import Kind, Note, Status
from hermes_company.userspace.memory.notebook import NoteBook, NoteFile
from hermes_company.userspace.relevance.ranking import TITLE_WEIGHT, Corpus, Document, count, document
from hermes_company.userspace.relevance.tokens import TOKENS_VERSION
from hermes_company.wording import Text

if TYPE_CHECKING:
    import sqlite3

_T = TypeVar("_T")
# Goes up with the schema; an index of another version is made anew.
_VERSION = 100 + TOKENS_VERSION
_WAIT_SECONDS = 3.0
# The rarest words find a note; common ones would make the database read half of it for nothing.
_MAX_WORDS = 40
# How often a database that is of no use is replaced before its error is told.
_MOST_NEW_ONES = 2
_LONGEST_MAKING_SECONDS = 10.0
# Looking through the folders takes at most one part in so many of the time.
_SCANNING_SHARE = 10
_SCHEMA = """
CREATE TABLE note (
  row INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL, problem TEXT,
  id TEXT, kind TEXT, agent TEXT, title TEXT, status TEXT, ticket TEXT, project TEXT, created TEXT, expires TEXT,
  untrusted INTEGER, helpful INTEGER, harmful INTEGER, supersedes TEXT, length INTEGER NOT NULL DEFAULT 0);
CREATE INDEX superseding ON note (supersedes) WHERE supersedes IS NOT NULL;
CREATE INDEX problems ON note (problem) WHERE problem IS NOT NULL;
CREATE TABLE total (notes INTEGER NOT NULL, length INTEGER NOT NULL);
INSERT INTO total VALUES (0, 0);
CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize="unicode61 remove_diacritics 0 tokenchars '_.-+#'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)
"""
_FACTS = "id, kind, agent, path, title, status, ticket, project, created, expires, untrusted, helpful, harmful"
_SHOWABLE = "AND n.status = 'approved' AND (n.agent = ? OR n.kind <> 'experience')"


def has_fts5() -> bool:
    """Whether this Python's SQLite can do full-text search."""
    try:
        import sqlite3
    except ImportError:
        return False
    with closing(sqlite3.connect(":memory:")) as db:
        return bool(db.execute("SELECT sqlite_compileoption_used('ENABLE_FTS5')").fetchone()[0])


class FtsIndex:
    """See `NoteIndex`. Several processes may use it at once: each reads the last complete state.

    The folders are looked through again when ten times as long has passed as the last time took, so that many notes cost a
    tenth of the time at most; what this process writes itself is taken in at once. A note that is about to be shown is read
    from its file in any case.

    Args:
        book: the notes.
        path: the database file; its folder is made when needed.
        boottime: seconds since some moment, for the pace of looking.
    """

    def __init__(self, book: NoteBook, path: Path, boottime: Callable[[], float]) -> None:
        self._book = book
        self._path = path
        self._boottime = boottime
        self._passed: list[Finding] = []
        # Kept open: the last connection that is closed writes the whole log back and deletes it.
        self._db: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._next_scan = 0.0

    def look(self, words: tuple[str, ...], *, agent: str | None, limit: int) -> Found:
        """See `NoteIndex.look`."""

        def work(db: sqlite3.Connection) -> Found:
            self._refresh(db)
            # One state for all of its questions, whoever writes meanwhile.
            db.execute("BEGIN")
            try:
                return ask(db, words, agent=agent, limit=limit)
            finally:
                db.execute("ROLLBACK")

        return self._with(work)

    def findings(self) -> list[Finding]:
        """See `NoteIndex.findings`."""

        def work(db: sqlite3.Connection) -> list[Finding]:
            self._next_scan = 0.0
            self._refresh(db)
            rows = db.execute("SELECT path, problem FROM note WHERE problem IS NOT NULL ORDER BY path").fetchall()
            return [*self._passed, *(Finding(path, Text.from_json(json.loads(problem))) for path, problem in rows)]

        return self._with(work)

    def _with(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run `work` on the database; on a new one where the old one turns out to be damaged."""
        import sqlite3

        for _ in range(_MOST_NEW_ONES):
            try:
                return work(self._connection())
            except sqlite3.DatabaseError as problem:
                # Locked while it is opened: somebody has it open whose tables went from under him. He will find the new one.
                if _busy(problem) and self._db is not None:
                    raise
                self._take_away()
        return work(self._connection())

    def _take_away(self) -> None:
        """Delete a database that is of no use, unless somebody has put another one into its place meanwhile."""
        self._close()
        with self._making():
            if self._opened == _identity(self._path):
                # The file itself last: whoever opens it before finds it without the others, whoever comes after makes all anew.
                for suffix in ("-wal", "-shm", ""):
                    self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _making(self) -> AbstractContextManager[object]:
        """One process at a time makes tables or takes them away."""
        from filelock import FileLock

        return FileLock(self._path.with_suffix(".lock"), timeout=_LONGEST_MAKING_SECONDS)

    def _connection(self) -> sqlite3.Connection:
        """The open database; a new one where its file was taken away or replaced."""
        if self._db is not None and self._opened == _identity(self._path):
            return self._db
        self._close()
        self._opened = _identity(self._path)
        self._db = self._open()
        self._opened = _identity(self._path)
        self._next_scan = 0.0
        return self._db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Autocommit: transactions are begun by hand, so that reading never takes the write lock.
        db = sqlite3.connect(self._path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            db.execute("PRAGMA synchronous = NORMAL")
            if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                with self._making():
                    _create(db)
        except sqlite3.Error:
            db.close()
            raise
        return db

    def _refresh(self, db: sqlite3.Connection) -> None:
        """Take in what changed in the files. Where another process is busy doing so, its last complete state will do."""
        import sqlite3

        written = self._book.take_written()
        before = self._boottime()
        if before < self._next_scan:
            changed, gone = written, set[str]()
        else:
            changed, gone = self._scan(db)
            self._next_scan = before + _SCANNING_SHARE * (self._boottime() - before)
        if not changed and not gone:
            return
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as problem:
            if _busy(problem):
                return
            raise
        self.replace(db, changed, gone=gone)
        db.execute("COMMIT")

    def _scan(self, db: sqlite3.Connection) -> tuple[list[NoteFile], set[str]]:
        """The files that changed since they were taken in, and the paths that are gone."""
        files, self._passed = self._book.files()
        known = set(db.execute("SELECT path, mtime_ns, size FROM note"))
        changed = [file for file in files if (file.path, file.mtime_ns, file.size) not in known]
        if len(files) - len(changed) == len(known):
            return changed, set()
        return changed, {path for path, _, _ in known} - {file.path for file in files}

    def replace(self, db: sqlite3.Connection, changed: Iterable[NoteFile], *, gone: Iterable[str]) -> None:
        """Within a transaction, index these files anew and forget those paths."""
        for path in gone:
            _remove(db, path)
        for file in changed:
            _remove(db, file.path)
            self._add(db, file)

    def _add(self, db: sqlite3.Connection, file: NoteFile) -> None:
        try:
            note = self._book.read(file)
        except FileNotFoundError:
            return
        except Unreadable as problem:
            told = json.dumps(problem.reason.to_json(), ensure_ascii=False, default=str)
            stamp = (file.path, file.mtime_ns, file.size, told)
            db.execute("INSERT INTO note (path, mtime_ns, size, problem) VALUES (?, ?, ?, ?)", stamp)
            return
        title, body = searchable(note)
        length = document(title, body).length
        facts = _facts(note)
        marks = ", ".join("?" * (len(facts) + 4))
        row = db.execute(
            f"INSERT INTO note (mtime_ns, size, length, supersedes, {_FACTS}) VALUES ({marks})",
            (file.mtime_ns, file.size, length, "\n".join(note.supersedes) or None, *facts),
        ).lastrowid
        db.execute("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", (row, " ".join(title), " ".join(body)))
        db.execute("UPDATE total SET notes = notes + 1, length = length + ?", (length,))


def ask(db: sqlite3.Connection, words: tuple[str, ...], *, agent: str | None, limit: int) -> Found:
    """What the database, as it is, says to these words. See `NoteIndex.look`."""
    size, length = db.execute("SELECT notes, length FROM total").fetchone()
    frequency = dict(_in_groups(db, "SELECT term, doc FROM vocabulary WHERE term IN ({marks})", words))
    return Found(
        entries=_candidates(db, frequency, frozenset(words), agent, limit),
        corpus=Corpus(size, length / size if size else 1.0, frequency),
        superseded=_superseded(db),
    )


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there."""
    try:
        info = path.stat()
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino


def _create(db: sqlite3.Connection) -> None:
    """Lay the tables, dropping those of another version. Another process may have come first."""
    # Readers then see the last complete state while another process writes.
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN EXCLUSIVE")
    if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
        for name in ("vocabulary", "words", "note", "total"):
            db.execute(f"DROP TABLE IF EXISTS {name}")
        for statement in _SCHEMA.split(";\n"):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {_VERSION}")
    db.execute("COMMIT")


def _busy(problem: sqlite3.DatabaseError) -> bool:
    return "locked" in str(problem) or "busy" in str(problem)


def _remove(db: sqlite3.Connection, path: str) -> None:
    known = db.execute("SELECT row, length, problem IS NULL FROM note WHERE path = ?", (path,)).fetchone()
    if known:
        row, length, counted = known
        db.execute("UPDATE total SET notes = notes - ?, length = length - ?", (counted, length))
        db.execute("DELETE FROM words WHERE rowid = ?", (row,))
        db.execute("DELETE FROM note WHERE row = ?", (row,))


def _candidates(
    db: sqlite3.Connection, frequency: dict[str, int], words: frozenset[str], agent: str | None, limit: int
) -> list[Entry]:
    rarest = sorted(frequency, key=lambda word: frequency[word])[:_MAX_WORDS]
    if not rarest:
        return []
    match = " OR ".join(f'"{word}"' for word in rarest)
    scope, values = ("", ()) if agent is None else (_SHOWABLE, (agent,))
    ranked = db.execute(
        f"SELECT n.row FROM words JOIN note n ON n.row = words.rowid WHERE words MATCH ? {scope} "
        f"ORDER BY bm25(words, {TITLE_WEIGHT}.0, 1.0) LIMIT ?",
        (match, *values, limit),
    ).fetchall()
    facts = ", ".join(f"n.{name}" for name in _FACTS.split(", "))
    columns = f"n.row, w.title, w.body, n.length, {facts}"
    statement = f"SELECT {columns} FROM note n JOIN words w ON w.rowid = n.row WHERE n.row IN ({{marks}})"
    found = {
        row: _entry(facts, _document(title, body, length, words))
        for row, title, body, length, *facts in _in_groups(db, statement, [row for (row,) in ranked])
    }
    return [found[row] for (row,) in ranked]


def _superseded(db: sqlite3.Connection) -> frozenset[str]:
    rows = db.execute("SELECT supersedes FROM note WHERE supersedes IS NOT NULL AND status = 'approved'").fetchall()
    return frozenset(old for (ids,) in rows for old in ids.split("\n"))


def _facts(note: Note) -> tuple[Any, ...]:
    values = (getattr(note, name) for name in _FACTS.split(", "))
    return tuple(value if isinstance(value, int | None) else str(value) for value in values)


def _document(title: str, body: str, length: int, words: frozenset[str]) -> Document:
    """Only what the query asks for is counted: a note has many words and a query few."""
    return Document(count(filter(words.__contains__, title.split()), filter(words.__contains__, body.split())), length)


def _entry(facts: list[Any], doc: Document) -> Entry:
    values = dict(zip(_FACTS.split(", "), facts, strict=True))
    values |= {
        "kind": Kind(values["kind"]),
        "status": Status(values["status"]),
        "path": Path(values["path"]),
        "untrusted": bool(values["untrusted"]),
    }
    return Entry(**values, document=doc)


def _in_groups(db: sqlite3.Connection, statement: str, values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement with `IN ({marks})`, asked in groups that every SQLite accepts."""
    rest = list(values)
    for start in range(0, len(rest), 500):
        group = rest[start : start + 500]
        yield from db.execute(statement.format(marks=",".join("?" * len(group))), group)
