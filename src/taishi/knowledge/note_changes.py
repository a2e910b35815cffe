"""Changes to notes: each under the lock of its scope's notes, and in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from ..errors import NotePathError, OperationError
from ..language.text import storable
from ..ports.knowledge import Note, NoteOperation, NoteRemoval
from ..runtime import Runtime
from ..transfer.redact import ExportRedactor
from ..types import Partition, Record, Scope
from .folder_sync import MAX_DOCUMENTS
from .manifest import DOCUMENT
from .note_checks import check_destination, check_free, check_length, check_version
from .note_operations import NoteOperations, Operation
from .note_paths import first_below, is_below, note_path
from .note_records import NoteRecords, is_note, note_id, note_of, versions_of

UNSTORABLE = "unstorable"  # said of characters that no database keeps: NUL, halves of a pair


class NoteChanges:
    def __init__(self, runtime: Runtime, wake: Callable[[], None]) -> None:
        """`wake` is called when there are texts to embed."""
        self._runtime = runtime
        self._store = runtime.parts.store
        self._wake = wake
        self._records = NoteRecords(runtime)
        self.operations = NoteOperations(self._store)

    def record(self, scope: Scope, path: str) -> Record | None:
        self._runtime.check_scope(scope)
        found = self._store.get(scope.home, note_id(path))
        return self._redacted(found) if found is not None and is_note(found) else None

    def all(self, scope: Scope) -> list[Record]:
        self._runtime.check_scope(scope)
        found = self._store.find(scope.home, (DOCUMENT,), None, MAX_DOCUMENTS, f"{DOCUMENT}:")
        return [self._redacted(one) for one in found if is_note(one)]

    def notes(self, scope: Scope) -> dict[str, Note]:
        return {note.path: note for note in map(note_of, self.all(scope))}

    def write(
        self,
        scope: Scope,
        path: str,
        change: Callable[[Note | None], Note],
        expected: int | None,
        asked: Operation | None,
    ) -> Note:
        with self._locked(scope):
            found = self.record(scope, path)
            if (done := self.operations.replayed(scope.home, asked)) is not None:
                return _as_written(path, found, done)
            old = None if found is None else note_of(found)
            new = self._next(scope.home, path, old, change(old))
            if asked is not None and old is not None and old.operation == asked.id:
                return _written_before(old, new)
            check_version(path, old, expected)
            if old is None:
                check_free(path, self.notes(scope).keys())
            check_length(new)
            new = replace(new, operation=asked.id if asked else "")
            self._store.apply(self._records.written(scope, new, found))
            self.operations.record(scope.home, asked, new.version, int(old is not None))
        self._wake()
        return new

    def move(
        self, scope: Scope, old: str, new: str, expected: int | None, asked: Operation | None
    ) -> list[Note]:
        with self._locked(scope):
            records = {note_of(one).path: one for one in self.all(scope)}
            notes = {path: note_of(one) for path, one in records.items()}
            if self.operations.replayed(scope.home, asked) is not None:
                there = _within(notes, new)
                return [replace(notes[path], replayed=True) for path in there]
            check_version(old, notes.get(old), expected)
            moving = _within(notes, old)
            if not moving:
                return []
            check_destination(new, notes, moving)
            moved = self._moved(scope.home, [notes[path] for path in moving], old, new, asked)
            edits = [
                edit
                for path, note in zip(moving, moved, strict=True)
                for edit in (
                    *self._records.written(scope, note, records[path]),
                    *self._records.removed(scope.home, path),
                )
            ]
            self._retire(scope.home, (notes[path] for path in moving))
            self._store.apply(edits)
            self.operations.record(scope.home, asked, moved[0].version, len(moved))
        self._wake()
        return moved

    def remove(
        self, scope: Scope, path: str, folder: bool, expected: int | None, asked: Operation | None
    ) -> NoteRemoval:
        with self._locked(scope):
            if (done := self.operations.replayed(scope.home, asked)) is not None:
                return NoteRemoval(done.count, replayed=True)
            gone = self._to_remove(scope, path, folder, expected)
            self._retire(scope.home, gone)
            paths = [one.path for one in gone]
            edits = [edit for one in paths for edit in self._records.removed(scope.home, one)]
            self._store.apply(edits)
            self.operations.record(scope.home, asked, 0, len(gone))
            if gone:
                self._store.erasure.scrub()
                self._runtime.text_caches.clear()
        return NoteRemoval(len(gone))

    def _next(self, place: Partition, path: str, old: Note | None, new: Note) -> Note:
        """The next version, without secrets."""
        redactor, kept = self._runtime.redactor, storable(new.text)
        text = redactor.text(kept)
        kinds = dict.fromkeys(one.label for one in redactor.found(kept)) if text != kept else {}
        version = self.operations.last_version(place) if old is None else old.version
        return replace(
            new,
            path=path,
            text=text,
            version=version + 1,
            updated=self._runtime.clock(),
            description=redactor.text(storable(new.description)),
            redacted=(*kinds, *((UNSTORABLE,) if kept != new.text else ())),
            existed=old is not None,
        )

    def _moved(
        self, place: Partition, notes: Sequence[Note], old: str, new: str, asked: Operation | None
    ) -> list[Note]:
        """Under their new paths, with versions that no note had there before."""
        last, now = self.operations.last_version(place), self._runtime.clock()
        return [
            replace(
                note,
                path=note_path(new + note.path.removeprefix(old), self._runtime.redactor),
                version=max(note.version, last) + 1,
                updated=now,
                operation=asked.id if asked else "",
            )
            for note in notes
        ]

    def _to_remove(
        self, scope: Scope, path: str, folder: bool, expected: int | None
    ) -> Sequence[Note]:
        if folder:
            return [one for one in self.notes(scope).values() if is_below(one.path, path)]
        found = self.record(scope, path)
        note = None if found is None else note_of(found)
        check_version(path, note, expected)
        if note is None and first_below(self.notes(scope), path) is not None:
            text = f"{path} is a folder; pass folder=True to remove all that is below it"
            raise NotePathError(text, "whole_folder", path)
        return [] if note is None else [note]

    def _retire(self, place: Partition, gone: Iterable[Note]) -> None:
        self.operations.retire(place, max((one.version for one in gone), default=0))

    def _locked(self, scope: Scope) -> AbstractContextManager[None]:
        return self._runtime.parts.locks.hold(f"notes of {scope.home}")

    def _redacted(self, record: Record) -> Record:
        return ExportRedactor(self._runtime.redactor, trusting=True).record_alone(record)


def _within(paths: Iterable[str], path: str) -> list[str]:
    """The note itself, or what is below the folder."""
    return sorted(one for one in paths if one == path or is_below(one, path))


def _as_written(path: str, record: Record | None, done: NoteOperation) -> Note:
    """The version that an operation made; without its text if that is no longer kept."""
    versions = [] if record is None else versions_of(record)
    note = next((one for one in versions if one.version == done.version), None)
    note = note or Note(path, "", done.version, 0.0, operation=done.id)
    return replace(note, path=path, existed=done.count > 0, replayed=True)


def _written_before(old: Note, new: Note) -> Note:
    """A write whose receipt is missing: its process was killed in between."""
    if old.text != new.text:
        raise OperationError(
            f"operation {old.operation!a:.60} was already used for another change; use a new id"
        )
    return replace(old, replayed=True)
