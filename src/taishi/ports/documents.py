"""Port to readers of documents: a file's bytes → its text in blocks, with sections and pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

BlockKind = Literal["text", "list", "table", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table or a piece of code, as plain text.

    `section` are the titles above it, the outermost first; `page` counts from 1, where the format
    has pages.
    """

    text: str
    section: tuple[str, ...] = ()
    page: int | None = None
    kind: BlockKind = "text"


@dataclass(frozen=True, slots=True)
class Document:
    """A document that is being read. `blocks` may be read once; a fault that shows late is raised
    from it as a `DocumentError`. `warnings` are complete when the blocks were read: sentences about
    what could not be read, such as scanned pages."""

    title: str
    media_type: str
    blocks: Iterator[Block]
    warnings: list[str] = field(default_factory=list)


class DocumentReader(Protocol):
    """Reads one file; nothing in it is executed or fetched."""

    def read(self, name: str, data: bytes) -> Document:
        """`name` is the file's name: its ending tells the format where the content does not. Raises
        `DocumentError` with a reason that a person understands; `MissingExtraError` with the pip
        line if a library is not installed."""
