"""Cuts the blocks of a document into chunks that fit an embedder, along its structure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..ports.documents import Block


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document that is searched and quoted as one."""

    text: str
    section: tuple[str, ...] = ()
    page: int | None = None


def chunks(blocks: Iterable[Block], max_tokens: int, overlap_chars: int) -> Iterator[Chunk]:
    """One chunk a block."""
    for block in blocks:
        yield Chunk(block.text, block.section, block.page)
