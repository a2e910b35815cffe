"""The records of a small place as bytes, by row: what is shown of it need not be read any more.

Bytes and not objects: a sixth of the memory, and nothing for the garbage collector to go through.
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

# A longer one is read from the store whenever it is shown: a few would take more than all others.
LARGEST = 8 << 10
TOO_LARGE = -1
# In the order of Record's own, which has the place second and the data last.
_own = attrgetter(*[field.name for field in fields(Record) if field.name not in ("place", "data")])


@dataclass(frozen=True, slots=True)
class _Book:
    """Where each row's bytes are. Bytes are only ever added."""

    bytes: bytearray
    starts: NDArray[np.int64]
    sizes: NDArray[np.int32]  # 0: not here; TOO_LARGE: nor will it be

    @staticmethod
    def empty() -> _Book:
        return _Book(bytearray(), np.zeros(0, np.int64), np.zeros(0, np.int32))

    def with_room(self, rows: int) -> _Book:
        used = len(self.sizes)
        if rows <= used:
            return self
        starts, sizes = grown(self.starts, rows, used), grown(self.sizes, rows, used)
        sizes[used:] = 0
        return _Book(self.bytes, starts, sizes)


class PartitionRecords:
    """Whoever writes takes a lock; readers need none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._book = _Book.empty()
        self.edition = 0  # goes up when all are cleared
        self.being_read = False

    def get(self, row: int, place: Partition) -> Record | None:
        book = self._book
        size = int(book.sizes[row]) if row < len(book.sizes) else 0
        if size <= 0:
            return None
        start = int(book.starts[row])
        id, *own, data = marshal.loads(book.bytes[start : start + size])
        values: list[Any] = [id, place, *own, EMPTY if data is None else data]
        return Record(*values)

    def put(self, rows: Sequence[int], records: Sequence[Record], edition: int) -> None:
        """What was read since `edition` began; nothing of it, if all were cleared meanwhile."""
        codes = [marshal.dumps((*_own(one), dict(one.data) or None)) for one in records]
        with self._lock:
            if edition != self.edition or not rows:
                return
            book = self._book = self._book.with_room(max(rows) + 1)
            for row, code in zip(rows, codes, strict=True):
                if len(code) > LARGEST:
                    book.sizes[row] = TOO_LARGE
                    continue
                book.starts[row] = len(book.bytes)
                book.bytes.extend(code)
                book.sizes[row] = len(code)  # last: a reader never sees one that is half written

    def lacking(self, rows: Rows) -> Rows:
        """Those that are not here and could be."""
        sizes = self._book.sizes
        known = rows[rows < len(sizes)]
        return np.concatenate([known[sizes[known] == 0], rows[rows >= len(sizes)]])

    def clear(self) -> None:
        with self._lock:
            self.edition += 1
            self._book = _Book.empty()

    @property
    def nbytes(self) -> int:
        book = self._book
        return len(book.bytes) + book.starts.nbytes + book.sizes.nbytes
