"""Which records of a partition fit a caller's filters; known for each run of 4,096 records.

Reading metadata takes about a millisecond for a thousand records. With what is cached here, a write
to a large partition makes one run be read again and not all of them.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from functools import partial
from typing import TypeAlias

import apsw

from ...ports import FilterExpression
from .database import Database
from .filter_sql import BARE, GUARDED, compiled
from .segment_cache import SegmentCache

MAX_FILTERS = 32
MAX_BYTES = 2 << 20  # for each of them
RUN_BYTES = 100
MALFORMED = "malformed JSON"
Numbers: TypeAlias = "array[int]"


class FilterSegments:
    """The filters that were used longest ago are evicted first."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._caches: OrderedDict[FilterExpression, SegmentCache[Numbers]] = OrderedDict()

    def matching(self, no: int, filters: FilterExpression) -> list[int]:
        with self._cache_of(filters).reading(no) as (_, segments):
            runs = list(segments.newest_first())
        return [number for run in reversed(runs) for number in run]

    def _cache_of(self, filters: FilterExpression) -> SegmentCache[Numbers]:
        with self._lock:
            cache = self._caches.get(filters)
            if cache is None:
                load = partial(_load, filters)
                cache = SegmentCache(self._db, load, _size, MAX_BYTES)
                self._caches[filters] = cache
                if len(self._caches) > MAX_FILTERS:
                    self._caches.popitem(last=False)
            self._caches.move_to_end(filters)
            return cache

    def clear(self) -> None:
        with self._lock:
            self._caches.clear()


def _load(filters: FilterExpression, connection: apsw.Connection, low: int, high: int) -> Numbers:
    try:
        return _read(filters, connection, low, high, BARE)
    except apsw.SQLError as error:
        if MALFORMED not in str(error):
            raise
        return _read(filters, connection, low, high, GUARDED)


def _read(
    filters: FilterExpression, connection: apsw.Connection, low: int, high: int, data: str
) -> Numbers:
    condition, values = compiled(filters, data)
    rows = connection.execute(
        f"SELECT number FROM records WHERE number >= ? AND number < ? AND {condition} "
        "ORDER BY number",
        (low, high, *values),
    )
    return array("q", [number for (number,) in rows])


def _size(numbers: Numbers) -> int:
    return RUN_BYTES + 8 * len(numbers)
