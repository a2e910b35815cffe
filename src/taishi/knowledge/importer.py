"""Takes one document in: read, redact, cut into chunks, store a batch at a time.

A kill leaves a manifest that says `importing`; the next import of the file goes over what is
there, chunk by chunk, and writes only what differs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ..errors import BusyError, DocumentError, StorageError
from ..language.chunking import Chunk, chunks
from ..language.redaction.redactor import Redactor
from ..language.text import one_line, storable
from ..ports import Block, DocumentReader, Store
from ..ports.knowledge import DocumentInfo, SyncAction
from ..runtime import Runtime
from ..settings import KnowledgeSettings
from ..types import Edit, Partition, Record, Scope
from .manifest import (
    BATCH,
    CHUNK,
    DOCUMENT,
    MAX_CHUNKS,
    batch_prefix,
    chunk_record,
    document_id,
    document_info,
    document_record,
)
from .originals import Originals
from .removal import remove_chunks, remove_document
from .summaries import first_sentences

MAX_TITLE_CHARS = 200
NAME_CHARS = 500
MAX_WARNINGS = 20
SUMMARY_CHUNKS = 3
CHUNKING = "chunking"

Tick = Callable[[int], None]  # told how many characters were read


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was given."""

    name: str
    data: bytes
    folder: str = ""
    metadata: Mapping[str, Any] | None = None

    @property
    def id(self) -> str:
        return document_id(self.name)


@dataclass(frozen=True, slots=True)
class Imported:
    info: DocumentInfo
    action: SyncAction
    written: int = 0


class Importer:
    def __init__(
        self,
        runtime: Runtime,
        reader: DocumentReader,
        originals: Originals,
        wake: Callable[[], None],
        summarise: Callable[[Partition, str], None] | None = None,
    ) -> None:
        """`wake` is called when there are texts to embed, `summarise` for a document that may have
        a better summary."""
        self._runtime = runtime
        self._store: Store = runtime.parts.store
        self._locks = runtime.parts.locks
        self._reader = reader
        self._originals = originals
        self._wake = wake
        self._summarise = summarise

    def run(self, scope: Scope, source: Source, tick: Tick = lambda chars: None) -> Imported:
        """Raises DocumentError if the file cannot be read: then what was there before stays, if
        the fault showed at the beginning, and nothing is left otherwise."""
        with self.locked(scope, source.id):
            return self.write(scope, source, tick)

    def locked(self, scope: Scope, id: str) -> AbstractContextManager[None]:
        """Whoever writes a document holds this."""
        return self._locks.hold(f"{id} of {scope.home}")

    def write(self, scope: Scope, source: Source, tick: Tick = lambda chars: None) -> Imported:
        """For a caller that holds the lock."""
        old = self._store.get(scope.home, source.id)
        known = None if old is None or old.kind != DOCUMENT else document_info(old)
        sha256 = hashlib.sha256(source.data).hexdigest()
        if known is not None and self._is_current(known, sha256, source):
            done = Imported(known, "unchanged")
        else:
            try:
                done = self._import(scope, source, sha256, known, tick)
            finally:
                self._wake()
        if self._summarise is not None and done.info.summary_by == "extract":
            self._summarise(scope.home, done.info.id)
        return done

    def _is_current(self, known: DocumentInfo, sha256: str, source: Source) -> bool:
        return (
            (known.state, known.sha256, known.folder) == ("ready", sha256, source.folder)
            and known.metadata.get(CHUNKING) == self._chunking
            and (source.metadata is None or source.metadata.items() <= known.metadata.items())
        )

    @property
    def _settings(self) -> KnowledgeSettings:
        return self._runtime.settings.knowledge

    @property
    def _chunking(self) -> str:
        return f"{self._settings.chunk_max_tokens}/{self._settings.chunk_overlap_chars}"

    def _import(
        self,
        scope: Scope,
        source: Source,
        sha256: str,
        known: DocumentInfo | None,
        tick: Tick,
    ) -> Imported:
        place, redactor = scope.home, self._runtime.redactor
        document = self._reader.read(source.name, source.data)
        redaction = _Redaction(redactor, tick)
        blocks = redaction.blocks(document.blocks)
        settings = self._settings
        cut = chunks(blocks, settings.chunk_max_tokens, settings.chunk_overlap_chars)
        first = list(islice(cut, BATCH))  # before anything changes: most faults show here
        if not first:
            raise DocumentError(f"{source.name!a:.80} has no text that could be searched")
        self._originals.check(place)  # before anything changes, too
        name = redactor.text(storable(source.name, NAME_CHARS))
        info = DocumentInfo(
            id=source.id,
            name=name,
            title=one_line(redactor.text(storable(document.title)), MAX_TITLE_CHARS),
            media_type=document.media_type,
            sha256=sha256,
            size=len(source.data),
            chunks=known.chunks if known else 0,
            state="importing",
            added=known.added if known else self._runtime.clock(),
            folder=source.folder,
            original=False,
            summary=first_sentences(one.text for one in first[:SUMMARY_CHUNKS]),
            summary_by="extract",
            metadata={**(source.metadata or {}), CHUNKING: self._chunking},
        )
        self._put(scope, [document_record(info, place)])
        try:
            count, written = self._write_chunks(scope, info, first, cut)
        except DocumentError:
            remove_document(self._store, self._originals, place, info.id)
            raise
        written += remove_chunks(self._store, place, info.id, count)
        try:
            kept = self._keep_original(place, info, source.data, redaction.changed)
        except StorageError as error:
            raise self._not_kept(place, info, known, error) from error
        if self._store.get(place, info.id) is None:
            remove_document(self._store, self._originals, place, info.id)
            raise BusyError(f"{info.name!a:.80} was forgotten while it was read; add it again")
        warnings = tuple(one_line(redactor.text(one)) for one in document.warnings[:MAX_WARNINGS])
        info = replace(info, chunks=count, state="ready", original=kept, warnings=warnings)
        self._put(scope, [document_record(info, place)])
        return Imported(info, "changed" if known else "added", written)

    def _write_chunks(
        self, scope: Scope, info: DocumentInfo, first: list[Chunk], rest: Iterator[Chunk]
    ) -> tuple[int, int]:
        """How many there are, and how many differed from what was there."""
        count = written = 0
        some: Iterable[Chunk] = first
        while batch := list(islice(some, BATCH)):
            if count + len(batch) > MAX_CHUNKS:
                raise DocumentError(
                    f"{info.name!a:.80} has more than {MAX_CHUNKS} chunks; split it into files"
                )
            old = self._chunks(scope.home, batch_prefix(info.id, count))
            records = [
                chunk_record(info, scope.home, number, chunk)
                for number, chunk in enumerate(batch, count)
            ]
            changed = [one for one in records if _differs(one, old.get(one.id))]
            self._put(scope, changed)
            count, written = count + len(batch), written + len(changed)
            some = rest
        return count, written

    def _chunks(self, place: Partition, prefix: str) -> dict[str, Record]:
        return {one.id: one for one in self._store.find(place, (CHUNK,), None, BATCH, prefix)}

    def _put(self, scope: Scope, records: list[Record]) -> None:
        stamp, now = self._runtime.redactor.stamp, self._runtime.clock()
        edits = [
            Edit(
                "put",
                replace(one, user=scope.user, created=one.created or now, redaction=stamp),
            )
            for one in records
        ]
        if edits:
            self._store.apply(edits)

    def _not_kept(
        self, place: Partition, info: DocumentInfo, known: DocumentInfo | None, error: StorageError
    ) -> StorageError:
        """A new document goes again, with its chunks. One that was there is in its new form, and
        marked as `importing`: adding it again completes it."""
        if known is not None:
            return StorageError(
                f"the file of {info.name!a:.80} was not kept: {error}. Its text can be searched; "
                "add it again to complete it"
            )
        with suppress(StorageError):  # the file may have come there all the same
            self._originals.delete(place, info.id)
        remove_chunks(self._store, place, info.id)
        self._store.apply([Edit("remove", place=place, id=info.id)])
        return StorageError(f"{info.name!a:.80} was not added: {error}")

    def _keep_original(
        self, place: Partition, info: DocumentInfo, data: bytes, redacted: bool
    ) -> bool:
        """A text in which a secret was found is kept without it; from other formats it cannot be
        taken out, so they are not kept."""
        if redacted:
            if not info.media_type.startswith("text/"):
                self._originals.delete(place, info.id)
                return False
            text = self._runtime.redactor.text(data.decode("utf-8", "replace"))
            data = text.encode("utf-8", "replace")
        self._originals.put(place, info.id, data)
        return True


class _Redaction:
    """Redacts blocks before they are cut, so that a cut cannot hide half of a secret."""

    def __init__(self, redactor: Redactor, tick: Tick) -> None:
        self._redactor = redactor
        self._tick = tick
        self._titles: dict[str, str] = {}
        self.changed = False

    def blocks(self, blocks: Iterable[Block]) -> Iterator[Block]:
        for block in blocks:
            self._tick(len(block.text))
            text = self._text(block.text)
            if text.strip():
                section = tuple(self._title(title) for title in block.section)
                yield replace(block, text=text, section=section)

    def _title(self, title: str) -> str:
        if title not in self._titles:
            self._titles = {title: one_line(self._text(title), MAX_TITLE_CHARS)} | (
                self._titles if len(self._titles) < BATCH else {}
            )
        return self._titles[title]

    def _text(self, text: str) -> str:
        text = storable(text)
        redacted = self._redactor.text(text)
        self.changed |= redacted != text
        return redacted


def _differs(new: Record, old: Record | None) -> bool:
    return old is None or (new.text, dict(new.data)) != (old.text, dict(old.data))
