"""`memory.notes`: an agent's own pages of text, such as MEMORY.md and notes/…, by path (T5).

A note is a document whose manifest also has its text, its version and the texts before. Its chunks
are searched like those of any document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..domain.arguments import whole_number
from ..errors import InputError, NotePathError
from ..ingest.job_builder import clean_query
from ..language.token_bound import token_bound
from ..ports.knowledge import MEMORY_FILE as MEMORY_FILE
from ..ports.knowledge import Note, NoteMatch, NoteOperation, NoteRemoval
from ..runtime import Runtime
from ..types import Scope, clean_id
from .folder_sync import MAX_DOCUMENTS
from .note_changes import NoteChanges
from .note_checks import labels, note_text, version_number
from .note_operations import Operation, operation_of
from .note_paths import is_below, note_path, path_prefix
from .note_records import note_of, versions_of
from .note_search import NoteSearch

Notes = list[Note]
Matches = list[NoteMatch]
MAX_LISTED = 10_000
MAX_FOUND = 100
NONE = Note("", "", 0, 0.0)  # what a new note is made from


class NotesService:
    def __init__(self, runtime: Runtime, searching: NoteSearch, wake: Callable[[], None]) -> None:
        """`wake` is called when there are texts to embed."""
        self._runtime = runtime
        self._searching = searching
        self._changes = NoteChanges(runtime, wake)

    def read(self, scope: Scope, path: str = MEMORY_FILE) -> Note | None:
        """A note of this scope's own partition; None if there is none."""
        found = self._changes.record(scope, self._path(path))
        return None if found is None else note_of(found)

    def write(
        self,
        scope: Scope,
        path: str,
        text: str,
        *,
        expected_version: int | None = None,
        description: str | None = None,
        max_chars: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        """Write a note whole. It is given back exactly as written, except that secrets are taken
        out: `redacted` says which kinds. None where memory is off.

        With `expected_version`, only if that is its version, 0 being none yet; VersionError
        otherwise. `description` and `max_chars` stay with the note until others are given ("" and 0
        remove them). With an `operation` id, repeating the write changes nothing and returns its
        first result; other content (another `fingerprint`, if one is given) is an OperationError.

            memory.notes.write(scope, "notes/plan.md", "# Plan", expected_version=0)
        """
        name, expected = self._path(path), version_number(expected_version)
        content = ("write", path, text, description, max_chars)
        asked = self._operation(operation, fingerprint, *content)
        with self._runtime.recording_refusals(scope, actor, door):
            fields = {"text": note_text(text), **labels(description, max_chars)}
            if not self._runtime.is_on(scope):
                return None
            return self._changes.write(
                scope, name, lambda old: replace(old or NONE, **fields), expected, asked
            )

    def append(
        self,
        scope: Scope,
        path: str,
        text: str,
        *,
        operation: str | None = None,
        fingerprint: str | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        """Add lines at the end of a note, which is made if need be; nothing that others add at the
        same time is lost. `operation` as in `write`."""
        name = self._path(path)
        asked = self._operation(operation, fingerprint, "append", path, text)
        with self._runtime.recording_refusals(scope, actor, door):
            given = note_text(text)
            if not self._runtime.is_on(scope):
                return None
            return self._changes.write(scope, name, lambda old: _longer(old, given), None, asked)

    def list(self, scope: Scope, prefix: str = "", limit: int | None = None) -> Notes:
        """The notes of this scope's own partition whose paths begin with `prefix`, by path."""
        most = MAX_DOCUMENTS if limit is None else whole_number(limit, "limit", MAX_LISTED)
        start = path_prefix(prefix)
        notes = self._changes.notes(scope)
        return [notes[path] for path in sorted(notes) if path.startswith(start)][:most]

    def search(self, scope: Scope, query: str, prefix: str = "", limit: int = 10) -> Matches:
        """Notes of this scope's own partition that answer `query`, the best first, each with the
        passage that matched. Nothing where memory is off."""
        most = whole_number(limit, "limit", MAX_FOUND)
        notes = self.list(scope, prefix)
        if not self._runtime.is_on(scope):
            return []
        return self._searching.search(scope, clean_query(query), notes, most)

    def history(self, scope: Scope, path: str) -> Notes:
        """Its versions, the newest first; the oldest are dropped after ten."""
        found = self._changes.record(scope, self._path(path))
        return [] if found is None else versions_of(found)

    def rename(
        self,
        scope: Scope,
        path: str,
        new_path: str,
        *,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> Notes:
        """Move a note, or a folder with all that is below it, in one step; its history goes along.
        The notes under their new paths; none if there is nothing under `path`, or memory is off.

            memory.notes.rename(scope, "drafts", "archive/2026")
        """
        old, new = self._path(path), self._path(new_path)
        expected = version_number(expected_version)
        asked = self._operation(operation, fingerprint, "rename", old, new)
        if is_below(new, old):
            text = f"{new} is inside {old}; choose a folder outside of it"
            raise NotePathError(text, "inside", old)
        if not self._runtime.is_on(scope):
            return []
        return self._changes.move(scope, old, new, expected, asked)

    def remove(
        self,
        scope: Scope,
        path: str,
        *,
        folder: bool = False,
        expected_version: int | None = None,
        operation: str | None = None,
        fingerprint: str | None = None,
    ) -> NoteRemoval:
        """Remove a note with its history and its chunks, or with `folder` all notes below `path`
        ("": every note of the scope). False if there is none."""
        name = "" if folder and path == "" else self._path(path)
        expected = version_number(expected_version)
        asked = self._operation(operation, fingerprint, "remove", name, folder)
        if folder and expected is not None:
            raise InputError("a folder has no version; leave expected_version out")
        self._runtime.check_scope(scope)
        return self._changes.remove(scope, name, folder, expected, asked)

    def operation(
        self, scope: Scope, operation: str, fingerprint: str | None = None
    ) -> NoteOperation | None:
        """What an operation came to; None if it is not known. Of a scope the last thousand or so
        are. OperationError if it has another fingerprint."""
        self._runtime.check_scope(scope)
        id = clean_id(operation, "operation")
        return None if id is None else self._changes.operations.get(scope.home, id, fingerprint)

    def _path(self, path: object) -> str:
        return note_path(path, self._runtime.redactor)

    def _operation(self, id: object, fingerprint: object, *content: object) -> Operation | None:
        return operation_of(id, fingerprint, self._runtime.redactor, *content)


def first_lines(note: Note | None, tokens: int) -> list[str]:
    """The lines at the beginning of a note that fit; those of MEMORY.md are in every block."""
    lines: list[str] = []
    for line in note.text.splitlines() if note is not None else ():
        tokens -= token_bound(line) + 1
        if tokens < 0:
            break
        lines += [line.strip()] if line.strip() else []
    return lines


def _longer(old: Note | None, text: str) -> Note:
    before = old.text.rstrip("\n") + "\n" if old is not None and old.text else ""
    return replace(old or NONE, text=before + text)
