"""Which records of a partition a caller's filters ask for: read from the store, and cached.

The answer is applied as a mask before anything is ranked, so that ten records among a hundred
thousand are found. It holds as long as the partition's change count is the same.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from ..domain.filter_matching import matches
from ..ports import FilterExpression, PartitionState, RecordFilter, Store
from ..types import Partition, Record
from .partition_index import PartitionIndex
from .topk import Mask, Rows

MAX_BYTES = 16 << 20
ENTRY_BYTES = 1000  # of a key; the filters in it are bounded
Key = tuple[int, int, FilterExpression]
Numbers = Mapping[Partition, Rows]


class FilterMatches:
    """Bounded in bytes; what was asked longest ago is evicted first."""

    def __init__(self, store: Store, max_bytes: int = MAX_BYTES) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._numbers: OrderedDict[Key, Rows] = OrderedDict()
        self._bytes = 0

    def cached(
        self, filters: FilterExpression, states: Mapping[Partition, PartitionState]
    ) -> Numbers | None:
        """The numbers of the records by partition, if all are cached; does not block."""
        with self._lock:
            found = {place: self._get(filters, state) for place, state in states.items()}
        known = {place: rows for place, rows in found.items() if rows is not None}
        return known if len(known) == len(found) else None

    def read(
        self, filters: FilterExpression, states: Mapping[Partition, PartitionState]
    ) -> Numbers:
        """The same; the store is asked for what is not cached."""
        return {place: self._read(filters, place, state) for place, state in states.items()}

    def in_memory(
        self,
        filters: FilterExpression,
        indexes: Mapping[Partition, PartitionIndex],
        states: Mapping[Partition, PartitionState],
    ) -> Numbers:
        """The same while the store is away: of what is not cached, the records in memory are
        compared one by one, and those that are not there are left out."""
        found = {}
        for place, index in indexes.items():
            with self._lock:
                known = self._get(filters, states[place])
            found[place] = _matching(filters, place, index) if known is None else known
        return found

    def _get(self, filters: FilterExpression, state: PartitionState) -> Rows | None:
        key = (state.no, state.seq, filters)
        rows = self._numbers.get(key)
        if rows is not None:
            self._numbers.move_to_end(key)
        return rows

    def _read(self, filters: FilterExpression, place: Partition, state: PartitionState) -> Rows:
        with self._lock:
            known = self._get(filters, state)
        if known is not None:
            return known
        rows: Rows = np.array(self._store.browse.matching(place, filters), np.int64)
        with self._lock:
            self._put((state.no, state.seq, filters), rows)
        return rows

    def _put(self, key: Key, rows: Rows) -> None:
        if key not in self._numbers:
            self._bytes += rows.nbytes + ENTRY_BYTES
        self._numbers[key] = rows
        while self._bytes > self._max_bytes:
            self._bytes -= self._numbers.popitem(last=False)[1].nbytes + ENTRY_BYTES

    def clear(self) -> None:
        """A filter may name what was forgotten."""
        with self._lock:
            self._numbers.clear()
            self._bytes = 0


def _matching(filters: FilterExpression, place: Partition, index: PartitionIndex) -> Rows:
    rows = index.alive(index.rows).tolist()
    records = [index.records_cache.get(row, place) for row in rows]
    pairs = zip(index.identities(rows), records, strict=True)
    found = [number for (number, _), record in pairs if record and matches(filters, record)]
    return np.array(sorted(found), np.int64)


def among(numbers: Rows, allowed: Rows) -> Mask:
    """Which of these numbers are in `allowed`, which is in ascending order."""
    if not len(allowed):
        return np.zeros(len(numbers), np.bool_)
    at = allowed.searchsorted(numbers)
    found: Mask = allowed.take(at, mode="clip") == numbers
    return found


def is_wanted(record: Record, wanted: RecordFilter) -> bool:
    """Whether a record that was read fits the filters and is not to be deleted by now."""
    is_there = record.expires is None or record.expires > wanted.now
    return is_there and matches(wanted.filters, record)
