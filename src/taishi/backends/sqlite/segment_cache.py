"""Results computed from runs of 4,096 records, cached until one of these records changes.

A write to a partition with 100,000 records makes one run be read again, not all of them. What
changed is read from the table of changes, so writes of other processes count as well.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import apsw

from .database import Database

SEGMENT_BITS = 12
PLACE_BITS = 32
MAX_PARTITIONS = 256

V = TypeVar("V")


@dataclass(slots=True)
class _Partition:
    """`seq` is the change count up to which its segments are valid. The lock is taken before a
    snapshot of the database is: snapshots of one partition never go back in time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    seq: int = -1
    segments: dict[int, None] = field(default_factory=dict)


class SegmentCache(Generic[V]):
    """`load` reads the records with low <= number < high; `size_of` is what a result weighs. The
    least recently used results are evicted first. A result that alone exceeds the limit is computed
    each time."""

    def __init__(
        self,
        db: Database,
        load: Callable[[apsw.Connection, int, int], V],
        size_of: Callable[[V], int],
        max_bytes: int,
    ) -> None:
        self._db = db
        self._load = load
        self._size_of = size_of
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._partitions: OrderedDict[int, _Partition] = OrderedDict()
        self._results: OrderedDict[tuple[int, int], tuple[V, int]] = OrderedDict()
        self._total = 0

    @contextmanager
    def reading(self, no: int) -> Iterator[tuple[apsw.Connection, Segments[V]]]:
        """A read transaction, and the segments of a partition as of its snapshot."""
        with self._lock:
            partition = self._partitions.setdefault(no, _Partition())
            self._partitions.move_to_end(no)
        # apsw's `with connection` is a transaction: everything below sees one moment.
        with partition.lock, self._db.reading() as connection, connection:
            self._drop_changed(connection, no, partition)
            yield connection, Segments(self, connection, no, partition)
        self._evict_partitions(no)

    def _drop_changed(self, connection: apsw.Connection, no: int, partition: _Partition) -> None:
        state = connection.execute("SELECT seq, floor FROM places WHERE no = ?", (no,)).get
        seq, floor = state or (0, 0)
        if seq == partition.seq:
            return
        if not floor <= partition.seq < seq:
            self._drop(no, partition, list(partition.segments))
        else:
            changed = connection.execute(
                "SELECT DISTINCT number >> ? FROM changes WHERE place = ? AND seq > ?",
                (SEGMENT_BITS, no, partition.seq),
            ).fetchall()
            self._drop(no, partition, [segment for (segment,) in changed])
        partition.seq = seq

    def _drop(self, no: int, partition: _Partition, segments: list[int]) -> None:
        with self._lock:
            for segment in segments:
                partition.segments.pop(segment, None)
                found = self._results.pop((no, segment), None)
                self._total -= found[1] if found else 0

    def get(self, connection: apsw.Connection, no: int, partition: _Partition, segment: int) -> V:
        with self._lock:
            found = self._results.get((no, segment))
            if found is not None:
                self._results.move_to_end((no, segment))
                return found[0]
        value = self._load(connection, segment << SEGMENT_BITS, (segment + 1) << SEGMENT_BITS)
        self._put(no, partition, segment, value)
        return value

    def _put(self, no: int, partition: _Partition, segment: int, value: V) -> None:
        size = self._size_of(value)
        with self._lock:
            if size > self._max_bytes or self._partitions.get(no) is not partition:
                return
            self._results[no, segment] = value, size
            partition.segments[segment] = None
            self._total += size
            while self._total > self._max_bytes:
                (other, old), (_, freed) = self._results.popitem(last=False)
                self._total -= freed
                if (owner := self._partitions.get(other)) is not None:
                    owner.segments.pop(old, None)

    def _evict_partitions(self, keep: int) -> None:
        with self._lock:
            while len(self._partitions) > MAX_PARTITIONS:
                no, partition = next(iter(self._partitions.items()))
                if no == keep:
                    return
                del self._partitions[no]
                for segment in partition.segments:
                    found = self._results.pop((no, segment), None)
                    self._total -= found[1] if found else 0

    def clear(self) -> None:
        with self._lock:
            self._partitions.clear()
            self._results.clear()
            self._total = 0

    def values(self) -> list[V]:
        with self._lock:
            return [value for value, _ in self._results.values()]


class Segments(Generic[V]):
    """The segments of one partition as of one snapshot, newest records first."""

    def __init__(
        self,
        cache: SegmentCache[V],
        connection: apsw.Connection,
        no: int,
        partition: _Partition,
    ) -> None:
        self._cache = cache
        self._connection = connection
        self._no = no
        self._partition = partition

    def newest_first(self, before: int = 0) -> Iterator[V]:
        """Only segments with numbers below `before`; 0: all."""
        low, high = self._no << PLACE_BITS, (self._no + 1) << PLACE_BITS
        last = self._connection.execute(
            "SELECT number FROM records WHERE number > ? AND number < ? "
            "ORDER BY number DESC LIMIT 1",
            (low, min(high, before) if before else high),
        ).get
        if last is None:
            return
        for segment in range(last >> SEGMENT_BITS, (low >> SEGMENT_BITS) - 1, -1):
            yield self._cache.get(self._connection, self._no, self._partition, segment)
