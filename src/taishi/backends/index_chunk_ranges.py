"""Chunks of 1,024 record numbers: which column batch of the index a record is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .record_rows import PLACE_BITS

CHUNK_BITS = 10
CHUNK_ROWS = 1 << CHUNK_BITS
NO_MODEL = ""


def chunks_of_numbers(numbers: Iterable[int]) -> set[int]:
    return {number >> CHUNK_BITS for number in numbers}


def chunks_of(no: int) -> tuple[int, int]:
    """The chunks of a partition: the first, and the one after the last."""
    shift = PLACE_BITS - CHUNK_BITS
    return no << shift, (no + 1) << shift


def numbers_of(chunk: int) -> tuple[int, int]:
    """The numbers in a chunk: the first, and the one after the last."""
    return chunk << CHUNK_BITS, (chunk + 1) << CHUNK_BITS


def gaps(no: int, chunks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ranges of numbers (both ends exclusive) that no batch covers."""
    after = (no << PLACE_BITS) - 1
    for chunk in chunks:
        first, last = numbers_of(chunk)
        if first > after + 1:
            yield after, first
        after = last - 1
    yield after, (no + 1) << PLACE_BITS
