"""A cache of the records that hits are made of.

The few that matter in a chat matter again and again. All records of a small partition are cached
soon after the first request (see partition_records.py), of a large one those read recently.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from functools import partial

from ..ports import Store
from ..types import Record
from .candidates import CandidatePool
from .index_cache import RECORD_BATCH, IndexCache
from .topk import Rows

MAX_BYTES = 16 << 20
# Measured: 1,210 bytes for a record of 83 characters, its place in the dictionary included.
RECORD_BYTES = 1000

Found = dict[int, Record]  # by number
Wanted = Sequence[tuple[int, int]]  # number and revision


class RecordCache:
    """Recently read records; bounded in bytes, the oldest are evicted first."""

    def __init__(self, store: Store, indexes: IndexCache, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._indexes = indexes
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, int], Record] = {}
        self.nbytes = 0

    def of(
        self, pool: CandidatePool, run_blocking: Callable[[Callable[[], Found]], Found], rows: Rows
    ) -> Found:
        """The records of some rows, without those that were removed. `run_blocking` reads from the
        store what is not in memory."""
        wanted = pool.identities(rows)
        found = self._known(wanted)
        if len(found) < len(wanted):
            found |= self._from_partitions(pool, rows, wanted, found)
        if len(found) < len(wanted):
            found |= run_blocking(partial(self._read, pool, rows, wanted, found))
            for view in pool.views:
                self._indexes.cache_records(view.place, view.index)
        return found

    def _from_partitions(
        self, pool: CandidatePool, rows: Rows, wanted: Wanted, known: Collection[int]
    ) -> Found:
        found = {}
        for (number, _), (view, row) in zip(wanted, pool.located(rows), strict=True):
            if number not in known and (record := view.index.records_cache.get(row, view.place)):
                found[number] = record
        self._keep(wanted, found)
        return found

    def _known(self, wanted: Wanted) -> Found:
        found = {}
        for one in wanted:
            record = self._kept.get(one)
            if record is not None:
                found[one[0]] = record
        return found

    def _read(
        self, pool: CandidatePool, rows: Rows, wanted: Wanted, known: Collection[int]
    ) -> Found:
        """What is not cached. A tiny partition is read whole, which takes hardly longer."""
        found: Found = {}
        tiny = [view for view in pool.views if view.index.rows <= RECORD_BATCH]
        for view in tiny:
            self._indexes.load_records(view.place, view.index)
        if tiny:
            found = self._from_partitions(pool, rows, wanted, known)
        rest = [one for one in wanted if one[0] not in known and one[0] not in found]
        if rest:
            places = {view.place for view in pool.views}
            read = self._store.fetch([number for number, _ in rest], places)
            self._keep(rest, read)
            found |= read
        return found

    def _keep(self, wanted: Wanted, found: Found) -> None:
        with self._lock:
            for one in wanted:
                record = found.get(one[0])
                if record is not None and one not in self._kept:
                    self._kept[one] = record
                    self.nbytes += _size(record)
            while self.nbytes > self._max_bytes:
                self.nbytes -= _size(self._kept.pop(next(iter(self._kept))))

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self.nbytes = 0


def _size(record: Record) -> int:
    return RECORD_BYTES + 2 * len(record.text)
