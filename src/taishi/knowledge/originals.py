"""The files of documents as they were given, by partition and document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..ports import FileStore, Store
from ..types import Partition, Record

MAX_DOCUMENTS = 1_000_000


class Originals:
    """A partition is a hash in the keys: its id is nobody's business who sees the store."""

    def __init__(self, files: FileStore) -> None:
        self._files = files

    def put(self, place: Partition, document: str, data: bytes) -> None:
        self._files.put(_key(place, document), data)

    def get(self, place: Partition, document: str) -> bytes | None:
        return self._files.get(_key(place, document))

    def delete(self, place: Partition, document: str) -> bool:
        return self._files.delete(_key(place, document))

    def delete_all(self, place: Partition) -> int:
        return sum(self._files.delete(key) for key in self._files.list(f"{_folder(place)}/"))

    def link(self, place: Partition, document: str, seconds: float) -> str | None:
        """An address that gives the file to anybody for so long; None: the store gives none."""
        return self._files.link(_key(place, document), seconds)

    def check(self, place: Partition) -> None:
        """Raises StorageError if the store does not answer. One on the disk is not asked."""
        if self._files.where:
            self._files.exists(f"{_folder(place)}/check")

    def count(self, place: Partition) -> int:
        return len(self._files.list(f"{_folder(place)}/"))

    def documents(self, place: Partition) -> Iterator[str]:
        """The ids of the documents whose files are here."""
        for key in self._files.list(f"{_folder(place)}/"):
            yield f"document:{key.rpartition('/')[2]}"


def is_kept(record: Record) -> bool:
    """Whether a record is a document's manifest that says that its file is kept."""
    return record.kind == "document" and record.data.get("original") is True


def forget_originals(originals: Originals, home: Partition, records: Iterable[Record]) -> None:
    """All of a partition, and those of other partitions whose documents are among the records."""
    originals.delete_all(home)
    for record in records:
        if record.kind == "document":
            originals.delete(record.place, record.id)


@dataclass(frozen=True, slots=True)
class OriginalsCheck:
    """`lost`: keys of files whose documents are not there any more. `missing`: names of documents
    whose files are not in this store."""

    lost: tuple[str, ...]
    missing: tuple[str, ...]


def check_originals(store: Store, files: FileStore) -> OriginalsCheck:
    documents = {
        _key(place, record.id): record
        for place, _ in store.places()
        for record in store.find(place, ("document",), None, MAX_DOCUMENTS, "document:")
    }
    there = files.list()
    absent = documents.keys() - set(there)
    return OriginalsCheck(
        tuple(key for key in there if key not in documents),
        tuple(name_of(documents[key]) for key in sorted(absent) if is_kept(documents[key])),
    )


def place_of_files(files: FileStore) -> str:
    return files.where or "the memory's own store"


def name_of(document: Record) -> str:
    return str(document.data.get("name"))[:80]


def _folder(place: Partition) -> str:
    named = "\0".join((place.workspace, place.kind, place.id))
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _key(place: Partition, document: str) -> str:
    return f"{_folder(place)}/{document.partition(':')[2]}"
