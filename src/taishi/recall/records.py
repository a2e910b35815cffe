"""Records that were read of late: the few that matter in a chat matter again and again."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from ..ports import Store
from ..types import Place, Record

MAX_BYTES = 32 << 20
# Measured: 1,210 bytes for a record of 83 characters, its place in the dictionary included.
RECORD_BYTES = 1000

Wanted = Sequence[tuple[int, int]]  # number and revision


class Records:
    """Bounded in bytes; what was read longest ago leaves first."""

    def __init__(self, store: Store, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: dict[int, tuple[int, Record]] = {}
        self.nbytes = 0

    def known(self, wanted: Wanted) -> dict[int, Record]:
        """Those that are in memory, as they are in these revisions."""
        found = {}
        for number, revision in wanted:
            kept = self._kept.get(number)
            if kept is not None and kept[0] == revision:
                found[number] = kept[1]
        return found

    def read(self, wanted: Wanted, places: Collection[Place]) -> dict[int, Record]:
        """The same from the store, if they live in these places; this may hang."""
        found = self._store.fetch([number for number, _ in wanted], places)
        revisions = dict(wanted)
        with self._lock:
            for number, record in found.items():
                self._drop(number)
                self._kept[number] = revisions[number], record
                self.nbytes += _size(record)
            while self.nbytes > self._max_bytes:
                self._drop(next(iter(self._kept)))
        return found

    def _drop(self, number: int) -> None:
        kept = self._kept.pop(number, None)
        if kept is not None:
            self.nbytes -= _size(kept[1])

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.nbytes = 0


def _size(record: Record) -> int:
    return RECORD_BYTES + 2 * len(record.text)
