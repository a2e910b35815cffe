"""Models for documents."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from ...ports.knowledge import DocumentChunk, DocumentInfo
from .common import Data, ResponseModel, ScopedIn, ScopeQuery, to_utc


class DocumentQuery(ScopeQuery):
    """What a document is called. The body is the file itself."""

    name: str = Field(max_length=256, examples=["handbook.pdf"])


class KnowledgeIn(ScopedIn):
    """A question to documents, from a scope. Only what that scope may see is found."""

    query: str = Field(max_length=20_000, examples=["How long is the warranty?"])
    top_k: int = Field(default=5, ge=1, le=100)
    neighbours: int | None = Field(
        default=None,
        ge=0,
        le=10,
        description="Chunks around each match; as in the settings if left out.",
    )
    documents: list[str] | None = Field(
        default=None, max_length=1000, description="Ids or names to search in; all if left out."
    )
    deadline: float | None = Field(
        default=None, ge=0, le=60, description="Seconds; late paths are left out."
    )
    floor: float | None = Field(
        default=None, ge=0, le=1, description="Minimum similarity; 0: none."
    )


class DocumentOut(ResponseModel):
    """A document of the knowledge base."""

    id: str
    name: str
    title: str
    media_type: str
    sha256: str = Field(description="Of the file as it was sent.")
    size: int
    chunks: int
    state: str = Field(description="ready, or importing: if it stays so, send the file again.")
    added: datetime | None
    folder: str
    original: bool = Field(description="Whether the file is kept.")
    summary: str
    summary_by: str = Field(description="extract: its first sentences; or model.")
    warnings: list[str] = Field(description="What could not be read of it, such as scanned pages.")
    metadata: Data

    @classmethod
    def of(cls, info: DocumentInfo) -> DocumentOut:
        names = (name for name in cls.model_fields if name not in ("added", "metadata"))
        return cls(
            added=to_utc(info.added),
            metadata=dict(info.metadata),
            **{name: getattr(info, name) for name in names},
        )


class AddedOut(ResponseModel):
    """The document as it was stored; null where memory is off."""

    document: DocumentOut | None


class DocumentsOut(ResponseModel):
    """The documents of a scope's partition, by name."""

    documents: list[DocumentOut]


class ChunksQuery(ScopeQuery):
    start: int = Field(default=0, ge=0, le=1_000_000, description="The number of the first one.")
    limit: int = Field(default=100, ge=1, le=1000)


class OriginalQuery(ScopeQuery):
    link: bool = Field(default=False, description="Redirect to the file's address, if it is in S3.")


class ChunkOut(ResponseModel):
    """A passage of a document, as it is searched."""

    id: str
    number: int
    text: str
    section: list[str] = Field(description="The titles above it.")
    page: int | None

    @classmethod
    def of(cls, chunk: DocumentChunk) -> ChunkOut:
        return cls(
            id=chunk.id,
            number=chunk.number,
            text=chunk.text,
            section=list(chunk.section),
            page=chunk.page,
        )


class ChunksOut(ResponseModel):
    """In the order of the document."""

    chunks: list[ChunkOut]
