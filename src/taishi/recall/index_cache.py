"""The place indexes that are in memory, fresh on every use and bounded in bytes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from ..ports import PartitionState, Store
from ..types import Partition
from .column_batch_writer import WORTH_PACKING, pack_some
from .deadline import Deadline, LateError
from .partition_index import NO_BLOCKS, PartitionIndex

# A place that somebody has been reading for this long will take longer still: whoever is in a
# hurry goes without it, and does not keep a thread that other places need.
SOON_SECONDS = 0.05
IN_A_HURRY = 1.0
# Of a place with at most so many rows all records are kept in memory, once somebody asks there.
SMALL = 4096
# So many are read at one go, and then comes a pause of some times as long as that took: who asks
# meanwhile hardly notices.
AT_ONCE = 256
LEAVES_REST = 10


@dataclass(slots=True)
class _Slot:
    """A place's index, the lock under which it catches up, and its size when last counted."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: PartitionIndex | None = None
    counted: int = 0
    being_renewed: bool = False
    begun: float = 0.0  # when whoever holds the lock took it; 0: nobody, or only just now

    @contextmanager
    def held(self, deadline: Deadline | None) -> Iterator[None]:
        if not self.lock.acquire(timeout=self._patience(deadline)):
            raise LateError("the place's index is being read; ask again in a moment")
        self.begun = time.monotonic()
        try:
            yield
        finally:
            self.begun = 0.0
            self.lock.release()

    def _patience(self, deadline: Deadline | None) -> float:
        if deadline is None:
            return -1
        left = deadline.left
        if left > IN_A_HURRY or not self.lock.locked():
            return min(left, threading.TIMEOUT_MAX)
        now = time.monotonic()
        return max(0.0, min(left, (self.begun or now) + SOON_SECONDS - now))


class IndexCache:
    """Least recently used places leave first; the one in use always stays."""

    def __init__(
        self,
        store: Store,
        model: str | None,
        blocks: Sequence[int],
        max_bytes: int,
        later: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        """`later` is given work that nobody waits for; without it nothing is packed."""
        self._store = store
        self._later = later
        self._model = model
        self._blocks = tuple(blocks)
        self._max_bytes = max_bytes
        self._total = 0
        self._lock = threading.Lock()
        self._by_place: OrderedDict[Partition, _Slot] = OrderedDict()

    def fresh(self, places: Sequence[Partition]) -> dict[Partition, PartitionIndex]:
        """The index of each place that has records, caught up with the store."""
        return self.caught_up(self._store.states(places))

    def at_hand(
        self, shelves: Mapping[Partition, PartitionState]
    ) -> dict[Partition, PartitionIndex] | None:
        """The same, if all of them are in memory and have caught up; never waits for the store."""
        found = {}
        for place, shelf in shelves.items():
            with self._lock:
                slot = self._by_place.get(place)
                if slot is None:
                    return None
                self._by_place.move_to_end(place)
            index = slot.index
            if index is None or index.no != shelf.no or index.seq < shelf.seq:
                return None
            found[place] = index
        return found

    def caught_up(
        self, shelves: Mapping[Partition, PartitionState], deadline: Deadline | None = None
    ) -> dict[Partition, PartitionIndex]:
        """Raises LateError if others are reading a place and will not be done by the deadline."""
        return {place: self._caught_up(place, shelf, deadline) for place, shelf in shelves.items()}

    def _caught_up(
        self, place: Partition, shelf: PartitionState, deadline: Deadline | None
    ) -> PartitionIndex:
        with self._lock:
            slot = self._by_place.setdefault(place, _Slot())
            self._by_place.move_to_end(place)
        index = slot.index
        if index is not None and index.no == shelf.no and index.seq >= shelf.seq:
            return index
        with slot.held(deadline):
            index = slot.index
            if index is not None and index.no != shelf.no:  # forgotten, and begun anew
                index = None
            if index is None or index.seq < shelf.seq:
                index = slot.index = self._brought_up(index, shelf)
        self._count(place, slot)
        if index.worn and self._later is not None and not slot.being_renewed:
            slot.being_renewed = True
            self._later(partial(self._renew, place, slot, index))
        return index

    def _renew(self, place: Partition, slot: _Slot, worn: PartitionIndex) -> None:
        """Read a place anew beside its index, which goes on answering; without struck-out rows."""
        try:
            fresh = PartitionIndex.load(self._store, worn.no, self._model, self._blocks)
            with slot.held(None):
                if slot.index is worn:
                    changes = self._store.changes(worn.no, fresh.seq, self._model)
                    if changes is not None and changes.seq >= worn.seq:
                        fresh.follow(changes)
                        slot.index = fresh
        finally:
            slot.being_renewed = False
        self._count(place, slot)

    def _brought_up(self, index: PartitionIndex | None, shelf: PartitionState) -> PartitionIndex:
        if index is not None and not (index.worn_out or (index.worn and self._later is None)):
            changes = self._store.changes(index.no, index.seq, self._model)
            if changes is not None:
                index.follow(changes)
                return index
        loaded = PartitionIndex.load(self._store, shelf.no, self._model, self._blocks)
        if self._later is not None and loaded.rows >= WORTH_PACKING:
            self._later(partial(self._pack, shelf.no))
        return loaded

    def _pack(self, no: int) -> None:
        if pack_some(self._store, no, self._model, self._blocks or NO_BLOCKS) and self._later:
            self._later(partial(self._pack, no))

    # -- records of small places -----------------------------------------------------------------

    def keep_records(self, place: Partition, index: PartitionIndex) -> None:
        """Something of this place had to be read from the store: if the place is small, have all
        of it in memory the next time. (A tiny one was read whole.)"""
        leaves = index.leaves
        if self._later and AT_ONCE < index.rows <= SMALL and not leaves.being_read:
            leaves.being_read = True
            self._later(partial(self._read_on, place, index))

    def _read_on(self, place: Partition, index: PartitionIndex) -> None:
        began = time.perf_counter()
        index.leaves.being_read = False
        if self.read_records(place, index):
            self.keep_records(place, index)
            time.sleep((time.perf_counter() - began) * LEAVES_REST)

    def read_records(self, place: Partition, index: PartitionIndex) -> bool:
        """Some of those that are not in memory, at most AT_ONCE. True: there are more."""
        leaves, edition = index.leaves, index.leaves.edition
        rows = leaves.lacking(index.alive(index.rows))
        some = rows[:AT_ONCE].tolist()
        numbers = [number for number, _ in index.identities(some)]
        records = self._store.fetch(numbers, [place])
        there = [at for at, number in enumerate(numbers) if number in records]
        leaves.put([some[at] for at in there], [records[numbers[at]] for at in there], edition)
        with self._lock:
            slot = self._by_place.get(place)
        if slot is not None:
            self._count(place, slot)
        return len(some) < len(rows) and bool(there)

    def forget_texts(self) -> None:
        """No text of a record stays in memory."""
        with self._lock:
            slots = list(self._by_place.values())
        for slot in slots:
            if slot.index is not None:
                slot.index.leaves.clear()

    def drop(self, place: Partition) -> None:
        """Let a place's index go; it is read anew when somebody asks."""
        with self._lock:
            slot = self._by_place.pop(place, None)
            self._total -= slot.counted if slot else 0

    def _count(self, place: Partition, slot: _Slot) -> None:
        """Add what the slot has grown by; let the oldest go while there is too much."""
        with self._lock:
            if self._by_place.get(place) is not slot or slot.index is None:
                return
            size = slot.index.nbytes
            self._total += size - slot.counted
            slot.counted = size
            for other in list(self._by_place):
                if self._total <= self._max_bytes:
                    return
                if other != place:
                    self._total -= self._by_place.pop(other).counted

    def stats(self) -> dict[str, int]:
        with self._lock:
            indexes = [slot.index for slot in self._by_place.values() if slot.index]
        return {
            "places": len(indexes),
            "rows": sum(index.rows for index in indexes),
            "vectors": sum(index.vector_count for index in indexes),
            "passages": sum(index.pieces.passage_count for index in indexes),
            "bytes": sum(index.nbytes for index in indexes),
        }
