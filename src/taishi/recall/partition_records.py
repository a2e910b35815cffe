"""A cache of all records of a small partition, serialised, by row.

Bytes and not objects: a sixth of the memory, and nothing for the garbage collector to scan.
"""

from __future__ import annotations

import marshal
import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import EMPTY, Partition, Record
from .columns import grown
from .topk import Rows

# Longer records are not cached: a few would take more memory than all others.
LARGEST = 8 << 10
TOO_LARGE = -1
# In the order of Record's own, which has the place second and the data last.
_own = attrgetter(*[field.name for field in fields(Record) if field.name not in ("place", "data")])


@dataclass(frozen=True, slots=True)
class _Buffer:
    """Where each row's bytes are. Append-only."""

    bytes: bytearray
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]  # 0: not cached; TOO_LARGE: never will be

    @staticmethod
    def empty() -> _Buffer:
        return _Buffer(bytearray(), np.zeros(0, np.int64), np.zeros(0, np.int32))

    def with_room(self, rows: int) -> _Buffer:
        used = len(self.sizes)
        if rows <= used:
            return self
        starts, sizes = grown(self.starts, rows, used), grown(self.sizes, rows, used)
        sizes[used:] = 0
        return _Buffer(self.bytes, starts, sizes)


class PartitionRecords:
    """Writers take a lock; readers need none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffer = _Buffer.empty()
        self.generation = 0  # incremented when all are cleared
        self.is_loading = False

    def get(self, row: int, place: Partition) -> Record | None:
        buffer = self._buffer
        size = int(buffer.sizes[row]) if row < len(buffer.sizes) else 0
        if size <= 0:
            return None
        start = int(buffer.starts[row])
        id, *own, data = marshal.loads(buffer.bytes[start : start + size])
        values: list[Any] = [id, place, *own, EMPTY if data is None else data]
        return Record(*values)

    def put(self, rows: Sequence[int], records: Sequence[Record], generation: int) -> None:
        """Cache records read during `generation`; nothing, if the cache was cleared since."""
        codes = [marshal.dumps((*_own(one), dict(one.data) or None)) for one in records]
        with self._lock:
            if generation != self.generation or not rows:
                return
            buffer = self._buffer = self._buffer.with_room(max(rows) + 1)
            for row, code in zip(rows, codes, strict=True):
                if len(code) > LARGEST:
                    buffer.sizes[row] = TOO_LARGE
                    continue
                buffer.starts[row] = len(buffer.bytes)
                buffer.bytes.extend(code)
                buffer.sizes[row] = len(code)  # last: a reader never sees one that is half written

    def missing(self, rows: Rows) -> Rows:
        """The rows that are not cached and could be."""
        sizes = self._buffer.sizes
        known = rows[rows < len(sizes)]
        return np.concatenate([known[sizes[known] == 0], rows[rows >= len(sizes)]])

    def clear(self) -> None:
        with self._lock:
            self.generation += 1
            self._buffer = _Buffer.empty()

    @property
    def nbytes(self) -> int:
        buffer = self._buffer
        return len(buffer.bytes) + buffer.starts.nbytes + buffer.sizes.nbytes
