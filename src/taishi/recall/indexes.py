"""The place indexes that are in memory, fresh on every use and bounded in bytes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..ports import Shelf, Store
from ..types import Place
from .place_index import PlaceIndex


@dataclass(slots=True)
class _Slot:
    """A place's index, the lock under which it catches up, and its size when last counted."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    index: PlaceIndex | None = None
    counted: int = 0


class Indexes:
    """Least recently used places leave first; the one in use always stays."""

    def __init__(
        self, store: Store, model: str | None, blocks: Sequence[int], max_bytes: int
    ) -> None:
        self._store = store
        self._model = model
        self._blocks = tuple(blocks)
        self._max_bytes = max_bytes
        self._total = 0
        self._lock = threading.Lock()
        self._by_place: OrderedDict[Place, _Slot] = OrderedDict()

    def fresh(self, places: Sequence[Place]) -> dict[Place, PlaceIndex]:
        """The index of each place that has records, caught up with the store."""
        return {
            place: self._caught_up(place, shelf)
            for place, shelf in self._store.shelves(places).items()
        }

    def _caught_up(self, place: Place, shelf: Shelf) -> PlaceIndex:
        with self._lock:
            slot = self._by_place.setdefault(place, _Slot())
            self._by_place.move_to_end(place)
        index = slot.index
        if index is not None and index.seq >= shelf.seq:
            return index
        with slot.lock:
            index = slot.index
            if index is None or index.seq < shelf.seq:
                index = slot.index = self._brought_up(index, shelf)
        self._count(place, slot)
        return index

    def _brought_up(self, index: PlaceIndex | None, shelf: Shelf) -> PlaceIndex:
        if index is not None and not index.worn:
            changes = self._store.changes(index.no, index.seq, self._model)
            if changes is not None:
                index.follow(changes)
                return index
        return PlaceIndex.load(self._store, shelf.no, self._model, self._blocks)

    def _count(self, place: Place, slot: _Slot) -> None:
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
            "bytes": sum(index.nbytes for index in indexes),
        }
