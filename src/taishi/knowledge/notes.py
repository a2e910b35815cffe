"""`memory.notes`: an agent's own Markdown files, such as MEMORY.md and notes/…, by path (T5).

A note is a document whose manifest also has its text, its version and the texts before: one record,
so that a version is compared and written in one step. Its chunks are searched like any other's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputError, RefusedError, VersionError
from ..language.text import storable
from ..language.token_bound import token_bound
from ..ports.files import checked_key
from ..ports.knowledge import Note
from ..runtime import Runtime
from ..transfer.redact import ExportRedactor
from ..types import Record, Scope
from .folder_sync import MAX_DOCUMENTS
from .importer import Importer, Source
from .manifest import DOCUMENT, EARLIER, NOTE, document_id
from .originals import Originals
from .removal import remove_document

Notes = list[Note]
MEMORY_FILE = "MEMORY.md"
ENDINGS = (".md", ".txt")
MAX_CHARS = 200_000
EARLIER_KEPT = 10
MAX_PATH_CHARS = 250
_KEY = "\x01note:"  # no document has such a name


class NotesService:
    def __init__(self, runtime: Runtime, importer: Importer, originals: Originals) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._importer = importer
        self._originals = originals

    def read(self, scope: Scope, path: str = MEMORY_FILE) -> Note | None:
        """A note of this scope's own partition; None if there is none."""
        found = self._record(scope, _path(path))
        return None if found is None else _note(found)

    def write(
        self,
        scope: Scope,
        path: str,
        text: str,
        *,
        expected_version: int | None = None,
        actor: str = "host",
        door: str = "python",
    ) -> Note | None:
        """Write a note whole. With `expected_version`, only if that is its version, 0 being none
        yet; VersionError otherwise. None where memory is off.

            memory.notes.write(scope, "notes/plan.md", "# Plan", expected_version=0)
        """
        with self._runtime.recording_refusals(scope, actor, door):
            return self._change(scope, path, lambda old: _text(text), expected_version)

    def append(
        self, scope: Scope, path: str, text: str, *, actor: str = "host", door: str = "python"
    ) -> Note | None:
        """Add lines at the end of a note, which is made if need be; nothing that others add at the
        same time is lost."""

        def longer(old: Note | None) -> str:
            before = old.text.rstrip("\n") + "\n" if old is not None and old.text else ""
            return before + _text(text)

        with self._runtime.recording_refusals(scope, actor, door):
            return self._change(scope, path, longer, None)

    def list(self, scope: Scope) -> Notes:
        """The notes of this scope's own partition, by path."""
        self._runtime.check_scope(scope)
        found = self._store.find(scope.home, (DOCUMENT,), None, MAX_DOCUMENTS, f"{DOCUMENT}:")
        notes = [_note(self._redacted(one)) for one in found if NOTE in one.data]
        return sorted(notes, key=lambda note: note.path)

    def history(self, scope: Scope, path: str) -> Notes:
        """Its versions, the newest first; the oldest are dropped after ten."""
        found = self._record(scope, _path(path))
        if found is None:
            return []
        return [_note(found), *(_version(_path(path), one) for one in reversed(_earlier(found)))]

    def remove(self, scope: Scope, path: str) -> bool:
        """Remove a note with its history and its chunks; False if there is none."""
        name = _path(path)
        with self._importer.locked(scope, _id(name)):
            if self._record(scope, name) is None:
                return False
            remove_document(self._store, self._originals, scope.home, _id(name))
            self._store.erasure.scrub()
            self._runtime.text_caches.clear()
        return True

    def _change(
        self, scope: Scope, path: str, new_text: Any, expected_version: int | None
    ) -> Note | None:
        name = _path(path)
        expected = _version_number(expected_version)
        if not self._runtime.is_on(scope):
            return None
        with self._importer.locked(scope, _id(name)):
            found = self._record(scope, name)
            old = None if found is None else _note(found)
            version = old.version if old is not None else 0
            if expected is not None and version != expected:
                raise VersionError(
                    f"{name} has version {version}, not {expected}: it was changed since it was "
                    "read; read it again and repeat the change"
                )
            text = self._runtime.redactor.text(new_text(old))
            if len(text) > MAX_CHARS:
                raise RefusedError(
                    f"{name} would have {len(text)} characters; a note has at most {MAX_CHARS}. "
                    "Split it, or add it as a document.",
                    "too_long",
                )
            new = Note(name, text, version + 1, self._runtime.clock())
            earlier = _earlier(found)
            if old is not None:
                earlier.append(_as_data(old))
            data = {NOTE: _as_data(new), EARLIER: earlier[-EARLIER_KEPT:]}
            source = Source(name, text.encode(), "", data, _KEY + name, keep=False)
            self._importer.write(scope, source)
            return new

    def _record(self, scope: Scope, path: str) -> Record | None:
        self._runtime.check_scope(scope)
        found = self._store.get(scope.home, _id(path))
        if found is None or found.kind != DOCUMENT or NOTE not in found.data:
            return None
        return self._redacted(found)

    def _redacted(self, record: Record) -> Record:
        return ExportRedactor(self._runtime.redactor, trusting=True).record_alone(record)


def first_lines(note: Note | None, tokens: int) -> list[str]:
    """The lines at the beginning of a note that fit; those of MEMORY.md are in every block."""
    lines: list[str] = []
    for line in note.text.splitlines() if note is not None else ():
        tokens -= token_bound(line) + 1
        if tokens < 0:
            break
        lines += [line.strip()] if line.strip() else []
    return lines


def _id(path: str) -> str:
    return document_id(_KEY + path)


def _path(path: object) -> str:
    if not isinstance(path, str):
        raise InputError(f"a path is text such as notes/plan.md, not {type(path).__name__}")
    name = checked_key(path)
    if not name.endswith(ENDINGS) or len(name) > MAX_PATH_CHARS:
        raise InputError(f"{name!a:.60} is no path of a note; use one such as notes/plan.md")
    return name


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise InputError(f"a note is text, not {type(text).__name__}")
    if len(text) > MAX_CHARS:
        raise RefusedError(
            f"a note has at most {MAX_CHARS} characters, not {len(text)}; split it, or add it as "
            "a document",
            "too_long",
        )
    return storable(text)


def _version_number(value: object) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError("expected_version is a whole number from 0 up; 0 means: not there yet")
    return value


def _as_data(note: Note) -> dict[str, Any]:
    return {"text": note.text, "version": note.version, "updated": note.updated}


def _note(record: Record) -> Note:
    return _version(str(record.data.get("name")), record.data.get(NOTE))


def _earlier(record: Record | None) -> list[Any]:
    kept = None if record is None else record.data.get(EARLIER)
    return list(kept) if isinstance(kept, list) else []


def _version(path: str, data: object) -> Note:
    """Of a manifest that may come from somebody else's export."""
    found: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    text, version, updated = (found.get(key) for key in ("text", "version", "updated"))
    return replace(
        Note(path, str(text or ""), 0, 0.0),
        version=version if type(version) is int and version > 0 else 1,
        updated=float(updated) if isinstance(updated, int | float) else 0.0,
    )
