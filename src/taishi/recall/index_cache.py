"""An LRU cache of partition indexes: brought up to date on every use and bounded in bytes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ..ports import Moment, PartitionState, Store
from ..types import Partition
from .column_batch_writer import PACKS_AT_ONCE, WORTH_PACKING, pack_some
from .deadline import Deadline, LateError
from .partition_index import PartitionIndex

# An index that has been loading for this long will take longer still: a request with a short
# deadline gives up, so that it does not block a thread that other partitions need.
SOON_SECONDS = 0.05
SHORT_DEADLINE = 1.0
# All records of a partition with at most so many rows are cached once it is asked for.
SMALL = 4096
# Records are read in batches of this size, with pauses of some times as long as that took, so that
# requests in between are not slowed down.
RECORD_BATCH = 256
PAUSE_FACTOR = 10
# So long a store that is away is answered for from memory.
LOST_SECONDS = 300.0


@dataclass(slots=True)
class _Slot:
    """A partition's index, the lock under which it is updated, and its size when last counted."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: PartitionIndex | None = None
    counted: int = 0
    is_compacting: bool = False
    begun: float = 0.0  # when the lock was taken; 0: it is free, or was taken just now
    moment: Moment | None = None  # from before the store was last asked whether it is up to date

    @contextmanager
    def held(self, deadline: Deadline | None) -> Iterator[None]:
        if not self.lock.acquire(timeout=self._timeout(deadline)):
            raise LateError("the partition's index is being read; ask again in a moment")
        self.begun = time.monotonic()
        try:
            yield
        finally:
            self.begun = 0.0
            self.lock.release()

    def _timeout(self, deadline: Deadline | None) -> float:
        if deadline is None:
            return -1
        left = deadline.left
        if left > SHORT_DEADLINE or not self.lock.locked():
            return min(left, threading.TIMEOUT_MAX)
        now = time.monotonic()
        return max(0.0, min(left, (self.begun or now) + SOON_SECONDS - now))


class IndexCache:
    """Least recently used partitions are evicted first, never the one in use."""

    def __init__(
        self,
        store: Store,
        model: str | None,
        dimensions: int,
        max_bytes: int,
        later: Callable[[Callable[[], None]], None] | None = None,
        index_type: type[PartitionIndex] = PartitionIndex,
    ) -> None:
        """`dimensions` are the model's, 0 without one. `later` runs work in the background; without
        it no packs are written."""
        self._index_type = index_type
        self._store = store
        self._later = later
        self._model = model
        self._dimensions = dimensions
        self._max_bytes = max_bytes
        self._total = 0
        self._lock = threading.Lock()
        self._by_partition: OrderedDict[Partition, _Slot] = OrderedDict()

    def load(self, places: Sequence[Partition]) -> dict[Partition, PartitionIndex]:
        """The index of each partition that has records, up to date with the store."""
        return self.up_to_date(self._store.states(places))

    def cached(
        self, states: Mapping[Partition, PartitionState]
    ) -> dict[Partition, PartitionIndex] | None:
        """The same, if all of them are in memory and up to date; does not block."""
        found = {}
        for place, state in states.items():
            with self._lock:
                slot = self._by_partition.get(place)
                if slot is None:
                    return None
                self._by_partition.move_to_end(place)
            index = slot.index
            if index is None or index.no != state.no or index.seq < state.seq:
                return None
            found[place] = index
        return found

    def held(self, places: Iterable[Partition]) -> dict[Partition, PartitionIndex]:
        """Those in memory from which nothing was erased since, as far as is known: for while the
        store is away. What was added since is missing. Does not block."""
        found = {}
        for place in places:
            with self._lock:
                slot = self._by_partition.get(place)
            moment, index = (None, None) if slot is None else (slot.moment, slot.index)
            if moment is not None and index is not None:
                silence = self._store.silence(moment, (index.no,))
                if silence is not None and silence < LOST_SECONDS:
                    found[place] = index
        return found

    def up_to_date(
        self,
        states: Mapping[Partition, PartitionState],
        deadline: Deadline | None = None,
        moment: Moment | None = None,
    ) -> dict[Partition, PartitionIndex]:
        """Raises LateError if another thread is loading an index beyond the deadline. `moment` is
        from before the store was asked for the states."""
        found = {}
        for place, state in states.items():
            slot, found[place] = self._up_to_date(place, state, deadline)
            slot.moment = moment or slot.moment
        return found

    def _up_to_date(
        self, place: Partition, state: PartitionState, deadline: Deadline | None
    ) -> tuple[_Slot, PartitionIndex]:
        with self._lock:
            slot = self._by_partition.setdefault(place, _Slot())
            self._by_partition.move_to_end(place)
        index = slot.index
        if index is not None and index.no == state.no and index.seq >= state.seq:
            return slot, index
        with slot.held(deadline):
            index = slot.index
            if index is not None and index.no != state.no:  # erased and created again
                index = None
            if index is None or index.seq < state.seq:
                index = slot.index = self._updated(index, state)
        self._count(place, slot)
        if index.needs_compaction and self._later is not None and not slot.is_compacting:
            slot.is_compacting = True
            self._later(partial(self._compact, place, slot, index))
        return slot, index

    def _compact(self, place: Partition, slot: _Slot, old: PartitionIndex) -> None:
        """Load an index without deleted rows, while the old one goes on answering."""
        try:
            fresh = self._loaded(old.no)
            with slot.held(None):
                if slot.index is old:
                    changes = self._store.changes(old.no, fresh.seq, self._model)
                    if changes is not None and changes.seq >= old.seq:
                        fresh.apply(changes)
                        slot.index = fresh
        finally:
            slot.is_compacting = False
        self._count(place, slot)

    def _updated(self, index: PartitionIndex | None, state: PartitionState) -> PartitionIndex:
        if index is not None and not (
            index.must_reload or (index.needs_compaction and self._later is None)
        ):
            changes = self._store.changes(index.no, index.seq, self._model)
            if changes is not None:
                index.apply(changes)
                return index
        loaded = self._loaded(state.no)
        if self._later is not None and loaded.rows >= WORTH_PACKING:
            self._later(partial(self._pack, state.no, loaded.outdated_packs))
        return loaded

    def _loaded(self, no: int) -> PartitionIndex:
        return self._index_type.load(self._store, no, self._model, self._dimensions)

    def _pack(self, no: int, outdated: Sequence[int]) -> None:
        if pack_some(self._store, no, self._model, self._dimensions, outdated) and self._later:
            self._later(partial(self._pack, no, outdated[PACKS_AT_ONCE:]))

    def cache_records(self, place: Partition, index: PartitionIndex) -> None:
        """A record had to be read from the store: if the partition is small, cache all of its
        records in the background. (A tiny one was read whole.)"""
        cached = index.records_cache
        if self._later and RECORD_BATCH < index.rows <= SMALL and not cached.is_loading:
            cached.is_loading = True
            self._later(partial(self._load_more, place, index))

    def _load_more(self, place: Partition, index: PartitionIndex) -> None:
        began = time.perf_counter()
        index.records_cache.is_loading = False
        if self.load_records(place, index):
            self.cache_records(place, index)
            time.sleep((time.perf_counter() - began) * PAUSE_FACTOR)

    def load_records(self, place: Partition, index: PartitionIndex) -> bool:
        """Cache a batch of the records that are not in memory. True: there are more."""
        cached, generation = index.records_cache, index.records_cache.generation
        rows = cached.missing(index.alive(index.rows))
        some = rows[:RECORD_BATCH].tolist()
        numbers = [number for number, _ in index.identities(some)]
        records = self._store.fetch(numbers, [place])
        there = [at for at, number in enumerate(numbers) if number in records]
        cached.put([some[at] for at in there], [records[numbers[at]] for at in there], generation)
        with self._lock:
            slot = self._by_partition.get(place)
        if slot is not None:
            self._count(place, slot)
        return len(some) < len(rows) and bool(there)

    def forget_texts(self) -> None:
        """Drop all cached records."""
        with self._lock:
            slots = list(self._by_partition.values())
        for slot in slots:
            if slot.index is not None:
                slot.index.records_cache.clear()

    def drop(self, place: Partition) -> None:
        """Evict a partition's index; the next request loads it again."""
        with self._lock:
            slot = self._by_partition.pop(place, None)
            self._total -= slot.counted if slot else 0

    def _count(self, place: Partition, slot: _Slot) -> None:
        """Add what the slot has grown by, and evict while the total exceeds the limit."""
        with self._lock:
            if self._by_partition.get(place) is not slot or slot.index is None:
                return
            size = slot.index.nbytes
            self._total += size - slot.counted
            slot.counted = size
            for other in list(self._by_partition):
                if self._total <= self._max_bytes:
                    return
                if other != place:
                    self._total -= self._by_partition.pop(other).counted

    def stats(self) -> dict[str, int]:
        with self._lock:
            indexes = [slot.index for slot in self._by_partition.values() if slot.index]
        return {
            "places": len(indexes),
            "rows": sum(index.rows for index in indexes),
            "vectors": sum(index.vector_count for index in indexes),
            "passages": sum(index.pieces.passage_count for index in indexes),
            "bytes": sum(index.nbytes for index in indexes),
        }
