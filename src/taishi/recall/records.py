"""Records that were read of late: the few that matter in a chat matter again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence

from ..ports import Store
from ..types import Place, Record

MAX_BYTES = 32 << 20
# Measured: the objects of a record without its words.
RECORD_BYTES = 1000

Wanted = Sequence[tuple[int, int]]  # number and revision


class Records:
    """Bounded in bytes; what was asked for longest ago leaves first."""

    def __init__(self, store: Store, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, tuple[int, Record]] = OrderedDict()

    def known(self, wanted: Wanted, places: Collection[Place]) -> dict[int, Record]:
        """Those that are in memory, as they are in these revisions."""
        found = {}
        with self._lock:
            for number, revision in wanted:
                kept = self._kept.get(number)
                if kept is not None and kept[0] == revision and kept[1].place in places:
                    found[number] = kept[1]
                    self._kept.move_to_end(number)
        return found

    def read(self, wanted: Wanted, places: Collection[Place]) -> dict[int, Record]:
        """The same from the store; this may hang."""
        found = self._store.fetch([number for number, _ in wanted], places)
        self._keep(dict(wanted), found)
        return found

    def _keep(self, revisions: Mapping[int, int], records: Mapping[int, Record]) -> None:
        with self._lock:
            for number, record in records.items():
                self._drop(number)
                self._kept[number] = revisions[number], record
                self._bytes += _size(record)
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._kept)))

    def _drop(self, number: int) -> None:
        kept = self._kept.pop(number, None)
        if kept is not None:
            self._bytes -= _size(kept[1])

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    @property
    def nbytes(self) -> int:
        return self._bytes


def _size(record: Record) -> int:
    return RECORD_BYTES + 2 * len(record.text)
