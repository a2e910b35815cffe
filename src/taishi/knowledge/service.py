"""`memory.knowledge`: documents of a scope, taken in, kept in step with a folder, searched (K1,
K2)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..domain.arguments import whole_number
from ..erase.service import ForgetService
from ..errors import DocumentError, InputError
from ..ingest.job_builder import JobBuilder
from ..language.text import storable
from ..ports.knowledge import DocumentChunk, DocumentInfo, SyncReport
from ..runtime import Runtime
from ..transfer.progress import Progress, unwatched
from ..transfer.redact import ExportRedactor
from ..types import Recall, Record, Scope, clean_id
from .folder_sync import MAX_DOCUMENTS, FolderSync, read_file
from .importer import Importer, Source
from .manifest import (
    DOCUMENT,
    EARLIER,
    FIELDS,
    MAX_CHUNKS,
    NOTE,
    chunk_id,
    document_chunk,
    document_id,
    document_info,
)
from .originals import Originals
from .search import KnowledgeSearch

Documents = list[DocumentInfo]
Chunks = list[DocumentChunk]
MAX_NAME_BYTES = 1000
MAX_CHUNKS_SHOWN = 1000
MAX_LINK_SECONDS = 3600


class KnowledgeService:
    def __init__(
        self,
        runtime: Runtime,
        builder: JobBuilder,
        importer: Importer,
        originals: Originals,
        searching: KnowledgeSearch,
        forgetting: ForgetService,
    ) -> None:
        self._runtime = runtime
        self._store = runtime.parts.store
        self._builder = builder
        self._importer = importer
        self._originals = originals
        self._searching = searching
        self._forgetting = forgetting
        self._syncing = FolderSync(importer, self._store, originals)

    def add(
        self,
        scope: Scope,
        source: str | os.PathLike[str] | bytes,
        name: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> DocumentInfo | None:
        """Add a document: the path of a file (a `Path`), its bytes, or a text. A name is
        needed for bytes and texts, and its ending tells the format. A document of the same name is
        replaced; if nothing changed, nothing is written. None where memory is off.

            memory.knowledge.add(Scope(shared=True), Path("handbook.pdf"))
            memory.knowledge.add(scope, "# Rules\\n\\nNo shoes.", name="rules.md")
        """
        if not self._runtime.is_on(scope):
            return None
        data, given = _content(source, name)
        kept = self._builder.data(metadata)
        if reserved := {*FIELDS, NOTE, EARLIER} & kept.keys():
            raise InputError(f"metadata may not have {', '.join(sorted(reserved))}; rename that")
        return self._importer.run(scope, Source(given, data, "", kept)).info

    def sync(
        self,
        scope: Scope,
        folder: str | os.PathLike[str],
        name: str | None = None,
        *,
        progress: Progress = unwatched,
    ) -> SyncReport:
        """Make the documents of a folder the same as its files: new and changed ones are added,
        those of deleted files removed, by hash. Safe to repeat and to interrupt.

        The documents are called `NAME/path/in/folder`; NAME is the folder's own unless given.
        `progress` is called with how many bytes are done, and of how many.
        """
        if not self._runtime.is_on(scope):
            return SyncReport()
        label = None if name is None else _name(name)
        with self._runtime.parts.locks.hold(f"sync of {scope.home}", timeout=5.0):
            return self._syncing.run(scope, Path(folder), label, progress)

    def list(self, scope: Scope) -> Documents:
        """The documents of this scope's own partition, by name."""
        self._runtime.check_scope(scope)
        prefix = f"{DOCUMENT}:"
        found = self._store.find(scope.home, (DOCUMENT,), None, MAX_DOCUMENTS, prefix)
        infos = (self._info(one) for one in found if NOTE not in one.data)
        return sorted(infos, key=lambda info: info.name)

    def get(self, scope: Scope, id: str) -> DocumentInfo | None:
        """One document of this scope's own partition, by its id or its name."""
        found = self._record(scope, id)
        return None if found is None else self._info(found)

    def chunks(self, scope: Scope, id: str, start: int = 0, limit: int = 100) -> Chunks | None:
        """The passages of a document, in order, from number `start` on; None if there is no such
        document."""
        start = _start(start)
        limit = whole_number(limit, "limit", MAX_CHUNKS_SHOWN)
        found = self._record(scope, id)
        if found is None:
            return None
        redactor = ExportRedactor(self._runtime.redactor, trusting=True)
        end = min(start + limit, self._info(found).chunks)
        ids = (chunk_id(found.id, number) for number in range(start, end))
        records = (self._store.get(scope.home, one) for one in ids)
        return [document_chunk(redactor.record_alone(one)) for one in records if one is not None]

    def original(self, scope: Scope, id: str) -> bytes | None:
        """The file as it was added; None if it is not stored."""
        found = self._record(scope, id)
        return None if found is None else self._originals.get(scope.home, found.id)

    def original_link(self, scope: Scope, id: str, seconds: float = 60.0) -> str | None:
        """A URL from which anybody can download the file for this many seconds; None if it is not
        stored, or not in a store that gives URLs (`storage.files`)."""
        if not 1 <= seconds <= MAX_LINK_SECONDS:
            raise InputError(f"seconds must be from 1 to {MAX_LINK_SECONDS}")
        found = self._record(scope, id)
        return None if found is None else self._originals.link(scope.home, found.id, seconds)

    def remove(self, scope: Scope, id: str, *, actor: str = "host", door: str = "python") -> bool:
        """Remove a document, by its id or its name, with its chunks and its file; False if there
        is none."""
        found = self._record(scope, id)
        if found is None:
            return False
        with self._importer.locked(scope, found.id):
            return self._forgetting.forget(scope, found.id, actor, door, "") > 0

    def search(
        self,
        scope: Scope,
        query: str,
        top_k: int = 5,
        neighbours: int | None = None,
        *,
        documents: Sequence[str] | None = None,
        deadline: float | None = None,
        floor: float | None = None,
    ) -> Recall:
        """The passages of documents that answer `query`, each with the chunks around it, from what
        this scope may see. `hit.metadata["citation"]` says where it is: file, section, page.

        `documents` are ids or names to search in; `neighbours` overrides the setting.

            memory.knowledge.search(scope, "how long is the warranty?").hits[0].text
        """
        return self._searching.search(scope, query, top_k, neighbours, documents, deadline, floor)

    def _record(self, scope: Scope, id: str) -> Record | None:
        self._runtime.check_scope(scope)
        given = clean_id(id, "id") or ""
        found = self._store.get(scope.home, given)
        if found is None or found.kind != DOCUMENT:
            found = self._store.get(scope.home, document_id(given))
        is_document = found is not None and found.kind == DOCUMENT and NOTE not in found.data
        return found if is_document else None

    def _info(self, record: Record) -> DocumentInfo:
        redactor = ExportRedactor(self._runtime.redactor, trusting=True)
        return document_info(redactor.record_alone(record))


def _start(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_CHUNKS:
        raise InputError(f"start must be a whole number from 0 to {MAX_CHUNKS}")
    return value


def _content(source: object, name: str | None) -> tuple[bytes, str]:
    if isinstance(source, os.PathLike):
        path = Path(source).expanduser()
        try:
            return read_file(path), _name(path.name if name is None else name)
        except OSError as error:
            raise DocumentError(
                f"{str(path)!a:.120} cannot be read ({error.strerror}); name a file that is there"
            ) from error
    if name is None:
        raise InputError("a name is needed for bytes and texts, such as name='guide.md'")
    if isinstance(source, str):
        return storable(source).encode(), _name(name)
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), _name(name)
    raise InputError(f"a document is a Path, bytes or text, not {type(source).__name__}")


def _name(name: object) -> str:
    """As it is shown in citations: it names nothing on any disk."""
    text = clean_id(name, "name")
    if text is None:
        raise InputError("the name of a document is empty; give one such as guide.md")
    return text
