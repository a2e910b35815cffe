"""Originals by today's redaction rules (R1): a text without its secrets; other formats not at all,
if a secret is in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..errors import TaishiError
from ..language.redaction.redactor import Redactor
from ..language.text import storable
from ..ports import DocumentReader, Store
from ..types import Edit, Partition, Record
from .manifest import DOCUMENT
from .originals import Originals

MOST = 1_000_000


def redacted_bytes(redactor: Redactor, data: bytes) -> bytes:
    """Bytes that are text in UTF-8, without secrets; others as they are."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    redacted = redactor.text(text)
    return data if redacted == text else redacted.encode("utf-8", "replace")


def holds_secret(redactor: Redactor, reader: DocumentReader, name: str, data: bytes) -> bool:
    """Whether a secret is in the text of a document. One that cannot be read any more may hold
    anything."""
    try:
        texts = (storable(block.text) for block in reader.read(name, data).blocks)
        return any(redactor.text(text) != text for text in texts)
    except TaishiError:
        return True


def rescan_originals(
    store: Store, originals: Originals, reader: DocumentReader, redactor: Redactor, place: Partition
) -> Iterator[bool]:
    """For each document of a partition, whether its file changed."""
    for record in store.find(place, (DOCUMENT,), None, MOST, f"{DOCUMENT}:"):
        data = originals.get(place, record.id)
        if data is not None:
            yield _rescan(store, originals, reader, redactor, record, data)


def _rescan(
    store: Store,
    originals: Originals,
    reader: DocumentReader,
    redactor: Redactor,
    record: Record,
    data: bytes,
) -> bool:
    cleaned = redacted_bytes(redactor, data)
    if cleaned != data:
        originals.put(record.place, record.id, cleaned)
        return True
    if str(record.data.get("media_type")).startswith("text/"):
        return False
    if not holds_secret(redactor, reader, str(record.data.get("name")), data):
        return False
    originals.delete(record.place, record.id)
    store.apply([Edit("put", replace(record, data={**record.data, "original": False}))])
    return True
