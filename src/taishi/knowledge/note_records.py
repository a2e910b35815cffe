"""A note as records: its manifest, with its text and the texts before, and its chunks.

All of them are written in one transaction, so that a note is never half written, and what is found
by a search is what can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import DocumentError, MissingExtraError
from ..language.chunking import Chunk, chunks
from ..language.text import one_line, without_hidden
from ..ports import Block, Document
from ..ports.knowledge import DocumentInfo, Note
from ..runtime import Runtime
from ..types import Edit, Partition, Record, Scope
from .manifest import (
    CHUNK,
    DOCUMENT,
    EARLIER,
    MAX_CHUNKS,
    NOTE,
    chunk_prefix,
    chunk_record,
    document_id,
    document_record,
)
from .summaries import first_sentences

EARLIER_KEPT = 10
SUMMARY_CHUNKS = 3
MAX_TITLE_CHARS = 200
MARKDOWN = (".md", ".markdown")
_KEY = "\x01note:"  # no document has such a name


def note_id(path: str) -> str:
    return document_id(_KEY + path)


def is_note(record: Record | None) -> bool:
    return record is not None and record.kind == DOCUMENT and NOTE in record.data


class NoteRecords:
    """Makes the edits that write, move and remove notes."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store

    def written(self, scope: Scope, new: Note, old: Record | None) -> list[Edit]:
        """`old` is the manifest of the same note before, under whatever path."""
        title, cut = self._chunks(new)
        info = DocumentInfo(
            id=note_id(new.path),
            name=new.path,
            title=one_line(title, MAX_TITLE_CHARS),
            media_type="text/markdown" if new.path.endswith(MARKDOWN) else "text/plain",
            sha256=hashlib.sha256(new.text.encode()).hexdigest(),
            size=len(new.text.encode()),
            chunks=len(cut),
            state="ready",
            added=old.created if old is not None else self._runtime.clock(),
            original=False,
            summary=first_sentences(one.text for one in cut[:SUMMARY_CHUNKS]),
            summary_by="extract",
            metadata={NOTE: note_data(new), EARLIER: _with_earlier(old)},
        )
        place = scope.home
        records = [chunk_record(info, place, number, one) for number, one in enumerate(cut)]
        before = self._chunk_records(place, info.id)
        changed = [one for one in records if _differs(one, before.pop(one.id, None))]
        puts = [document_record(info, place), *changed]
        gone = [Edit("remove", place=place, id=id) for id in before]
        return [*(Edit("put", self._stamped(one, scope)) for one in puts), *gone]

    def removed(self, place: Partition, path: str) -> list[Edit]:
        id = note_id(path)
        ids = [*self._chunk_records(place, id), id]
        return [Edit("remove", place=place, id=one) for one in ids]

    def _chunk_records(self, place: Partition, id: str) -> dict[str, Record]:
        found = self._store.find(place, (CHUNK,), None, MAX_CHUNKS, chunk_prefix(id))
        return {one.id: one for one in found}

    def _stamped(self, record: Record, scope: Scope) -> Record:
        created = record.created or self._runtime.clock()
        stamp = self._runtime.redactor.stamp
        return replace(record, user=scope.user, created=created, redaction=stamp)

    def _chunks(self, note: Note) -> tuple[str, list[Chunk]]:
        """Title and chunks of a text that has been redacted as a whole."""
        document, settings = self._document(note), self._runtime.settings.knowledge
        limits = (settings.chunk_max_tokens, settings.chunk_overlap_chars)
        try:
            return document.title, list(chunks(document.blocks, *limits))
        except DocumentError:
            return note.path, list(chunks(_paragraphs(note.text), *limits))

    def _document(self, note: Note) -> Document:
        """Markdown by its structure where that can be read; a note is kept in any case."""
        plain = Document(note.path, "text/plain", iter(_paragraphs(note.text)))
        if not note.path.endswith(MARKDOWN) or not note.text.strip():
            return plain
        try:
            return self._runtime.parts.reader.read(note.path, note.text.encode())
        except (MissingExtraError, DocumentError):
            return plain


def note_of(record: Record) -> Note:
    return note_from_data(str(record.data.get("name")), record.data.get(NOTE))


def versions_of(record: Record) -> list[Note]:
    """The newest first."""
    path = str(record.data.get("name"))
    return [note_of(record), *(note_from_data(path, one) for one in reversed(_earlier(record)))]


def note_data(note: Note) -> dict[str, Any]:
    extra = {"description": note.description, "max_chars": note.max_chars}
    extra |= {"operation": note.operation}
    given = {key: value for key, value in extra.items() if value}
    return {"text": note.text, "version": note.version, "updated": note.updated, **given}


def note_from_data(path: str, data: object) -> Note:
    """Of a manifest that may come from somebody else's export."""
    found: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    version, updated, most = (found.get(key) for key in ("version", "updated", "max_chars"))
    return Note(
        path,
        str(found.get("text") or ""),
        version if type(version) is int and version > 0 else 1,
        float(updated) if isinstance(updated, int | float) else 0.0,
        str(found.get("description") or ""),
        most if type(most) is int and most > 0 else None,
        str(found.get("operation") or ""),
    )


def _with_earlier(old: Record | None) -> list[Any]:
    if old is None:
        return []
    return [*_earlier(old), note_data(note_of(old))][-EARLIER_KEPT:]


def _earlier(record: Record) -> list[Any]:
    kept = record.data.get(EARLIER)
    return list(kept) if isinstance(kept, list) else []


def _paragraphs(text: str) -> list[Block]:
    lines = without_hidden(text.replace("\r\n", "\n").replace("\r", "\n"))
    return [Block(one.strip("\n")) for one in lines.split("\n\n") if one.strip()]


def _differs(new: Record, old: Record | None) -> bool:
    return old is None or (new.text, dict(new.data)) != (old.text, dict(old.data))
