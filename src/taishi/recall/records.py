"""Records that were read of late: the few that matter in a chat matter again and again."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from ..ports import Store
from ..types import Place, Record

MAX_BYTES = 16 << 20
# Measured: 1,210 bytes for a record of 83 characters, its place in the dictionary included.
RECORD_BYTES = 1000

Wanted = Sequence[tuple[int, int]]  # number and revision


class Records:
    """Bounded in bytes; what was read longest ago leaves first."""

    def __init__(self, store: Store, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, int], Record] = {}
        self.nbytes = 0

    def known(self, wanted: Wanted) -> dict[int, Record]:
        """Those that are in memory, as they are in these revisions."""
        found = {}
        for one in wanted:
            record = self._kept.get(one)
            if record is not None:
                found[one[0]] = record
        return found

    def read(self, wanted: Wanted, places: Collection[Place]) -> dict[int, Record]:
        """The same from the store, if they live in these places; this may hang."""
        found = self._store.fetch([number for number, _ in wanted], places)
        with self._lock:
            for one in wanted:
                record = found.get(one[0])
                if record is not None and one not in self._kept:
                    self._kept[one] = record
                    self.nbytes += _size(record)
            while self.nbytes > self._max_bytes:
                self.nbytes -= _size(self._kept.pop(next(iter(self._kept))))
        return found

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.nbytes = 0


def _size(record: Record) -> int:
    return RECORD_BYTES + 2 * len(record.text)
