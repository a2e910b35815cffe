"""A document's manifest and its chunks as records.

The manifest is a record of kind `document`, a chunk one of kind `chunk`, both in the partition of
their scope: so they are exported, imported, backed up, forgotten and rescanned like any other
record. Ids are computed from the document's name and the chunk's number: whoever imports the same
file again, after a kill, too, writes over what is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from ..language.chunking import Chunk
from ..ports.knowledge import DocumentChunk, DocumentInfo
from ..types import Partition, Record

DOCUMENT = "document"
CHUNK = "chunk"
SEPARATOR = " › "
# What a manifest has besides if the document is a note: its text and version, and those before.
NOTE = "note"
EARLIER = "earlier_notes"
DIGITS = 6
MAX_CHUNKS = 10**DIGITS
# As many chunks share the beginning of their ids: they are read, compared and written together.
BATCH_DIGITS = 3
BATCH = 10**BATCH_DIGITS


def document_id(name: str) -> str:
    """Of the document with this name; each partition has its own."""
    return f"{DOCUMENT}:{hashlib.sha256(name.encode()).hexdigest()[:24]}"


def chunk_prefix(document: str) -> str:
    """What the ids of all its chunks begin with."""
    return f"{CHUNK}:{document.partition(':')[2]}:"


def chunk_id(document: str, number: int) -> str:
    return f"{chunk_prefix(document)}{number:0{DIGITS}}"


def batch_prefix(document: str, number: int) -> str:
    """What the ids of the chunks of one batch begin with."""
    return chunk_id(document, number)[:-BATCH_DIGITS]


def heading(title: str, section: tuple[str, ...]) -> str:
    """The titles above a chunk in one line; a document often repeats its own as its first."""
    titles = [title, *section] if title and title not in section[:1] else [*section]
    return SEPARATOR.join(one for one in titles if one)


def chunk_record(info: DocumentInfo, place: Partition, number: int, chunk: Chunk) -> Record:
    """The titles are a part of the text, so that their words are searched and embedded."""
    head = heading(info.title, chunk.section)
    data: dict[str, Any] = {
        "document": info.id,
        "name": info.name,
        "number": number,
        "section": list(chunk.section),
        "heading": len(head) + 1 if head else 0,
    }
    if chunk.page is not None:
        data["page"] = chunk.page
    return Record(
        id=chunk_id(info.id, number),
        place=place,
        kind=CHUNK,
        text=f"{head}\n{chunk.text}" if head else chunk.text,
        data=data,
    )


def body_of(text: str, data: Mapping[str, Any]) -> str:
    """A chunk's text without the titles above it."""
    length = data.get("heading")
    return text[length:] if isinstance(length, int) and 0 < length < len(text) else text


def document_chunk(record: Record) -> DocumentChunk:
    """Of a chunk that may come from somebody else's export."""
    data = record.data
    section, page = data.get("section"), data.get("page")
    titles = section if isinstance(section, list) else []
    return DocumentChunk(
        id=record.id,
        number=_number(data, "number"),
        text=body_of(record.text, data),
        section=tuple(one for one in titles if isinstance(one, str)),
        page=page if type(page) is int else None,
    )


def document_record(info: DocumentInfo, place: Partition) -> Record:
    data: dict[str, Any] = {
        **info.metadata,
        "name": info.name,
        "title": info.title,
        "media_type": info.media_type,
        "sha256": info.sha256,
        "size": info.size,
        "chunks": info.chunks,
        "import_state": info.state,
        "folder": info.folder,
        "original": info.original,
        "summary_by": info.summary_by,
        "warnings": list(info.warnings),
    }
    text = "\n".join(part for part in (info.title or info.name, info.summary) if part)
    return Record(id=info.id, place=place, kind=DOCUMENT, text=text, created=info.added, data=data)


FIELDS = frozenset(
    """name title media_type sha256 size chunks import_state folder original summary_by
    warnings""".split()
)


def document_info(record: Record) -> DocumentInfo:
    """Of a manifest that may come from somebody else's export."""
    data = record.data
    return DocumentInfo(
        id=record.id,
        name=_text(data, "name"),
        title=_text(data, "title"),
        media_type=_text(data, "media_type"),
        sha256=_text(data, "sha256"),
        size=_number(data, "size"),
        chunks=_number(data, "chunks"),
        state="ready" if data.get("import_state") == "ready" else "importing",
        added=record.created,
        folder=_text(data, "folder"),
        original=data.get("original") is True,
        summary=record.text.partition("\n")[2],
        summary_by=_text(data, "summary_by"),
        warnings=_texts(data, "warnings"),
        metadata={key: value for key, value in data.items() if key not in FIELDS},
    )


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _number(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key)
    return value if type(value) is int and value >= 0 else 0
