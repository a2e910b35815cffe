"""Writes packs of a partition's rows in the background, so that the next cold start is short."""

from __future__ import annotations

from collections.abc import Sequence

from ..ports import Store
from .column_batch import ColumnBatch

# A smaller partition is loaded within a deadline without packs.
WORTH_PACKING = 4096
# Half a megabyte each; few at a time, so that other writes are not delayed.
PACKS_AT_ONCE = 4


def pack_some(
    store: Store, no: int, model: str | None, dimensions: int, outdated: Sequence[int]
) -> bool:
    """Pack a few chunks of a partition, first those whose pack is `outdated`. True: there may be
    more."""
    seq, chunks = store.unpacked(no, model, PACKS_AT_ONCE)
    packs = []
    for chunk in [*outdated, *chunks][:PACKS_AT_ONCE]:
        rows = store.chunk_rows(chunk, model)
        if rows:
            packs.append((chunk, ColumnBatch.of(rows, dimensions).packed()))
    return bool(packs) and store.put_packs(seq, model, packs) == len(packs) == PACKS_AT_ONCE
