"""Removes a document with all that belongs to it: original, chunks, manifest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ports import Store
from ..types import Edit, Partition, Record
from .manifest import BATCH, CHUNK, DOCUMENT, MAX_CHUNKS, chunk_prefix
from .originals import Originals


def remove_document(store: Store, originals: Originals, place: Partition, id: str) -> int:
    """How many records went. The manifest goes last: killed on the way, it is done again."""
    originals.delete(place, id)
    removed = remove_chunks(store, place, id)
    there = store.get(place, id) is not None
    store.apply([Edit("remove", place=place, id=id)])
    return removed + there


def is_of_document(record: Record) -> bool:
    return record.kind == DOCUMENT or (record.kind == CHUNK and "document" in record.data)


def forget_document(
    store: Store, originals: Originals, record: Record, note: Callable[[Sequence[Record]], None]
) -> tuple[Record, ...]:
    """A document, or one chunk: then its document's file goes, which has the same words. What went
    with the record; `note` is told before it goes."""
    place, document = record.place, str(record.data.get("document") or record.id)
    originals.delete(place, document)
    if record.kind == CHUNK:
        manifest = store.get(place, document)
        if manifest is not None and manifest.kind == DOCUMENT:
            store.apply([Edit("put", replace(manifest, data={**manifest.data, "original": False}))])
        note(())
        store.erasure.forget_record(place, record.id)
        return ()
    chunks = tuple(store.find(place, (CHUNK,), None, MAX_CHUNKS, chunk_prefix(document)))
    note(chunks)
    remove_document(store, originals, place, document)
    return chunks


def remove_chunks(store: Store, place: Partition, id: str, first: int = 0) -> int:
    """Those from number `first` on."""
    found = store.find(place, (CHUNK,), None, MAX_CHUNKS, chunk_prefix(id))
    gone = [one.id for one in found if _number(one.id) >= first]
    for at in range(0, len(gone), BATCH):
        store.apply([Edit("remove", place=place, id=one) for one in gone[at : at + BATCH]])
    return len(gone)


def _number(id: str) -> int:
    tail = id.rpartition(":")[2]
    return int(tail) if tail.isdecimal() else 0
