"""All notes of a company as files: found, read and changed, never through a link."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hermes_company.domain.names import is_agent_name
from hermes_company.ports.files import ParseYaml, WriteText
from hermes_company.userspace.files import Finding, Unreadable, read_text
from hermes_company.userspace.memory.note import MAX_NOTE_BYTES, Kind, Note, read_note, render_note, with_fields
from hermes_company.wording import say


class NoteFile(NamedTuple):
    """A file that may be a note, with what tells whether it changed."""

    path: str
    kind: Kind
    agent: str
    mtime_ns: int
    size: int


class NoteBook:
    """The notes below one memory folder.

    Args:
        memory: `<company>/memory`.
        parse_yaml: reads front matter.
        write: replaces a file.
    """

    def __init__(self, memory: Path, *, parse_yaml: ParseYaml, write: WriteText) -> None:
        self.memory = memory
        self._parse_yaml = parse_yaml
        self._write = write
        self._written: dict[Path, tuple[Kind, str]] = {}

    def files(self) -> tuple[list[NoteFile], list[Finding]]:
        """Every Markdown file where notes lie, and what was passed over. Nothing is read yet."""
        found: list[NoteFile] = []
        findings: list[Finding] = []
        for agent in _folders(self.memory, findings):
            if not is_agent_name(agent.name):
                continue
            kinds = {kind.folder: kind for kind in Kind}
            for folder in _folders(Path(agent.path), findings):
                if folder.name in kinds:
                    found.extend(_notes(Path(folder.path), kinds[folder.name], agent.name, findings))
        return found, findings

    def read(self, file: NoteFile) -> Note:
        """The note in that file.

        Raises:
            FileNotFoundError, Unreadable: see `read_note`.
        """
        return read_note(Path(file.path), file.kind, file.agent, self._parse_yaml)

    def of(self, agent: str, kind: Kind) -> Iterator[Note]:
        """The readable notes of one agent and kind."""
        for file in _notes(self.memory / agent / kind.folder, kind, agent, []):
            try:
                yield self.read(file)
            except (FileNotFoundError, Unreadable):
                continue

    def get(self, agent: str, kind: Kind, note_id: str) -> Note | None:
        """One note; None when there is none that can be read."""
        path = self.path(agent, kind, note_id)
        try:
            return read_note(path, kind, agent, self._parse_yaml)
        except (FileNotFoundError, Unreadable):
            return None

    def named(self, note_id: str) -> list[Note]:
        """Every note of that id: several agents may have an experience of one ticket."""
        agents = sorted(entry.name for entry in _folders(self.memory, []) if is_agent_name(entry.name))
        notes = (self.get(agent, kind, note_id) for agent in agents for kind in Kind)
        return [note for note in notes if note]

    def path(self, agent: str, kind: Kind, note_id: str) -> Path:
        """Where that note lies, or would."""
        return self.memory / agent / kind.folder / f"{note_id}.md"

    def create(self, agent: str, kind: Kind, note_id: str, *, fields: Mapping[str, object], body: str) -> Path:
        """Write a note, replacing one of that id.

        Raises:
            Unreadable: its folder is a link.
            OSError: nothing was changed.
        """
        path = self.path(agent, kind, note_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._refuse_links(path)
        self._write(path, render_note(fields, body))
        self._written[path] = (kind, agent)
        return path

    def change(self, note: Note, changes: Mapping[str, object]) -> None:
        """Set front matter keys of a note; everything else in its file stays. A note that is gone stays gone."""
        self._refuse_links(note.path)
        try:
            text = read_text(note.path, MAX_NOTE_BYTES)
        except FileNotFoundError:
            return
        changed = with_fields(text, changes)
        if changed != text:
            self._write(note.path, changed)
            self._written[note.path] = (note.kind, note.agent)

    def take_written(self) -> list[NoteFile]:
        """What was created or changed here since this was last asked, as far as it is still there."""
        written, self._written = self._written, {}
        found = []
        for path, (kind, agent) in written.items():
            with suppress(FileNotFoundError):
                info = path.stat(follow_symlinks=False)
                found.append(NoteFile(str(path), kind, agent, info.st_mtime_ns, info.st_size))
        return found

    def _refuse_links(self, path: Path) -> None:
        expected = self.memory.resolve() / path.parent.relative_to(self.memory)
        if path.parent.resolve() != expected:
            raise Unreadable(say("its folder {path} is a link", path=path.parent))


def _folders(parent: Path, findings: list[Finding]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(parent) as entries:
            return [entry for entry in entries if _is_folder(entry, findings)]
    except FileNotFoundError:
        return []


def _is_folder(entry: os.DirEntry[str], findings: list[Finding]) -> bool:
    if entry.is_symlink():
        findings.append(Finding(entry.path, say("it is a link; links are not followed in memory")))
        return False
    return entry.is_dir(follow_symlinks=False)


def _notes(folder: Path, kind: Kind, agent: str, findings: list[Finding]) -> Iterator[NoteFile]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not entry.name.endswith(".md") or entry.name.startswith("."):
                    continue
                if not entry.is_file(follow_symlinks=False):
                    findings.append(Finding(entry.path, say("it is not a regular file")))
                    continue
                info = entry.stat(follow_symlinks=False)
                yield NoteFile(entry.path, kind, agent, info.st_mtime_ns, info.st_size)
    except (FileNotFoundError, NotADirectoryError):
        return
