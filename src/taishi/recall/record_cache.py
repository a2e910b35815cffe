"""A cache of the records that hits are made of.

The few that matter in a chat matter again and again. All records of a small partition are cached
soon after the first request (see partition_records.py), of a large one those read recently.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from functools import partial

from ..ports import Store
from ..ports.candidates import RecordsByNumber, RunBlocking
from ..types import Record
from .candidates import CandidatePool
from .index_cache import RECORD_BATCH, IndexCache
from .topk import Rows

MAX_BYTES = 16 << 20
# Measured: 1,210 bytes for a record of 83 characters, with its entry in the dictionary.
RECORD_BYTES = 1000

Identity = tuple[int, int]  # number and revision


class RecordCache:
    """Recently read records; bounded in bytes, the oldest are evicted first."""

    def __init__(self, store: Store, indexes: IndexCache, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._indexes = indexes
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._cache: dict[Identity, Record] = {}
        self.nbytes = 0

    def fetch(self, pool: CandidatePool, run_blocking: RunBlocking, rows: Rows) -> RecordsByNumber:
        """The records of some rows, without those that were removed. `run_blocking` reads from the
        store what is not in memory."""
        wanted = pool.identities(rows)
        records = self._cached(wanted)
        if len(records) < len(wanted):
            records |= self._from_partitions(pool, rows, wanted, records)
        if len(records) < len(wanted):
            records |= run_blocking(partial(self._read, pool, rows, wanted, records))
            for view in pool.views:
                if view.index.holds_all:
                    self._indexes.cache_records(view.place, view.index)
        return records

    def _cached(self, wanted: Sequence[Identity]) -> RecordsByNumber:
        records = {}
        for identity in wanted:
            record = self._cache.get(identity)
            if record is not None:
                records[identity[0]] = record
        return records

    def _from_partitions(
        self, pool: CandidatePool, rows: Rows, wanted: Sequence[Identity], known: Collection[int]
    ) -> RecordsByNumber:
        """Those of small partitions."""
        records = {}
        for (number, _), (view, row) in zip(wanted, pool.located(rows), strict=True):
            if number not in known and (record := view.index.records_cache.get(row, view.place)):
                records[number] = record
        self._put(wanted, records)
        return records

    def _read(
        self, pool: CandidatePool, rows: Rows, wanted: Sequence[Identity], known: Collection[int]
    ) -> RecordsByNumber:
        """What is not cached. A tiny partition is read whole, which takes hardly longer."""
        records: RecordsByNumber = {}
        tiny = [
            view for view in pool.views if view.index.holds_all and view.index.rows <= RECORD_BATCH
        ]
        for view in tiny:
            self._indexes.load_records(view.place, view.index)
        if tiny:
            records = self._from_partitions(pool, rows, wanted, known)
        missing = [one for one in wanted if one[0] not in known and one[0] not in records]
        if missing:
            partitions = {view.place for view in pool.views}
            read = self._store.fetch([number for number, _ in missing], partitions)
            self._put(missing, read)
            records |= read
        return records

    def _put(self, identities: Sequence[Identity], records: RecordsByNumber) -> None:
        with self._lock:
            for identity in identities:
                record = records.get(identity[0])
                if record is not None and identity not in self._cache:
                    self._cache[identity] = record
                    self.nbytes += _size(record)
            while self.nbytes > self._max_bytes:
                self.nbytes -= _size(self._cache.pop(next(iter(self._cache))))

    def clear(self) -> None:
        with self._lock:
            self._cache.clear()
            self.nbytes = 0


def _size(record: Record) -> int:
    return RECORD_BYTES + 2 * len(record.text)
